import { Option } from "effect"
import type { FeedConfig, FeedFormatName, RankingFormatName } from "../../Layers/AppConfig.ts"
import type { Category } from "../ThreatList/ListRecord.ts"

/** The publisher of a feed, as reasons and health show it. Contains at most the host of the address, or a file's name. */
export interface FeedSource {
  readonly name: string
  /** The category of rows without one. Not used for a ranking. */
  readonly category: Category
}

/** What identifies a publisher: its own format, hosts, and hosts with the first segment of the path. */
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

/** Longer names of files and hosts are truncated: a reason has at most 400 characters. */
const MAX_NAME_CHARS = 60

/** Returns a file's name without folders and extension, in printable ASCII: `phishing` of `/srv/phishing.txt.gz`. Not blank. */
const fileNameOf = ({ pathname }: URL): string => {
  const name = decodeURIComponent(pathname.slice(pathname.lastIndexOf("/") + 1))
  const base = name.replace(/\.gz$/i, "").replace(/(?<=.)\.[^.]*$/, "")
  return /\S/.test(base) ? base.replace(/[^ -~]/gu, "_").slice(0, MAX_NAME_CHARS) : "file"
}

/** Returns the host of an address: its last 60 characters. `hostOf(new URL("https://feeds.example/a"))` is `"feeds.example"`. */
export const hostOf = ({ hostname }: URL): string => hostname.slice(-MAX_NAME_CHARS)

/**
 * Returns the publisher of a feed by its format or its address. An unknown publisher is named by the host or the file.
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
  /** May contain a key: never log it. */
  readonly url: URL
  readonly source: FeedSource
}

/** Returns the feed of a slot; none if the slot is off. */
export const fromConfig = ({ address, name, ...config }: FeedConfig): Option.Option<Feed> =>
  Option.map(address, (url) => {
    const source = sourceOf(config.format, url)
    return { ...config, url, source: { ...source, name: Option.getOrElse(name, () => source.name) } }
  })
