import type { FeedFormatName, RankingFormatName } from "../../Layers/AppConfig.ts"
import type { Category } from "../ThreatList/ListRecord.ts"
import { FeedReader } from "./FeedFormat/FeedReader.ts"
import { LineReader, readHosts, readReported } from "./FeedFormat/LineReader.ts"
import * as TableColumns from "./FeedFormat/TableColumns.ts"
import { type TableLayout, TableReader } from "./FeedFormat/TableReader.ts"

type FormatName = FeedFormatName | RankingFormatName

/** The columns in which phishunt.io says that it took a row from another publisher. Google is one of them. */
const ORIGINS_OF_PHISHUNT = ["openphish", "phishtank", "tweetfeed", "google"].map(
  (name) => `malicious_${name}`
)

/** A table with a column of URLs, one of dates, and one category for all rows. */
const urlsAndDates = (url: string, date: string, category: Category, order?: string): TableLayout => ({
  ...TableColumns.byName({ reads: [url, date], ...(order !== undefined && { order: order.split(",") }) }),
  entry: ([text = "", published = ""], line) => ({ text, line, category, published })
})

/** `tweetCategory("#phishing #scam")` is `"phishing"`, that of `#malware` alone `"malware"`, of other tags `"malicious"`. */
const tweetCategory = (tags: string): Category => {
  const words = tags.toLowerCase().split(/\s+/)
  return words.includes("#phishing") ? "phishing" : words.includes("#malware") ? "malware" : "malicious"
}

/** Rankings publish a million rows. A site below this is so small that a row of a feed about it may well be right. */
export const MAX_RANKED_ROWS = 100_000

const ranking = (columns: TableColumns.NamedColumns): TableLayout => ({
  ...TableColumns.byName(columns),
  entry: ([rank = "", text = ""], line) =>
    /^\d{1,9}$/.test(rank) && text !== "" ? { text, line } : "Not a row of the format",
  maxRows: MAX_RANKED_ROWS
})

const tables: Readonly<Record<Exclude<FormatName, "lines" | "hosts" | "csv">, TableLayout>> = {
  /** https://phishunt.io/feed.csv: the publisher calls them suspicious. */
  "phishunt-csv": {
    ...TableColumns.byName({ reads: ["url", "first_seen"], readsIfThere: ORIGINS_OF_PHISHUNT }),
    entry: ([text = "", published = "", ...flags], line) => ({
      text,
      line,
      category: "suspected phishing",
      published,
      ...(flags.some((flag) => /^(?:true|1|yes)$/i.test(flag)) && { isCopied: true })
    })
  },

  /** https://github.com/0xDanielLopez/TweetFeed: it also has rows about IP addresses and file hashes. */
  "tweetfeed-csv": {
    ...TableColumns.byName({
      reads: ["date", "type", "value", "tags"],
      order: "date,user,type,value,tags,tweet".split(",")
    }),
    entry: ([published = "", type, text = "", tags = ""], line) =>
      type === "url" || type === "domain"
        ? { text, line, category: tweetCategory(tags), published }
        : "Not about a URL or host"
  },

  /** https://www.phishtank.com/developer_info.php: verified and online phishing. */
  "phishtank-csv": urlsAndDates("url", "submission_time", "phishing"),

  /** https://urlhaus.abuse.ch/api/: the header is a comment in the publisher's file, a row in copies of it. */
  "urlhaus-csv": urlsAndDates(
    "url",
    "dateadded",
    "malware",
    "id,dateadded,url,url_status,last_online,threat,tags,urlhaus_link,reporter"
  ),

  /** https://majestic.com/reports/majestic-million */
  "majestic-csv": ranking({ reads: ["GlobalRank", "Domain"] }),

  /** https://tranco-list.eu and https://s3-us-west-1.amazonaws.com/umbrella-static/index.html */
  "ranked-csv": ranking({ reads: ["rank", "domain"], order: ["rank", "domain"] })
}

/** Returns a reader of one document. `column` is the name or number of the column with the URLs, for the format `csv`. */
export const reader = (format: FormatName, column?: string): FeedReader =>
  new FeedReader((skipped) => {
    if (format === "lines") return new LineReader(readReported, skipped)
    if (format === "hosts") return new LineReader(readHosts, skipped)
    return new TableReader(format === "csv" ? TableColumns.ofUrls(column) : tables[format], skipped)
  })
