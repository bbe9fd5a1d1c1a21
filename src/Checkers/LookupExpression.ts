/**
 * Lookup expressions: the strings without scheme, `host-suffix/path-prefix`, under which a list may hold what covers a
 * URL (https://developers.google.com/safe-browsing/reference/URLs.and.Hashing).
 */

import type { CanonicalUrl } from "./CanonicalUrl.ts"
import * as PublicSuffix from "./PublicSuffix.ts"

/** Beside the host itself, as Safe Browsing v5 has it. */
const LOOKUP_HOST_SUFFIXES = 4
/** The root included, beside the path itself; as Safe Browsing v5 has it. */
const LOOKUP_PATH_PREFIXES = 4

/**
 * The most names `hostSuffixes` gives; 1 in 4,000 listed URLs has more. Multiplied with MAXIMUM_PATH_PREFIXES it bounds
 * how often a hostile URL makes us look into a list.
 */
export const MAXIMUM_HOST_SUFFIXES = 32

/** The most directories `pathPrefixes` gives; 1 in 12,000 listed URLs lies deeper. */
export const MAXIMUM_PATH_PREFIXES = 24

/**
 * The expressions that Safe Browsing v5 knows, at most 30, without duplicates: the host and up to four of its suffixes
 * from the registrable domain on, each with the path and its query, the path alone and up to four of its prefixes from
 * the root on. An IP address has no suffixes, nor has a public suffix.
 *
 * For `http://a.b.com/1/2.html?param=1` they are `a.b.com/1/2.html?param=1`, `a.b.com/1/2.html`, `a.b.com/`,
 * `a.b.com/1/`, and the same four of `b.com`.
 */
export const ofUrl = (url: CanonicalUrl): ReadonlyArray<string> => {
  const suffixes = hostSuffixes(url.host).slice(1).slice(-LOOKUP_HOST_SUFFIXES)
  const prefixes = pathPrefixes(url.path).slice(0, LOOKUP_PATH_PREFIXES)
  const paths = [url.path, ...prefixes.filter((prefix) => prefix !== url.path)]
  if (url.query !== undefined) paths.unshift(`${url.path}?${url.query}`)
  return [url.host, ...suffixes].flatMap((host) => paths.map((path) => host + path))
}

/**
 * The host and each parent down to the registrable domain; only the host when it is an IP address, a public suffix or
 * a single label. Of more than MAXIMUM_HOST_SUFFIXES those next to the registrable domain stay, and the host itself,
 * so that no depth of subdomains leads out of a listed host.
 *
 * Threat lists are matched against all of these, not only against the five that Safe Browsing looks up.
 *
 * `hostSuffixes("a.b.example.co.uk")` is `["a.b.example.co.uk", "b.example.co.uk", "example.co.uk"]`.
 */
export const hostSuffixes = (host: string): ReadonlyArray<string> =>
  hostSuffixStarts(host)
    .map((start) => host.slice(start))
    .reverse()

/** Where each of `hostSuffixes` begins, the shortest first: `[4, 2, 0]` in the example. */
export const hostSuffixStarts = (host: string): ReadonlyArray<number> => {
  const domain = PublicSuffix.registrableDomain(host)
  if (domain === undefined) return [0]
  const starts: Array<number> = []
  let start = host.length - domain.length
  while (start > 0 && starts.length < MAXIMUM_HOST_SUFFIXES - 1) {
    starts.push(start)
    start = host.lastIndexOf(".", start - 2) + 1
  }
  starts.push(0)
  return starts
}

/**
 * The root and each deeper directory on the way to a canonical path, each ending in `/`; the path itself when it is
 * a directory. Of more than MAXIMUM_PATH_PREFIXES those next to the root stay.
 *
 * Threat lists are matched against all of these, not only against the four that Safe Browsing looks up.
 *
 * `pathPrefixes("/a/b/c.html")` is `["/", "/a/", "/a/b/"]`.
 */
export const pathPrefixes = (path: string): ReadonlyArray<string> =>
  pathPrefixEnds(path).map((end) => path.slice(0, end))

/** Where each of `pathPrefixes` ends: `[1, 3, 5]` in the example. */
export const pathPrefixEnds = (path: string): ReadonlyArray<number> => {
  const ends: Array<number> = []
  let slash = path.indexOf("/")
  while (slash !== -1 && ends.length < MAXIMUM_PATH_PREFIXES) {
    ends.push(slash + 1)
    slash = path.indexOf("/", slash + 1)
  }
  return ends
}
