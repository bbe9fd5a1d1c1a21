import { Buffer } from "node:buffer"
import type { CanonicalUrl } from "../CanonicalUrl.ts"
import * as LookupExpression from "../LookupExpression.ts"

/**
 * The expressions under which a list may hold what covers a URL, as places in the URL: its host and each parent, with its
 * path, query and each directory above.
 */
export interface UrlExpressions {
  /** The host, the path and the query, all of them ASCII. */
  readonly bytes: Uint8Array
  /** Where the host and each of its parents begin, the shortest first and so the host itself, 0, last. */
  readonly hostStarts: ReadonlyArray<number>
  readonly hostEnd: number
  /** Where the root, each directory and, last, the path itself end. */
  readonly pathEnds: ReadonlyArray<number>
  /** Whether the path itself is a directory. */
  readonly isDirectory: boolean
}

/**
 * The path and the query, under which a list holds a URL itself. An empty query is none, other than in Safe Browsing: no
 * server tells the two apart, and a `?` put behind a listed URL must not lead out of the list.
 */
export const pathAndQuery = ({ path, query }: CanonicalUrl): string =>
  query === undefined || query === "" ? path : `${path}?${query}`

const make = (url: CanonicalUrl): UrlExpressions => {
  const { host, path } = url
  const hostEnd = host.length
  const pathEnds = LookupExpression.pathPrefixEnds(path).map((end) => hostEnd + end)
  const pathEnd = hostEnd + path.length
  if (pathEnds.at(-1) !== pathEnd) pathEnds.push(pathEnd)
  return {
    bytes: Buffer.from(host + pathAndQuery(url), "latin1"),
    hostStarts: LookupExpression.hostSuffixStarts(host),
    hostEnd,
    pathEnds,
    isDirectory: path.endsWith("/")
  }
}

let last: { readonly url: CanonicalUrl; readonly expressions: UrlExpressions } | undefined

/** The expressions of a URL. The lists that are asked about one URL one after the other share them. */
export const of = (url: CanonicalUrl): UrlExpressions => {
  if (last?.url !== url) last = { url, expressions: make(url) }
  return last.expressions
}
