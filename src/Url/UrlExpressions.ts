/**
 * Lookup expressions: a host or a parent of it, and a path or a directory above it. A list covers a URL when it contains one of the
 * URL's expressions (https://developers.google.com/safe-browsing/reference/URLs.and.Hashing). Threat lists look up digests of
 * both parts (`UrlExpressions`), Safe Browsing fewer expressions as strings (`safeBrowsingExpressions`).
 */

import type { CanonicalUrl } from "./CanonicalUrl.ts"
import * as ContentForms from "./ContentForms.ts"
import * as Digest from "./Digest.ts"
import * as Hosts from "./Hosts.ts"
import * as IpfsContent from "./IpfsContent.ts"
import * as PublicSuffix from "./PublicSuffix.ts"

/** A host under which a list may have a URL. */
interface ListableHost {
  readonly name: string
  readonly digest: Digest.Digest
}

/**
 * The expressions under which a list may cover a URL: its host and each parent, with its path, its query and each directory
 * above, as digests. Each is computed when the first list asks, then used by all lists: none of a path if no list has the host.
 */
export class UrlExpressions {
  readonly #url: CanonicalUrl
  #hosts: ReadonlyArray<ListableHost> | undefined
  #exact: Digest.Digest | undefined
  #contentForms: ReadonlyArray<Digest.Digest> | undefined
  #page: Digest.Digest | undefined
  #prefixes: ReadonlyArray<Digest.Digest> | undefined

  constructor(url: CanonicalUrl) {
    this.#url = url
  }

  /** The host itself, its parents, then the address that it names: see `PublicSuffix`. */
  get hosts(): ReadonlyArray<ListableHost> {
    const { host } = this.#url
    this.#hosts ??= [...PublicSuffix.hostAndDomains(host), ...PublicSuffix.addressesIn(host)].map((name) => ({
      name,
      digest: Digest.digestOf(name)
    }))
    return this.#hosts
  }

  /** Of the path with the query, or of the path if there is none. */
  get exact(): Digest.Digest {
    this.#exact ??= Digest.digestOf(pathAndQuery(this.#url))
    return this.#exact
  }

  /** On a shared host, of the normal forms of path and query (see `ContentForms`); elsewhere none. */
  get contentForms(): ReadonlyArray<Digest.Digest> {
    this.#contentForms ??= Hosts.isShared(this.#url.host)
      ? ContentForms.ofUrl(this.#url).map(Digest.digestOf)
      : []
    return this.#contentForms
  }

  /** Those of the content of an IPFS gateway, under which a list has it from any gateway; elsewhere none. */
  get content(): UrlExpressions | undefined {
    const content = IpfsContent.contentOf(this.#url)
    return content === undefined ? undefined : new UrlExpressions(content)
  }

  /** Of the path. */
  get page(): Digest.Digest {
    this.#page ??= Digest.digestOf(this.#url.path)
    return this.#page
  }

  /** Of the root and each directory: see `pathPrefixes`. */
  get prefixes(): ReadonlyArray<Digest.Digest> {
    this.#prefixes ??= pathPrefixes(this.#url.path).map(Digest.digestOf)
    return this.#prefixes
  }
}

/**
 * The path and the query, under which a list holds a URL itself. Unlike in Safe Browsing, an empty query does not count: servers
 * treat both alike, and a `?` after a listed URL must not evade the list.
 */
export const pathAndQuery = ({ path, query }: CanonicalUrl): string =>
  query === undefined || query === "" ? path : `${path}?${query}`

/** Host suffixes of Safe Browsing v5, not counting the host itself. */
const SAFE_BROWSING_HOST_SUFFIXES = 4
/** Path prefixes of Safe Browsing v5, the root included, not counting the path itself. */
const SAFE_BROWSING_PATH_PREFIXES = 4

/**
 * Upper bound of `pathPrefixes`; 1 in 12,000 listed URLs has more. Its product with `PublicSuffix.MAX_DOMAINS` bounds the
 * lookups in a list that a hostile URL can cause.
 */
export const MAX_PATH_PREFIXES = 24

/**
 * Longer prefixes are left out, and for Safe Browsing a longer path or query counts under the host itself only: to hash each of them
 * under each host takes too long. Servers accept no longer request line, so an attacker could only hide a listed directory with a longer name, or
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
export const safeBrowsingExpressions = (url: CanonicalUrl): ReadonlyArray<string> => {
  const suffixes = PublicSuffix.hostAndDomains(url.host).slice(1).slice(-SAFE_BROWSING_HOST_SUFFIXES)
  const paths = url.query === undefined ? [url.path] : [`${url.path}?${url.query}`, url.path]
  for (const prefix of pathPrefixes(url.path).slice(0, SAFE_BROWSING_PATH_PREFIXES))
    if (prefix !== url.path) paths.push(prefix)
  const expressions = paths.map((path) => url.host + path)
  for (const host of suffixes)
    for (const path of paths) if (path.length <= MAX_PREFIX_CHARS) expressions.push(host + path)
  return expressions
}

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
