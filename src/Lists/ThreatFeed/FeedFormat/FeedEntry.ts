import { Either, Option } from "effect"
import * as CanonicalUrl from "../../../Url/CanonicalUrl.ts"
import * as ContentForms from "../../../Url/ContentForms.ts"
import * as Hosts from "../../../Url/Hosts.ts"
import * as PrivateHost from "../../../Url/PrivateHost.ts"
import * as PublicSuffix from "../../../Url/PublicSuffix.ts"
import * as Wrapper from "../../../Url/Submission/Wrapper.ts"
import * as Submission from "../../../Url/Submission.ts"
import * as UrlExpressions from "../../../Url/UrlExpressions.ts"
import * as ListRecord from "../../ThreatList/ListRecord.ts"
import * as RowText from "./RowText.ts"
import type { SkipReason } from "./SkippedRows.ts"

/** An expression that an entry adds to the list, and how it applies there. */
interface ListedExpression {
  readonly host: string
  /** With the query, if there is one. */
  readonly path: string
  readonly coverage: ListRecord.Coverage
}

/**
 * What a row of a feed or a ranking adds to the list: expressions, of a ranking one for its site; or why it adds none. `SharedHost`:
 * it names a whole host that many parties share, a very popular one, or that of a wrapper, whose links lead anywhere.
 */
export type FeedEntry = ReadonlyArray<ListedExpression> | "SharedHost" | SkipReason

/**
 * Whether a canonical host is an IP address or a name with a dot: a text such as `OK` names no host, nor does a time with a fraction.
 */
export const isListable = (host: string): boolean =>
  host.startsWith("[") || (host.includes(".") && !/[:[\]]/.test(host))

