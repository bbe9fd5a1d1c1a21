import { assert, describe, it } from "@effect/vitest"
import type { FeedFormatName } from "../../../src/Layers/AppConfig.ts"
import * as Feed from "../../../src/Lists/ThreatFeed/Feed.ts"

describe("the source of a feed", () => {
  it.each<[FeedFormatName, string, name: string, category: string]>([
    ["phishunt-csv", "https://phishunt.io/feed.csv", "phishunt.io", "suspected phishing"],
    ["tweetfeed-csv", "http://127.0.0.1:1/month.csv", "TweetFeed", "malicious"],
    ["phishtank-csv", "https://data.phishtank.com/data/KEY/online-valid.csv.gz", "PhishTank", "phishing"],
    ["urlhaus-csv", "https://mirror.example/csv", "URLhaus", "malware"],
    ["lines", "https://phish.co.za/latest/phishing-links-ACTIVE.txt", "Phishing.Database", "phishing"],
    [
      "lines",
      "https://raw.githubusercontent.com/Phishing-Database/Phishing.Database/master/a.txt",
      "Phishing.Database",
      "phishing"
    ],
    ["lines", "https://openphish.com/feed.txt", "OpenPhish", "phishing"],
    [
      "lines",
      "https://raw.githubusercontent.com/openphish/public_feed/refs/heads/main/feed.txt",
      "OpenPhish",
      "phishing"
    ],
    ["lines", "https://hole.cert.pl/domains/v2/domains.txt", "CERT Polska", "phishing"],
    ["lines", "https://urlhaus.abuse.ch/downloads/text_online/", "URLhaus", "malware"],
    [
      "lines",
      "https://raw.githubusercontent.com/someone/openphish/main/feed.txt",
      "raw.githubusercontent.com",
      "malicious"
    ],
    [
      "lines",
      `https://${"long.".repeat(45)}example/feed.txt`,
      `${"long.".repeat(11)}example`.slice(-60),
      "malicious"
    ],
    ["lines", "https://openphish.com.example/feed.txt", "openphish.com.example", "malicious"],
    [
      "lines",
      "https://user:password@lists.example.net:8443/path/KEY?key=SECRET#x",
      "lists.example.net",
      "malicious"
    ],
    ["hosts", "https://lists.example.net/hosts", "lists.example.net", "malicious"],
    ["lines", "file:///srv/feeds/phishing-hosts.txt", "phishing-hosts", "malicious"],
    ["hosts", "file:///srv/feeds/our.list.txt.gz", "our.list", "malicious"],
    ["lines", "file:///srv/feeds/list", "list", "malicious"],
    ["lines", "file:///srv/feeds/.list", ".list", "malicious"],
    ["lines", "file:///srv/feeds/.gz", "file", "malicious"],
    ["lines", "file:///srv/feeds/%20.txt", "file", "malicious"],
    ["lines", "file:///srv/p%C3%A4ge%0Ab%2Ec/%F0%9F%98%80%09x%3Fy.txt", "__x?y", "malicious"],
    ["lines", `file:///${"a".repeat(200)}.txt`, "a".repeat(60), "malicious"],
    ["phishtank-csv", "file:///srv/feeds/a.csv", "PhishTank", "phishing"]
  ])("%s from %s is by %s: %s", (format, address, name, category) => {
    assert.deepStrictEqual(Feed.sourceOf(format, new URL(address)), {
      name,
      category
    } as Feed.FeedSource)
  })
})
