import type { FeedFormatName } from "../../Layers/AppConfig.ts"
import type { Category } from "../ThreatList/Category.ts"
import { FeedLines } from "./FeedFormat/FeedLines.ts"
import type { FeedReader, FeedRow } from "./FeedFormat/FeedRow.ts"
import { FeedTable, type TableLayout } from "./FeedFormat/FeedTable.ts"
import * as HostsLine from "./FeedFormat/HostsLine.ts"
import * as PlainLine from "./FeedFormat/PlainLine.ts"

/** The entry of a table with the URL and the date in a column each, and one category for all rows. */
const urlIn =
  (column: number, category: Category, date: number) =>
  (fields: ReadonlyArray<string>): FeedRow => ({
    text: (fields[column] ?? "").trim(),
    category,
    published: fields[date] ?? ""
  })

/** https://phishunt.io/feed.csv: suspicions, as the publisher says. */
const phishunt: TableLayout = {
  columns: [
    "url",
    "domain",
    "company",
    "date",
    "first_seen",
    "uuid",
    "ip",
    "country",
    "asn",
    "org",
    "cert",
    "malicious_google",
    "malicious_openphish",
    "malicious_phishtank",
    "malicious_tweetfeed",
    "malicious_urlscan"
  ],
  hasHeader: true,
  entry: urlIn(0, "suspected phishing", 4)
}

/** `#phishing #scam` is `phishing`, `#malware` alone `malware`, anything else `malicious`. */
const tweetCategory = (tags: string): Category => {
  const words = tags.toLowerCase().split(/\s+/)
  return words.includes("#phishing") ? "phishing" : words.includes("#malware") ? "malware" : "malicious"
}

/** https://github.com/0xDanielLopez/TweetFeed: there are rows about IP addresses and file hashes, too. */
const tweetFeed: TableLayout = {
  columns: ["date", "user", "type", "value", "tags", "tweet"],
  hasHeader: false,
  entry: ([date = "", , type, value = "", tags = ""]) =>
    type === "url" || type === "domain"
      ? { text: value.trim(), category: tweetCategory(tags), published: date }
      : undefined
}

/** https://www.phishtank.com/developer_info.php: verified and online phishing. */
const phishTank: TableLayout = {
  columns: [
    "phish_id",
    "url",
    "phish_detail_url",
    "submission_time",
    "verified",
    "verification_time",
    "online",
    "target"
  ],
  hasHeader: true,
  entry: urlIn(1, "phishing", 3)
}

/** https://urlhaus.abuse.ch/api/: the column line is a comment in the provider's file, a plain row in copies of it. */
const urlhaus: TableLayout = {
  columns: [
    "id",
    "dateadded",
    "url",
    "url_status",
    "last_online",
    "threat",
    "tags",
    "urlhaus_link",
    "reporter"
  ],
  hasHeader: false,
  entry: urlIn(2, "malware", 1)
}

/**
 * A reader of one document. `category` is that of all entries in the formats `lines` and `hosts`, which have none of their
 * own.
 */
export const reader = (format: FeedFormatName, category: Category): FeedReader => {
  switch (format) {
    case "lines":
      return new FeedLines(category, PlainLine.read)
    case "hosts":
      return new FeedLines(category, HostsLine.read)
    case "phishunt-csv":
      return new FeedTable(phishunt)
    case "tweetfeed-csv":
      return new FeedTable(tweetFeed)
    case "phishtank-csv":
      return new FeedTable(phishTank)
    case "urlhaus-csv":
      return new FeedTable(urlhaus)
  }
}
