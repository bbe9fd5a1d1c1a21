import type { CanonicalUrl } from "../CanonicalUrl.ts"
import * as LookupExpression from "../LookupExpression.ts"
import * as UrlExpressions from "../ThreatList/UrlExpressions.ts"

/** How closely an entry names a URL: the greater, the more specific. Comparable between lists, for the same URL. */
export type Specificity = number

/** No entry covers the URL. */
export const NOT_COVERED: Specificity = 0

const ranks = { below: 0, page: 1, exact: 2 } as const

/** More than the characters of a canonical host or path: an entry has at most 16,384, and escaping makes one nine at most. */
const MAX_LENGTH = 2 ** 20

/**
 * First the kind of the entry, then the length of its path, then that of its host: an exact URL is more specific than a
 * page, that than a longer directory, that than a longer host.
 *
 * `specificity("below", "/a/", "example.com")` is greater than `specificity("below", "/", "www.example.com")`.
 */
export const specificity = (kind: keyof typeof ranks, path: string, host: string): Specificity =>
  (ranks[kind] * MAX_LENGTH + path.length) * MAX_LENGTH + host.length

/**
 * Returns the host and each parent domain, public suffixes included, the longest first: the entry `com` or `intranet` means
 * what it says. At most MAX_HOST_SUFFIXES: the host itself and the shortest ones.
 *
 * `hostAndParents("a.example.co.uk")` is `["a.example.co.uk", "example.co.uk", "co.uk", "uk"]`.
 */
export const hostAndParents = (host: string): ReadonlyArray<string> => {
  const hosts: Array<string> = []
  let dot = host.lastIndexOf(".")
  while (dot > 0 && hosts.length < LookupExpression.MAX_HOST_SUFFIXES - 1) {
    hosts.push(host.slice(dot + 1))
    dot = host.lastIndexOf(".", dot - 1)
  }
  hosts.push(host)
  return hosts.reverse()
}

/** Of the table of hosts. One map of a million hosts holds the main thread for 40 ms when it grows. */
const PARTS = 64

/** Enough characters of a host to tell most hosts of a list apart. */
const MAX_HASHED_CHARACTERS = 32

const partOf = (host: string): number => {
  let hash = host.length
  for (let i = Math.min(host.length, MAX_HASHED_CHARACTERS) - 1; i >= 0; i--)
    hash = Math.imul(hash, 31) + host.charCodeAt(i)
  return hash & (PARTS - 1)
}

/** The paths of a host, with their queries. Most hosts have one: a set for each would take three times the memory. */
type Paths = string | Set<string>

/**
 * The URLs, directories and hosts that a file of the operator names. Scheme, port and user info do not count. Other than in
 * a threat list there is no rule on shared or popular hosts.
 *
 * - An entry with a query covers that URL.
 * - An entry without a query covers its page with any query, on its host and the subdomains.
 * - An entry whose path ends in `/` also covers everything below it, of a host's root: the whole host and the subdomains.
 *
 * Takes 60 bytes an entry for hosts, 160 for long URLs: 180 MB for the worst file of 16 MiB, 60 MB for a list of hosts.
 */
export class OperatorList {
  readonly #paths = Array.from({ length: PARTS }, () => new Map<string, Paths>())
  #entries = 0

  /** The number of distinct entries. */
  get entries(): number {
    return this.#entries
  }

  add(url: CanonicalUrl): void {
    const path = UrlExpressions.pathAndQuery(url)
    const part = this.#part(url.host)
    const paths = part?.get(url.host)
    if (hasPath(paths, path)) return
    if (paths === undefined) part?.set(url.host, path)
    else if (typeof paths === "string") part?.set(url.host, new Set([paths, path]))
    else paths.add(path)
    this.#entries++
  }

  /** How closely the most specific entry names the URL; `NOT_COVERED` if none covers it. */
  specificityOf(url: CanonicalUrl): Specificity {
    if (this.#entries === 0) return NOT_COVERED
    let greatest = NOT_COVERED
    for (const host of hostAndParents(url.host)) {
      const paths = this.#part(host)?.get(host)
      if (paths !== undefined) greatest = Math.max(greatest, specificityOnHost(url, host, paths))
    }
    return greatest
  }

  #part(host: string): Map<string, Paths> | undefined {
    return this.#paths[partOf(host)]
  }
}

const hasPath = (paths: Paths | undefined, path: string): boolean =>
  typeof paths === "string" ? paths === path : paths?.has(path) === true

const specificityOnHost = (url: CanonicalUrl, host: string, paths: Paths): Specificity => {
  if (host === url.host && hasPath(paths, UrlExpressions.pathAndQuery(url)))
    return specificity("exact", url.path, host)
  if (hasPath(paths, url.path)) return specificity("page", url.path, host)
  const directory = LookupExpression.pathPrefixes(url.path).findLast((prefix) => hasPath(paths, prefix))
  return directory === undefined ? NOT_COVERED : specificity("below", directory, host)
}
