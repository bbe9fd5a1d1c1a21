import { Option } from "effect"
import type { FeedConfig, FeedFormatName, RankingFormatName } from "../../Layers/AppConfig.ts"
import type { Category } from "../ThreatList/ListRecord.ts"

/** The publisher of a feed, as reasons and health show it. Of the address it contains at most the host, or a file's name. */
export interface FeedSource {
  readonly name: string
  /** The category of entries when the document does not say. That of a ranking is not used. */
  readonly category: Category
}

/** A format that only this publisher has, hosts, and hosts with the first segment of the path. */
type Marks = ReadonlyArray<string>

const publishers: ReadonlyArray<readonly [name: string, category: Category, ...marks: Marks]> = [
  ["CERT Polska", "phishing", "hole.cert.pl"],
  ["Majestic Million", "malicious", "majestic-csv", "downloads.majestic.com"],
  ["OpenPhish", "phishing", "openphish.com", "raw.githubusercontent.com/openphish"],
  ["Phishing.Database", "phishing", "phish.co.za", "raw.githubusercontent.com/phishing-database"],
  ["PhishTank", "phishing", "phishtank-csv", "data.phishtank.com"],
  ["phishunt.io", "suspected phishing", "phishunt-csv", "phishunt.io"],
  ["Tranco", "malicious", "tranco-list.eu"],
  ["TweetFeed", "malicious", "tweetfeed-csv", "raw.githubusercontent.com/0xdaniellopez"],
  ["URLhaus", "malware", "urlhaus-csv", "urlhaus.abuse.ch", "urlhaus-api.abuse.ch"]
]

/** A longer name of a file or a host is cut: a reason has at most 400 characters. */
const MAX_NAME_CHARS = 60

/** `/srv/feeds/phishing-hosts.txt.gz` is `phishing-hosts`: without folders and extension, in printable ASCII. Not blank. */
const fileNameOf = ({ pathname }: URL): string => {
  const name = decodeURIComponent(pathname.slice(pathname.lastIndexOf("/") + 1))
  const base = name.replace(/\.gz$/i, "").replace(/(?<=.)\.[^.]*$/, "")
  return /\S/.test(base) ? base.replace(/[^ -~]/gu, "_").slice(0, MAX_NAME_CHARS) : "file"
}

/** The host of an address, without its beginning if it is long. */
export const hostOf = ({ hostname }: URL): string => hostname.slice(-MAX_NAME_CHARS)

/**
 * The publisher of a feed: by the format for a CSV, by the address for other lists; the rest are named by their host or file.
 *
 * `sourceOf("phishtank-csv", url)` is `{ name: "PhishTank", category: "phishing" }`.
 */
export const sourceOf = (format: FeedFormatName | RankingFormatName, address: URL): FeedSource => {
  const { hostname, pathname, protocol } = address
  for (const mark of [format, hostname, `${hostname}/${pathname.split("/")[1]}`.toLowerCase()])
    for (const [name, category, ...marks] of publishers) if (marks.includes(mark)) return { name, category }
  return { name: protocol === "file:" ? fileNameOf(address) : hostOf(address), category: "malicious" }
}

/** A configured feed, or the ranking. */
export interface Feed extends Omit<FeedConfig, "address" | "name"> {
  /** May hold a key: never log it. */
  readonly url: URL
  readonly source: FeedSource
}

/** None when the operator has switched the slot off. */
export const fromConfig = ({ address, name, ...config }: FeedConfig): Option.Option<Feed> =>
  Option.map(address, (url) => {
    const source = sourceOf(config.format, url)
    return { ...config, url, source: { ...source, name: Option.getOrElse(name, () => source.name) } }
  })
