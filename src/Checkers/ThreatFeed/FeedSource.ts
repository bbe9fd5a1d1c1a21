import type { FeedFormatName } from "../../Layers/AppConfig.ts"
import type { Category } from "../ThreatList/Category.ts"

/** Who publishes a feed, as reasons and health name it. It never holds more of the address than the host. */
export interface FeedSource {
  readonly name: string
  /** What the entries are when the document itself does not say. */
  readonly category: Category
}

const phishingDatabase: FeedSource = { name: "Phishing.Database", category: "phishing" }
const openPhish: FeedSource = { name: "OpenPhish", category: "phishing" }
const urlhaus: FeedSource = { name: "URLhaus", category: "malware" }
/** The warning list is about sites that cheat people of data or money. */
const certPolska: FeedSource = { name: "CERT Polska", category: "phishing" }

const byFormat: Partial<Record<FeedFormatName, FeedSource>> = {
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
  ["urlhaus-api.abuse.ch", urlhaus]
])

const GITHUB_FILES = "raw.githubusercontent.com"

const byGitHubOwner: ReadonlyMap<string, FeedSource> = new Map([
  ["phishing-database", phishingDatabase],
  ["openphish", openPhish]
])

/**
 * The publisher of a feed: a CSV is known by its format, a list of lines by its address, and one from elsewhere goes by
 * its host name.
 */
export const of = (format: FeedFormatName, address: URL): FeedSource =>
  byFormat[format] ??
  byHost.get(address.hostname) ??
  (address.hostname === GITHUB_FILES
    ? byGitHubOwner.get((address.pathname.split("/")[1] ?? "").toLowerCase())
    : undefined) ?? { name: address.hostname, category: "malicious" }
