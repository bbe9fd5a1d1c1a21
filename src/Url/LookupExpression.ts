/**
 * Lookup expressions: strings of the form `host-suffix/path-prefix`, without a scheme. A threat list covers a URL when it
 * contains one of the URL's expressions (https://developers.google.com/safe-browsing/reference/URLs.and.Hashing).
 */

import type { CanonicalUrl } from "./CanonicalUrl.ts"
import * as PublicSuffix from "./PublicSuffix.ts"

/** Host suffixes of Safe Browsing v5, not counting the host itself. */
const SAFE_BROWSING_HOST_SUFFIXES = 4
/** Path prefixes of Safe Browsing v5, the root included, not counting the path itself. */
const SAFE_BROWSING_PATH_PREFIXES = 4

/**
 * Upper bound of `hostSuffixes`; 1 in 4,000 listed URLs has more. Its product with MAX_PATH_PREFIXES bounds the lookups in
 * a list that a hostile URL can cause.
 */
export const MAX_HOST_SUFFIXES = 32

/** Upper bound of `pathPrefixes`; 1 in 12,000 listed URLs has more. */
export const MAX_PATH_PREFIXES = 24

/**
 * Longer prefixes are left out, and a longer path or query counts under the host itself only: to hash each of them under each host
 * takes too long. Servers accept no longer request line, so an attacker could only hide a listed directory with a longer name, or
 * a listed page of a host above, not the URL itself, its hosts and the directories near the root.
 */
const MAX_PREFIX_CHARS = 16_384

/**
 * Returns the expressions that Safe Browsing v5 looks up: at most 30, no duplicates, the exact one first. They combine the
 * host and up to four of its suffixes, starting at the registrable domain, with the path and query, the path alone, and up
 * to four path prefixes, starting at the root. An IP address and a public suffix have no further suffixes.
 *
 * For `http://a.b.com/1/2.html?param=1` they are `a.b.com/1/2.html?param=1`, `a.b.com/1/2.html`, `a.b.com/`,
 * `a.b.com/1/`, and the same four of `b.com`.
 */
export const expressionsOf = (url: CanonicalUrl): ReadonlyArray<string> => {
  const suffixes = hostSuffixes(url.host).slice(1).slice(-SAFE_BROWSING_HOST_SUFFIXES)
  const prefixes = pathPrefixes(url.path).slice(0, SAFE_BROWSING_PATH_PREFIXES)
  const paths = [url.path, ...prefixes.filter((prefix) => prefix !== url.path)]
  if (url.query !== undefined) paths.unshift(`${url.path}?${url.query}`)
  const short = paths.filter((path) => path.length <= MAX_PREFIX_CHARS)
  return [url.host, ...suffixes].flatMap((host) =>
    (host === url.host ? paths : short).map((path) => host + path)
  )
}

/**
 * Returns the host and each parent domain down to the registrable domain; only the host if it is an IP address, a public
 * suffix or a single label. At most MAX_HOST_SUFFIXES: the host itself and the shortest ones, so that deep subdomains
 * cannot evade a listed host.
 *
 * Threat lists match all of these, Safe Browsing only five. `domain` is the last suffix, for callers that need another one.
 *
 * `hostSuffixes("a.b.example.co.uk")` is `["a.b.example.co.uk", "b.example.co.uk", "example.co.uk"]`.
 */
export const hostSuffixes = (
  host: string,
  domain = PublicSuffix.registrableDomain(host)
): ReadonlyArray<string> => {
  if (domain === undefined) return [host]
  const parents: Array<string> = []
  let start = host.length - domain.length
  while (start > 0 && parents.length < MAX_HOST_SUFFIXES - 1) {
    parents.push(host.slice(start))
    start = host.lastIndexOf(".", start - 2) + 1
  }
  return [host, ...parents.reverse()]
}

/**
 * Returns the host and each parent domain, public suffixes included, the longest first. At most MAX_HOST_SUFFIXES, as above.
 *
 * `hostAndParents("a.example.co.uk")` is `["a.example.co.uk", "example.co.uk", "co.uk", "uk"]`.
 */
export const hostAndParents = (host: string): ReadonlyArray<string> =>
  hostSuffixes(host, host.slice(host.lastIndexOf(".") + 1))

/**
 * Returns the root and each directory of a canonical path, each ending in `/`, including the path itself if it is a
 * directory. At most MAX_PATH_PREFIXES, the ones closest to the root, of at most MAX_PREFIX_CHARS.
 *
 * Threat lists match all of these, Safe Browsing only four.
 *
 * `pathPrefixes("/a/b/c.html")` is `["/", "/a/", "/a/b/"]`.
 */
export const pathPrefixes = (path: string): ReadonlyArray<string> => {
  const prefixes: Array<string> = []
  let slash = path.indexOf("/")
  while (slash !== -1 && slash < MAX_PREFIX_CHARS && prefixes.length < MAX_PATH_PREFIXES) {
    prefixes.push(path.slice(0, slash + 1))
    slash = path.indexOf("/", slash + 1)
  }
  return prefixes
}