const onOwnHost = (url: CanonicalUrl.CanonicalUrl, exact: string): ReadonlyArray<ListedExpression> => {
  const { host, path } = url
  if (exact !== path)
    return [
      { host, path: exact, coverage: ListRecord.EXACT },
      { host, path, coverage: ListRecord.PAGE }
    ]
  return [
    { host, path, coverage: path.endsWith("/") ? ListRecord.DIRECTORY : ListRecord.EXACT | ListRecord.PAGE }
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
  const bareHost = Hosts.withoutWww(host)
  return bareHost === host ? own : [...own, { ...content, host: bareHost }]
}

/** How the text of a row is listed that has HTML entities: only its decoded URL counts among the pages of the host. */
const asWritten = (expressions: ReadonlyArray<ListedExpression>): ReadonlyArray<ListedExpression> =>
  expressions
    .map((expression) => ({ ...expression, coverage: expression.coverage & ~ListRecord.PAGE }))
    .filter(({ coverage }) => coverage !== 0)

const isWholeHost = ({ path, query }: CanonicalUrl.CanonicalUrl): boolean => path === "/" && !query

const expressionsOf = (url: CanonicalUrl.CanonicalUrl): ReadonlyArray<ListedExpression> => {
  const exact = UrlExpressions.pathAndQuery(url)
  if (Hosts.isShared(url.host)) return onSharedHost(url, exact)
  return Wrapper.isAboveLinks(url) ? itself(url) : onOwnHost(url, exact)
}

const itself = (url: CanonicalUrl.CanonicalUrl): ReadonlyArray<ListedExpression> => [
  { host: url.host, path: UrlExpressions.pathAndQuery(url), coverage: ListRecord.EXACT }
]

/** Whether a URL is a whole host that many parties share, or through which links of a wrapper lead. */
const isWholeSharedHost = (url: CanonicalUrl.CanonicalUrl): boolean =>
  isWholeHost(url) && (Hosts.isShared(url.host) || Wrapper.isAboveLinks(url))

/** Where a link of a wrapper leads, as it is read when somebody submits it. */
const destinationsOf = (text: string): ReadonlyArray<CanonicalUrl.CanonicalUrl> =>
  Submission.read(text, 0)
    .addresses.filter(({ relation, isWrapper }) => relation === "destination" && !isWrapper)
    .map(({ url }) => url)
    .filter((url) => isListable(url.host) && !PrivateHost.isPrivate(url.host) && !isWholeSharedHost(url))

/** The expressions of a URL of a row. A link of a wrapper says nothing about other links of it, which lead elsewhere. */
const expressionsIn = ({ text, url }: CanonicalUrl.Written): ReadonlyArray<ListedExpression> => {
  if (Wrapper.find(url) === undefined) return expressionsOf(url)
  const destinations = destinationsOf(text)
  const leadsElsewhere = destinations.length > 0 || Wrapper.isHost(url.host)
  const own = leadsElsewhere && !Hosts.isShared(url.host) ? itself(url) : expressionsOf(url)
  return [...own, ...destinations.flatMap(expressionsOf)]
}

/**
 * Reads an entry as a feed writes it: see `RowText.read`.
 *
 * On a host of its own a URL covers itself (`EXACT`) and the same page with any query (`PAGE`); a URL whose path ends in
 * `/` and that has no query also everything below it (`BELOW`). A bare host is its root `/` and so covers the whole host
 * and its subdomains. On a shared host an entry covers itself and other spellings of the same content (`CONTENT`). A link of a
 * known wrapper covers also where it leads.
 *
 * The expressions of `evil.example` are `[{ host: "evil.example", path: "/", coverage: DIRECTORY }]`, those of
 * `http://evil.example/a?b` are `[{ host: "evil.example", path: "/a?b", coverage: EXACT }, { host: "evil.example",
 * path: "/a", coverage: PAGE }]`.
 */
export const parse = (text: string): FeedEntry => {
  // Most rows.
  const plain = RowText.readPlain(text)
  if (plain !== undefined && !Hosts.isShared(plain.host) && !Wrapper.isNear(plain.host))
    return onOwnHost(plain, UrlExpressions.pathAndQuery(plain))
  const row = RowText.read(text)
  if (typeof row === "string") return row
  const { hasWildcardPath, urls } = row
  const [first] = urls
  const { host } = first.url
  if (!isListable(host)) return "Not a URL or host"
  if (urls.some(({ url }) => isWholeSharedHost(url))) return "SharedHost"
  // On a shared host an entry covers no directory, only the content that its path names.
  if (
    hasWildcardPath &&
    (Hosts.isShared(host) ? ContentForms.ofEntry(first.url) === undefined : Wrapper.isAboveLinks(first.url))
  )
    return "Wildcard in a path"
  return urls.flatMap((url, index) => {
    const all = expressionsIn(url)
    return index === urls.length - 1 ? all : asWritten(all)
  })
}

/**
 * Reads a row of a ranking: the site is its registrable domain. `SharedHost` is also an IP address, a public suffix, and a
 * domain whose pages belong to many: a hosting firm, or a customer's name under one.
 *
 * `parseRanked("policies.example.co.uk")` is the site `example.co.uk`; `google.com`, `weebly.com` and `tenant.github.io`
 * are none.
 */
export const parseRanked = (text: string): FeedEntry => {
  const host = hostOf(text)
  if (host === undefined) return "Not a URL or host"
  const { domain, isPrivate } = PublicSuffix.parse(host)
  // Where anybody gets a name or a page, how popular the domain is says nothing about a page there.
  return domain === undefined || isPrivate || Hosts.isShared(domain, domain)
    ? "SharedHost"
    : [{ host: domain, path: "/", coverage: ListRecord.EXACT }]
}

/** Reads a row of a list of new domains like one of a ranking, but a host below a domain says nothing about the domain's age. */
export const parseRegistered = (text: string): FeedEntry => {
  const entry = parseRanked(text)
  if (typeof entry === "string") return entry
  const host = Hosts.withoutWww(hostOf(text) ?? "")
  return entry.some((site) => site.host === host) ? entry : "SharedHost"
}

const hostOf = (text: string): string | undefined =>
  Option.getOrUndefined(Either.getRight(CanonicalUrl.parse(text)))?.host
