import type { FeedFormatName, RankingFormatName } from "../../Layers/AppConfig.ts"
import type { Category } from "../ThreatList/Category.ts"

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

const byFormat: Partial<Record<FeedFormatName | RankingFormatName, FeedSource>> = {
  "majestic-csv": { name: "Majestic Million", category: "malicious" },
  "phishunt-csv": { name: "phishunt.io", category: "suspected phishing" },
  "tweetfeed-csv": { name: "TweetFeed", category: "malicious" },
  "phishtank-csv": { name: "PhishTank", category: "phishing" },
  "urlhaus-csv": urlhaus
}

const byHost: ReadonlyMap<string, FeedSource> = new Map([
  ["phish.co.za", phishingDatabase],
  ["openphish.com", openPhish],
  ["hole.cert.pl", certPolska],
  ["urlhaus.abuse.ch", urlhaus],
  ["urlhaus-api.abuse.ch", urlhaus],
  ["tranco-list.eu", { name: "Tranco", category: "malicious" }]
])

const GITHUB_FILES = "raw.githubusercontent.com"

const byGitHubOwner: ReadonlyMap<string, FeedSource> = new Map([
  ["phishing-database", phishingDatabase],
  ["openphish", openPhish]
])

/** A longer name of a file or a host is cut: a reason has at most 400 characters. */
const MAX_NAME_CHARS = 60

/** `/srv/feeds/phishing-hosts.txt.gz` is `phishing-hosts`: without folders and extension, in printable ASCII. Not blank. */
const fileNameOf = ({ pathname }: URL): string => {
  const name = decodeURIComponent(pathname.slice(pathname.lastIndexOf("/") + 1))
  const base = name.replace(/\.gz$/i, "").replace(/(?<=.)\.[^.]*$/, "")
  return /\S/.test(base) ? base.replace(/[^ -~]/gu, "_").slice(0, MAX_NAME_CHARS) : "file"
}

/**
 * The publisher of a feed: by the format for a CSV, by the address for other lists; the rest are named by their host or file.
 *
 * `sourceOf("phishtank-csv", url)` is `{ name: "PhishTank", category: "phishing" }`.
 */
export const sourceOf = (format: FeedFormatName | RankingFormatName, address: URL): FeedSource =>
  byFormat[format] ??
  byHost.get(address.hostname) ??
  (address.hostname === GITHUB_FILES
    ? byGitHubOwner.get((address.pathname.split("/")[1] ?? "").toLowerCase())
    : undefined) ?? {
    name: address.protocol === "file:" ? fileNameOf(address) : address.hostname.slice(-MAX_NAME_CHARS),
    category: "malicious"
  }
