import type * as CanonicalUrl from "../../Url/CanonicalUrl.ts"
import * as IpfsContent from "../../Url/IpfsContent.ts"
import * as PublicSuffix from "../../Url/PublicSuffix.ts"
import * as UrlExpressions from "../../Url/UrlExpressions.ts"
import { FeedReader } from "../ThreatFeed/FeedFormat/FeedReader.ts"
import { LineReader, readEntry } from "../ThreatFeed/FeedFormat/LineReader.ts"
import * as RowText from "../ThreatFeed/FeedFormat/RowText.ts"

/** How specific an entry is for a URL; greater is more specific. Comparable between lists, for the same URL. */
type Specificity = number

/** No entry covers the URL. */
export const NOT_COVERED: Specificity = 0

const ranks = { below: 0, page: 1, exact: 2 } as const

/** Above the length of a canonical host or path: an entry has at most 16,384 characters, and escaping makes at most nine of one. */
const MAX_CHARS = 2 ** 20

/**
 * Returns a number that orders entries by kind, then by the length of the path, then by that of the host: exact URL, page, longer
 * directory, longer host.
 *
 * `specificity("below", "/a/", "example.com")` is greater than `specificity("below", "/", "www.example.com")`.
 */
export const specificity = (kind: keyof typeof ranks, path: string, host: string): Specificity =>
  (ranks[kind] * MAX_CHARS + path.length) * MAX_CHARS + host.length

/**
 * The URLs, directories and hosts in a file of the operator. Scheme, port and user info do not count. Unlike in a threat list, shared
 * and popular hosts are entries like others.
 *
 * - An entry with a query covers that URL.
 * - An entry without a query covers its page with any query, on its host and subdomains.
 * - An entry for content on IPFS covers it at all gateways.
 * - An entry whose path ends in `/` also covers everything below it: a host's root covers the whole host and its subdomains. It must
 *   be one of the URL's first MAX_PATH_PREFIXES directories.
 *
 * Takes 70 bytes an entry for hosts, 320 for long URLs: 170 MB for the worst file of 16 MiB, 70 MB for a list of hosts.
 */
export class OperatorList {
  /** `host` for a whole host, `host/path?query` for any other entry. */
  readonly #keys = new Set<string>()
  /** The hosts that have entries with a path: paths are looked up only on these. */
  readonly #hostsWithPaths = new Set<string>()

  /** The number of distinct entries. */
  get entries(): number {
    return this.#keys.size
  }

  add(url: CanonicalUrl.CanonicalUrl): void {
    const entry = IpfsContent.contentOf(url) ?? url
    const path = UrlExpressions.pathAndQuery(entry)
    if (path !== "/") this.#hostsWithPaths.add(entry.host)
    this.#keys.add(path === "/" ? entry.host : entry.host + path)
  }

  /** Returns the specificity of the most specific entry that covers the URL; `NOT_COVERED` if none does. */
  specificityOf(url: CanonicalUrl.CanonicalUrl): Specificity {
    if (this.entries === 0) return NOT_COVERED
    const hosts = [...PublicSuffix.hostAndParents(url.host), ...PublicSuffix.addressesIn(url.host)]
    const content = IpfsContent.contentOf(url)
    return Math.max(
      ...hosts.map((host) => this.#specificityOnHost(url, host)),
      content === undefined ? NOT_COVERED : this.#specificityOnHost(content, content.host)
    )
  }

  #specificityOnHost(url: CanonicalUrl.CanonicalUrl, host: string): Specificity {
    const hasPaths = this.#hostsWithPaths.has(host)
    const has = (path: string) =>
      path === "/" ? this.#keys.has(host) : hasPaths && this.#keys.has(host + path)
    if (host === url.host && has(UrlExpressions.pathAndQuery(url)))
      return specificity("exact", url.path, host)
    if (has(url.path)) return specificity("page", url.path, host)
    const directory = UrlExpressions.pathPrefixes(url.path).findLast(has)
    return directory === undefined ? NOT_COVERED : specificity("below", directory, host)
  }
}

/** Returns a reader that adds the entries of a file to a list. Lines are those of the format `lines`; a host may be a single label. */
export const readerInto = (list: OperatorList): FeedReader =>
  new FeedReader(
    (skipped) =>
      new LineReader((line) => {
        const entries = readEntry(line)
        if (typeof entries === "string") return entries
        for (const entry of entries) {
          // A star or dots at the end of a query are characters of it, and no other query would match.
          if (/(?:\u2026|\.\.\.)$/.test(entry)) return "Not a URL or host"
          const row = /(?:=|\/\?)\*$/.test(entry) ? "Wildcard in a path" : RowText.read(entry)
          if (typeof row === "string") return row
          for (const { url } of row.urls) list.add(url)
        }
        return entries
      }, skipped)
  )
