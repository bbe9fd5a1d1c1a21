import { Buffer } from "node:buffer"
import type { CanonicalUrl } from "./CanonicalUrl.ts"
import * as ContentForms from "./ContentForms.ts"
import * as LongPath from "./LongPath.ts"
import * as LookupExpression from "./LookupExpression.ts"
import * as PublicSuffix from "./PublicSuffix.ts"
import * as SharedHost from "./SharedHost.ts"

/**
 * The expressions under which a list may cover a URL, as indices into the URL's bytes: its host and each parent, with its
 * path, its query and each directory above.
 */
export interface UrlExpressions {
  /** The host, the path and the query, all of them ASCII. */
  readonly bytes: Uint8Array
  /** Where the host and each of its parents begin, the shortest first and the host itself, 0, last. */
  readonly hostStarts: ReadonlyArray<number>
  readonly hostEnd: number
  /** Where the root, each directory and, last, the path itself end. */
  readonly pathEnds: ReadonlyArray<number>
  /** Whether the path itself is a directory. */
  readonly isDirectory: boolean
  /** The digests of the paths longer than `LongPath.MAX_BYTES`, in the order of `pathEnds`, the path with the query last. */
  readonly longPaths: ReadonlyArray<Uint8Array>
  /** On a shared host the normal forms of path and query (see `ContentForms`), or their digests if they are long; elsewhere none. */
  readonly contentForms: ReadonlyArray<Uint8Array>
}

const none: ReadonlyArray<Uint8Array> = []

const latin1 = (text: string): Uint8Array => Buffer.from(text, "latin1")

const hashedForms = (form: string): ReadonlyArray<Uint8Array> => {
  const bytes = latin1(form)
  return bytes.length > LongPath.MAX_BYTES ? LongPath.digests(bytes, 0, [bytes.length]) : [bytes]
}

const longPathsIn = (
  bytes: Uint8Array,
  hostEnd: number,
  pathEnds: ReadonlyArray<number>
): ReadonlyArray<Uint8Array> => {
  if (bytes.length - hostEnd <= LongPath.MAX_BYTES) return none
  const ends = pathEnds.at(-1) === bytes.length ? pathEnds : [...pathEnds, bytes.length]
  return LongPath.digests(
    bytes,
    hostEnd,
    ends.filter((end) => end - hostEnd > LongPath.MAX_BYTES)
  )
}

/**
 * The path and the query, under which a list holds a URL itself. Other than in Safe Browsing an empty query is none: servers
 * treat both alike, and a `?` after a listed URL must not evade the list.
 */
export const pathAndQuery = ({ path, query }: CanonicalUrl): string =>
  query === undefined || query === "" ? path : `${path}?${query}`

/**
 * The expressions of a URL. All lists can use one result.
 *
 * Of `http://a.b.com/1/2.html?param=1` the bytes are `a.b.com/1/2.html?param=1`, the hosts begin at 2 and 0, and the paths
 * end at 8, 10 and 16.
 */
export const expressionsOf = (url: CanonicalUrl): UrlExpressions => {
  const { host, path } = url
  const domain = PublicSuffix.registrableDomain(host)
  const hostEnd = host.length
  const pathEnds = LookupExpression.pathPrefixEnds(path).map((end) => hostEnd + end)
  const pathEnd = hostEnd + path.length
  if (pathEnds.at(-1) !== pathEnd) pathEnds.push(pathEnd)
  const bytes = latin1(host + pathAndQuery(url))
  return {
    bytes,
    hostStarts: LookupExpression.hostSuffixStarts(host, domain),
    hostEnd,
    pathEnds,
    isDirectory: path.endsWith("/"),
    longPaths: longPathsIn(bytes, hostEnd, pathEnds),
    contentForms: SharedHost.isShared(host, domain) ? ContentForms.ofUrl(url).flatMap(hashedForms) : none
  }
}
