import { assert, describe, it } from "@effect/vitest"
import * as FeedSource from "../../../src/Checkers/ThreatFeed/FeedSource.ts"
import type { FeedFormatName } from "../../../src/Layers/AppConfig.ts"

describe("FeedSource", () => {
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
    ["lines", "https://openphish.com.example/feed.txt", "openphish.com.example", "malicious"],
    [
      "lines",
      "https://user:password@lists.example.net:8443/path/KEY?key=SECRET#x",
      "lists.example.net",
      "malicious"
    ]
  ])("%s from %s is by %s: %s", (format, address, name, category) => {
    assert.deepStrictEqual(FeedSource.sourceOf(format, new URL(address)), {
      name,
      category
    } as FeedSource.FeedSource)
  })
})
