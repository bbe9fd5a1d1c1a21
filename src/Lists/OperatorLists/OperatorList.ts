import type { CanonicalUrl } from "../../Url/CanonicalUrl.ts"
import * as LookupExpression from "../../Url/LookupExpression.ts"
import * as UrlExpressions from "../../Url/UrlExpressions.ts"

/** How closely an entry names a URL: the greater, the more specific. Comparable between lists, for the same URL. */
type Specificity = number

/** No entry covers the URL. */
export const NOT_COVERED: Specificity = 0

const ranks = { below: 0, page: 1, exact: 2 } as const

/**
 * More than the characters of a canonical host or path: an entry has at most 16,384, and escaping makes at most nine of one.
 */
const MAX_CHARS = 2 ** 20

/**
 * First the kind of the entry, then the length of its path, then the length of its host: an exact URL is more specific than a
 * page, that than a longer directory, that than a longer host.
 *
 * `specificity("below", "/a/", "example.com")` is greater than `specificity("below", "/", "www.example.com")`.
 */
export const specificity = (kind: keyof typeof ranks, path: string, host: string): Specificity =>
  (ranks[kind] * MAX_CHARS + path.length) * MAX_CHARS + host.length

/**
 * Returns the host and each parent domain, public suffixes included, the longest first: the entry `com` or `intranet` means
 * what it says. At most MAX_HOST_SUFFIXES: the host itself and the shortest ones.
 *
 * `hostAndParents("a.example.co.uk")` is `["a.example.co.uk", "example.co.uk", "co.uk", "uk"]`.
 */
export const hostAndParents = (host: string): ReadonlyArray<string> =>
  LookupExpression.hostSuffixes(host, host.slice(host.lastIndexOf(".") + 1))

/** In place of the path of a host: the host has more than one. */
const SEVERAL = Symbol("several paths")

/**
 * The URLs, directories and hosts that a file of the operator names. Scheme, port and user info do not count. Other than in
 * a threat list there is no rule on shared or popular hosts.
 *
 * - An entry with a query covers that URL.
 * - An entry without a query covers its page with any query, on its host and the subdomains.
 * - An entry whose path ends in `/` also covers everything below it, of a host's root: the whole host and the subdomains. It
 *   must be one of the URL's first MAX_PATH_PREFIXES directories.
 *
 * Takes 60 bytes an entry for hosts, 160 for long URLs: 180 MB for the worst file of 16 MiB, 60 MB for a list of hosts.
 */
export class OperatorList {
  /**
   * Each host with its path and query, or `SEVERAL`; then each entry of the host is a key too, as `host/path?query`. Most hosts
   * of a list have one.
   */
  readonly #paths = new Map<string, string | typeof SEVERAL>()
  /** Longer paths are not looked up: hashing them would take the time of a hostile URL. */
  #maxPathLength = 0
  #entries = 0

  /** The number of distinct entries. */
  get entries(): number {
    return this.#entries
  }

  add(url: CanonicalUrl): void {
    const { host } = url
    const path = UrlExpressions.pathAndQuery(url)
    const before = this.#paths.get(host)
    if (this.#has(host, before, path)) return
    if (before === undefined) this.#paths.set(host, path)
    else {
      this.#paths.set(host, SEVERAL)
      if (before !== SEVERAL) this.#paths.set(host + before, before)
      this.#paths.set(host + path, path)
    }
    this.#maxPathLength = Math.max(this.#maxPathLength, path.length)
    this.#entries++
  }

  /** How closely the most specific entry names the URL; `NOT_COVERED` if none covers it. */
  specificityOf(url: CanonicalUrl): Specificity {
    if (this.#entries === 0) return NOT_COVERED
    let greatest = NOT_COVERED
    for (const host of hostAndParents(url.host)) {
      const listed = this.#paths.get(host)
      if (listed !== undefined) greatest = Math.max(greatest, this.#specificityOnHost(url, host, listed))
    }
    return greatest
  }

  #specificityOnHost(url: CanonicalUrl, host: string, listed: string | typeof SEVERAL): Specificity {
    const has = (path: string) => this.#has(host, listed, path)
    if (host === url.host && has(UrlExpressions.pathAndQuery(url)))
      return specificity("exact", url.path, host)
    if (has(url.path)) return specificity("page", url.path, host)
    const directory = LookupExpression.pathPrefixes(url.path).findLast(has)
    return directory === undefined ? NOT_COVERED : specificity("below", directory, host)
  }

  /** Whether the host has this path, with its query. `listed` is what the table has for the host. */
  #has(host: string, listed: string | typeof SEVERAL | undefined, path: string): boolean {
    if (listed !== SEVERAL) return listed === path
    if (path.length > this.#maxPathLength) return false
    return this.#paths.has(host + path)
  }
}
