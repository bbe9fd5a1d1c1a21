import { Either } from "effect"
import * as CanonicalUrl from "../../CanonicalUrl.ts"
import * as SharedHost from "../../Hosts/SharedHost.ts"
import * as Coverage from "../../ThreatList/Coverage.ts"
import * as UrlExpressions from "../../ThreatList/UrlExpressions.ts"

/** An expression that an entry adds to the list, and how it applies there. */
interface ListedExpression {
  readonly host: string
  /** With the query, if there is one. */
  readonly path: string
  readonly coverage: Coverage.Coverage
}

/**
 * What a feed's entry adds to the list.
 *
 * - `SharedHost`: nothing, because it names a whole host that many parties share, or a very popular one.
 * - `Unusable`: nothing, because it is no URL, or its host is neither an IP address nor a name with a dot.
 */
export type FeedEntry =
  | { readonly _tag: "Listed"; readonly expressions: ReadonlyArray<ListedExpression> }
  | { readonly _tag: "SharedHost" }
  | { readonly _tag: "Unusable" }

/** `404`, `1.0`, `12:30`: browsers open them as IPv4 addresses, a feed does not mean any. */
const NUMBER = /^\d+(?:\.\d+){0,2}(?:[:/?#]|$)/

/** Whether a canonical host is an IP address or a name with a dot: a text such as `OK` names no host. */
export const isListable = (host: string): boolean => host.includes(".") || host.startsWith("[")

/** How the expression with the query applies. */
export const coverageOf = (isShared: boolean, hasQuery: boolean, isDirectory: boolean): Coverage.Coverage =>
  isShared || hasQuery ? Coverage.EXACT : isDirectory ? Coverage.ALL : Coverage.EXACT | Coverage.PAGE

/**
 * Reads an entry as a feed writes it: a URL, a URL without scheme or a bare host, in any spelling that
 * `CanonicalUrl.parse` reads.
 *
 * On a host of its own a URL covers itself (`EXACT`) and the same page with any query (`PAGE`); a URL whose path ends in
 * `/` and that has no query also everything below it (`BELOW`). A bare host is its root `/` and so covers the whole host
 * and its subdomains. On a shared host an entry covers only itself.
 *
 * The expressions of `evil.example` are `[{ host: "evil.example", path: "/", coverage: ALL }]`, those of
 * `http://evil.example/a?b` are `[{ host: "evil.example", path: "/a?b", coverage: EXACT }, { host: "evil.example",
 * path: "/a", coverage: PAGE }]`.
 */
export const parse = (text: string): FeedEntry => {
  const parsed = CanonicalUrl.parse(text)
  if (Either.isLeft(parsed) || NUMBER.test(text)) return { _tag: "Unusable" }
  const { host, path } = parsed.right
  if (!isListable(host)) return { _tag: "Unusable" }
  const exact = UrlExpressions.pathAndQuery(parsed.right)

  const isShared = SharedHost.isShared(host)
  if (isShared && exact === "/") return { _tag: "SharedHost" }
  const hasQuery = exact !== path
  const listed = { host, path: exact, coverage: coverageOf(isShared, hasQuery, path.endsWith("/")) }
  const expressions = hasQuery && !isShared ? [listed, { host, path, coverage: Coverage.PAGE }] : [listed]
  return { _tag: "Listed", expressions }
}
