import { Option } from "effect"
import type { FeedConfig, FeedFormatName, RankingFormatName } from "../../Layers/AppConfig.ts"
import type { Category } from "../ThreatList/ListRecord.ts"

/** The publisher of a feed, as reasons and health show it. Of the address it contains at most the host, or a file's name. */
export interface FeedSource {
  readonly name: string
  /** The category of entries when the document does not say. That of a ranking is not used. */
  readonly category: Category
}

const phishingDatabase: FeedSource = { name: "Phishing.Database", category: "phishing" }
const openPhish: FeedSource = { name: "OpenPhish", category: "phishing" }
const urlhaus: FeedSource = { name: "URLhaus", category: "malware" }
const certPolska: FeedSource = { name: "CERT Polska", category: "phishing" }

const majestic: FeedSource = { name: "Majestic Million", category: "malicious" }
const phishunt: FeedSource = { name: "phishunt.io", category: "suspected phishing" }
const tweetFeed: FeedSource = { name: "TweetFeed", category: "malicious" }
const phishTank: FeedSource = { name: "PhishTank", category: "phishing" }

const byFormat: Partial<Record<FeedFormatName | RankingFormatName, FeedSource>> = {
  "majestic-csv": majestic,
  "phishunt-csv": phishunt,
  "tweetfeed-csv": tweetFeed,
  "phishtank-csv": phishTank,
  "urlhaus-csv": urlhaus
}

/** By host, or by host and the first segment of the path. */
const byPlace: ReadonlyMap<string, FeedSource> = new Map([
  ["downloads.majestic.com", majestic],
  ["phishunt.io", phishunt],
  ["data.phishtank.com", phishTank],
  ["phish.co.za", phishingDatabase],
  ["openphish.com", openPhish],
  ["hole.cert.pl", certPolska],
  ["urlhaus.abuse.ch", urlhaus],
  ["urlhaus-api.abuse.ch", urlhaus],
  ["tranco-list.eu", { name: "Tranco", category: "malicious" }],
  ["raw.githubusercontent.com/0xdaniellopez", tweetFeed],
  ["raw.githubusercontent.com/phishing-database", phishingDatabase],
  ["raw.githubusercontent.com/openphish", openPhish]
])

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
export const sourceOf = (format: FeedFormatName | RankingFormatName, address: URL): FeedSource =>
  byFormat[format] ??
  byPlace.get(address.hostname) ??
  byPlace.get(`${address.hostname}/${address.pathname.split("/")[1]}`.toLowerCase()) ?? {
    name: address.protocol === "file:" ? fileNameOf(address) : hostOf(address),
    category: "malicious"
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
