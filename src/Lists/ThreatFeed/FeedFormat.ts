import type { FeedFormatName, RankingFormatName } from "../../Layers/AppConfig.ts"
import type { Category } from "../ThreatList/ListRecord.ts"
import { FeedReader } from "./FeedFormat/FeedReader.ts"
import { LineReader, readEntry, readHosts } from "./FeedFormat/LineReader.ts"
import * as TableColumns from "./FeedFormat/TableColumns.ts"
import { type TableLayout, TableReader } from "./FeedFormat/TableReader.ts"

type FormatName = FeedFormatName | RankingFormatName

/** The lists from which phishunt.io says that it took a row: Safe Browsing may be the other publisher, too. */
const ORIGINS_OF_PHISHUNT = ["openphish", "phishtank", "tweetfeed", "google"].map(
  (name) => `malicious_${name}`
)

/** A table with the URL and the date in a column each, and one category for all rows. */
const urlsAndDates = (url: string, date: string, category: Category, order?: string): TableLayout => ({
  ...TableColumns.byName({ reads: [url, date], ...(order !== undefined && { order: order.split(",") }) }),
  entry: ([text = "", published = ""], line) => ({ text, line, category, published })
})

/** `#phishing #scam` is `phishing`, `#malware` alone `malware`, anything else `malicious`. */
const tweetCategory = (tags: string): Category => {
  const words = tags.toLowerCase().split(/\s+/)
  return words.includes("#phishing") ? "phishing" : words.includes("#malware") ? "malware" : "malicious"
}

/** Rankings publish a million rows; sites below this are so small that a row of a feed about one may well be right. */
export const MAX_RANKED_ROWS = 100_000

const ranking = (columns: TableColumns.NamedColumns): TableLayout => ({
  ...TableColumns.byName(columns),
  entry: ([rank = "", text = ""], line) =>
    /^\d{1,9}$/.test(rank) && text !== "" ? { text, line } : "Not a row of the format",
  maxRows: MAX_RANKED_ROWS
})

const tables: Readonly<Record<Exclude<FormatName, "lines" | "hosts" | "csv">, TableLayout>> = {
  /** https://phishunt.io/feed.csv: suspicions, as the publisher says. */
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

  /** https://github.com/0xDanielLopez/TweetFeed: there are rows about IP addresses and file hashes, too. */
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

  /** https://urlhaus.abuse.ch/api/: the header is a comment in the provider's file, a plain row in copies of it. */
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

/** A reader of one document. `column`: of the format `csv`, the name or number of the column with the URLs. */
export const reader = (format: FormatName, column?: string): FeedReader =>
  new FeedReader((skipped) => {
    if (format === "lines") return new LineReader(readEntry, skipped)
    if (format === "hosts") return new LineReader(readHosts, skipped)
    return new TableReader(format === "csv" ? TableColumns.found(column) : tables[format], skipped)
  })
