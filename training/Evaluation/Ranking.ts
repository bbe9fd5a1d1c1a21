import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import * as FeedEntry from "../../src/Lists/ThreatFeed/FeedFormat/FeedEntry.ts"
import { MAX_RANKED_ROWS } from "../../src/Lists/ThreatFeed/FeedFormat.ts"

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** The first column with a dot: the domain of `1,2,example.com,...`, of `1,example.com` and of `example.com<tab>source`. */
const DOMAIN = /[^\s,"]+\.[^\s,"]+/

/** The sites of a ranking in CSV or TSV, gzipped or not, of which the service would read as many rows. */
export const sitesOf = (bytes: Buffer): ReadonlySet<string> => {
  const text = (isGzip(bytes) ? gunzipSync(bytes) : bytes).toString()
  const sites = new Set<string>()
  for (const line of text.split("\n", MAX_RANKED_ROWS)) {
    const entry = FeedEntry.parseRanked(DOMAIN.exec(line)?.[0] ?? "")
    if (typeof entry !== "string") for (const { host } of entry) sites.add(host)
  }
  return sites
}

export const read = (file: string): ReadonlySet<string> => sitesOf(readFileSync(file))
