import type { FeedFormatName, RankingFormatName } from "../../Layers/AppConfig.ts"
import type { Category } from "../ThreatList/Category.ts"
import type { FeedReader } from "./FeedFormat/FeedRow.ts"
import { LineReader, readEntry, readHosts } from "./FeedFormat/LineReader.ts"
import { type TableLayout, TableReader } from "./FeedFormat/TableReader.ts"

/** A table whose rows have one category, with the columns of the URL and of the date. */
const urlsAndDates = (
  [url, date]: readonly [url: string, date: string],
  category: Category
): TableLayout => ({
  reads: [url, date],
  entry: ([text = "", published = ""]) => ({ text, category, published })
})

/** https://phishunt.io/feed.csv: suspicions, as the publisher says. */
const phishunt = urlsAndDates(["url", "first_seen"], "suspected phishing")

/** https://www.phishtank.com/developer_info.php: verified and online phishing. */
const phishTank = urlsAndDates(["url", "submission_time"], "phishing")

/** https://urlhaus.abuse.ch/api/: the header is a comment in the provider's file, a plain row in copies of it. */
const urlhaus: TableLayout = {
  ...urlsAndDates(["url", "dateadded"], "malware"),
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
  ]
}

/** `#phishing #scam` is `phishing`, `#malware` alone `malware`, anything else `malicious`. */
const tweetCategory = (tags: string): Category => {
  const words = tags.toLowerCase().split(/\s+/)
  return words.includes("#phishing") ? "phishing" : words.includes("#malware") ? "malware" : "malicious"
}

/** https://github.com/0xDanielLopez/TweetFeed: there are rows about IP addresses and file hashes, too. */
const tweetFeed: TableLayout = {
  reads: ["date", "type", "value", "tags"],
  columns: ["date", "user", "type", "value", "tags", "tweet"],
  entry: ([published = "", type, text = "", tags = ""]) =>
    type === "url" || type === "domain" ? { text, category: tweetCategory(tags), published } : "Unused"
}

/** Rankings publish a million rows; sites below this are so small that a row of a feed about one may well be right. */
const MAX_RANKED_ROWS = 100_000

const ranking = (rank: string, domain: string): TableLayout => ({
  reads: [rank, domain],
  entry: ([rank = "", text = ""], category) =>
    /^\d{1,9}$/.test(rank) && text !== "" ? { text, category } : "Unreadable",
  maxRows: MAX_RANKED_ROWS
})

/** https://majestic.com/reports/majestic-million */
const majestic = ranking("GlobalRank", "Domain")

/** https://tranco-list.eu and https://s3-us-west-1.amazonaws.com/umbrella-static/index.html */
const ranked: TableLayout = { ...ranking("rank", "domain"), columns: ["rank", "domain"] }

/** A reader of one document. `category` is that of all entries in the formats that have none of their own. */
export const reader = (format: FeedFormatName | RankingFormatName, category: Category): FeedReader => {
  switch (format) {
    case "lines":
      return new LineReader(category, readEntry)
    case "hosts":
      return new LineReader(category, readHosts)
    case "phishunt-csv":
      return new TableReader(phishunt, category)
    case "tweetfeed-csv":
      return new TableReader(tweetFeed, category)
    case "phishtank-csv":
      return new TableReader(phishTank, category)
    case "urlhaus-csv":
      return new TableReader(urlhaus, category)
    case "majestic-csv":
      return new TableReader(majestic, category)
    case "ranked-csv":
      return new TableReader(ranked, category)
  }
}
