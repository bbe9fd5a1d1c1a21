import { Either } from "effect"
import * as WrittenAddress from "../../../Url/CanonicalUrl/WrittenAddress.ts"
import * as CanonicalUrl from "../../../Url/CanonicalUrl.ts"
import * as ContentForms from "../../../Url/ContentForms.ts"
import * as Hosts from "../../../Url/Hosts.ts"
import * as PublicSuffix from "../../../Url/PublicSuffix.ts"
import * as SharedHost from "../../../Url/SharedHost.ts"
import * as UrlExpressions from "../../../Url/UrlExpressions.ts"
import * as ListRecord from "../../ThreatList/ListRecord.ts"

/** An expression that an entry adds to the list, and how it applies there. */
interface ListedExpression {
  readonly host: string
  /** With the query, if there is one. */
  readonly path: string
  readonly coverage: ListRecord.Coverage
}

/**
 * What a row of a feed or a ranking adds to the list.
 *
 * - `Site`: of a ranking, a host.
 * - `SharedHost`: nothing, because it names a whole host that many parties share, or a very popular one.
 * - `Unusable`: nothing, because it is not a URL, or its host is neither an IP address nor a name with a dot.
 */
export type FeedEntry =
  | { readonly _tag: "Listed"; readonly expressions: ReadonlyArray<ListedExpression> }
  | { readonly _tag: "Site"; readonly host: string }
  | { readonly _tag: "SharedHost" }
  | { readonly _tag: "Unusable" }

/** `404`, `1.0`, `12:30`: browsers open them as IPv4 addresses, a feed does not mean any. */
const NUMBER = /^\d+(?:\.\d+){0,2}(?:[:/?#]|$)/

/** A URL in quotes is a string of JSON or of a script, such as an error with a link to a page of help. */
const isQuoted = (text: string): boolean => WrittenAddress.QUOTE.test(text.split("/", 1).join())

/** Whether a canonical host is an IP address or a name with a dot: a text such as `OK` names no host. */
export const isListable = (host: string): boolean => host.includes(".") || host.startsWith("[")

const onOwnHost = (url: CanonicalUrl.CanonicalUrl, exact: string): ReadonlyArray<ListedExpression> => {
  const { host, path } = url
  const page = { host, path, coverage: ListRecord.PAGE }
  if (exact !== path) return [{ host, path: exact, coverage: ListRecord.EXACT }, page]
  return [
    { ...page, coverage: path.endsWith("/") ? ListRecord.DIRECTORY : ListRecord.EXACT | ListRecord.PAGE }
  ]
}

const onSharedHost = (url: CanonicalUrl.CanonicalUrl, exact: string): ReadonlyArray<ListedExpression> => {
  const { host } = url
  const form = ContentForms.ofEntry(url)
  const listed = { host, path: exact, coverage: ListRecord.EXACT }
  if (form === undefined) return [listed]
  const content = { host, path: form, coverage: ListRecord.CONTENT }
  const own =
    form === exact ? [{ ...content, coverage: ListRecord.EXACT | ListRecord.CONTENT }] : [listed, content]
  const bareHost = SharedHost.withoutWww(host)
  return bareHost === host ? own : [...own, { ...content, host: bareHost }]
}

/**
 * Reads an entry as a feed writes it: a URL, a URL without scheme or a bare host, in any spelling that
 * `CanonicalUrl.parse` reads but in quotes.
 *
 * On a host of its own a URL covers itself (`EXACT`) and the same page with any query (`PAGE`); a URL whose path ends in
 * `/` and that has no query also everything below it (`BELOW`). A bare host is its root `/` and so covers the whole host
 * and its subdomains. On a shared host an entry covers itself and other spellings of the same content (`CONTENT`).
 *
 * The expressions of `evil.example` are `[{ host: "evil.example", path: "/", coverage: DIRECTORY }]`, those of
 * `http://evil.example/a?b` are `[{ host: "evil.example", path: "/a?b", coverage: EXACT }, { host: "evil.example",
 * path: "/a", coverage: PAGE }]`.
 */
export const parse = (text: string): FeedEntry => {
  const parsed = CanonicalUrl.parse(text)
  if (Either.isLeft(parsed) || NUMBER.test(text) || isQuoted(text)) return { _tag: "Unusable" }
  const url = parsed.right
  if (!isListable(url.host)) return { _tag: "Unusable" }
  const exact = UrlExpressions.pathAndQuery(url)
  const isShared = SharedHost.isShared(url.host)
  if (isShared && exact === "/") return { _tag: "SharedHost" }
  return { _tag: "Listed", expressions: isShared ? onSharedHost(url, exact) : onOwnHost(url, exact) }
}

/** Where anybody gets a name or a page: how popular the domain is says nothing about a page there. */
const freeHosting = Hosts.namesWith("freeHosting")
const dynamicDns = Hosts.namesWith("dynamicDns")

const isPlatform = (domain: string): boolean =>
  freeHosting.has(domain) ||
  dynamicDns.has(domain) ||
  SharedHost.isShared(domain, domain) ||
  PublicSuffix.isPrivateSuffix(domain.slice(domain.indexOf(".") + 1))

/**
 * Reads a row of a ranking: the site is its registrable domain. `SharedHost` is also an IP address, a public suffix, and a
 * domain whose pages belong to many: a hosting firm, or a customer's name under one. `Unusable` is only what names no host.
 *
 * `parseRanked("policies.example.co.uk")` is the site `example.co.uk`; `google.com`, `weebly.com` and `tenant.github.io`
 * are none.
 */
export const parseRanked = (text: string): FeedEntry => {
  const url = CanonicalUrl.parse(text)
  if (Either.isLeft(url)) return { _tag: "Unusable" }
  const host = PublicSuffix.registrableDomain(url.right.host)
  return host === undefined || isPlatform(host) ? { _tag: "SharedHost" } : { _tag: "Site", host }
}
