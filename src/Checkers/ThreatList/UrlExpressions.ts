import { hash } from "node:crypto"
import type { CanonicalUrl } from "../CanonicalUrl.ts"
import * as LookupExpression from "../LookupExpression.ts"
import * as Coverage from "./Coverage.ts"

/** One of the expressions under which a list may hold what covers a URL. */
export interface UrlExpression {
  /** Host and path, condensed each. */
  readonly text: string
  readonly mayMatchAs: Coverage.Coverage
  /** Whether the path is `/`, so that what lies below it is the whole host. */
  readonly isHostRoot: boolean
}

/** With it no expression takes more than about half a microsecond to hash, and most listed URLs stay as they are. */
const LONGEST_HALF = 64

/**
 * A host, or a path with its query, as lists hash it: itself, or its SHA-256 when it is long. All expressions that hold a
 * half share it, so that a hostile URL of many long directories costs as many digests, not as many as there are pairs.
 * The NUL, which no canonical URL holds, keeps a digest apart from a text that looks like one.
 */
export const condense = (half: string): string =>
  half.length <= LONGEST_HALF ? half : `\0${hash("sha256", half, "base64")}`

/**
 * The path and the query, under which a list holds a URL itself. An empty query is none, other than in Safe Browsing: no
 * server tells the two apart, and a `?` put behind a listed URL must not lead out of the list.
 */
export const pathAndQuery = ({ path, query }: CanonicalUrl): string =>
  query === undefined || query === "" ? path : `${path}?${query}`

const make = (url: CanonicalUrl): ReadonlyArray<UrlExpression> => {
  const { host, path } = url
  const paths = LookupExpression.pathPrefixes(path)
    .filter((directory) => directory !== path)
    .map((directory) => ({ directory, text: condense(directory), mayMatchAs: Coverage.BELOW }))
  paths.push({
    directory: path,
    text: condense(path),
    mayMatchAs: path.endsWith("/") ? Coverage.PAGE | Coverage.BELOW : Coverage.PAGE
  })
  return [
    { text: condense(host) + condense(pathAndQuery(url)), mayMatchAs: Coverage.EXACT, isHostRoot: false },
    ...LookupExpression.hostSuffixes(host).flatMap((suffix) => {
      const half = condense(suffix)
      return paths.map(({ directory, text, mayMatchAs }) => ({
        text: half + text,
        mayMatchAs,
        isHostRoot: directory === "/"
      }))
    })
  ]
}

const made = new WeakMap<CanonicalUrl, ReadonlyArray<UrlExpression>>()

/**
 * The expressions of a URL: its host and each parent, with its path, query and each directory above, as
 * `LookupExpression` has them. The four lists that are asked about one URL share them.
 */
export const of = (url: CanonicalUrl): ReadonlyArray<UrlExpression> => {
  const known = made.get(url)
  if (known !== undefined) return known
  const expressions = make(url)
  made.set(url, expressions)
  return expressions
}
