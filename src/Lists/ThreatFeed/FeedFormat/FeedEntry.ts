import { Either, Option } from "effect"
import * as CanonicalUrl from "../../../Url/CanonicalUrl.ts"
import * as ContentForms from "../../../Url/ContentForms.ts"
import * as Hosts from "../../../Url/Hosts.ts"
import * as IpfsContent from "../../../Url/IpfsContent.ts"
import * as PrivateHost from "../../../Url/PrivateHost.ts"
import * as PublicSuffix from "../../../Url/PublicSuffix.ts"
import * as Wrapper from "../../../Url/Submission/Wrapper.ts"
import * as Submission from "../../../Url/Submission.ts"
import * as UrlExpressions from "../../../Url/UrlExpressions.ts"
import * as ListRecord from "../../ThreatList/ListRecord.ts"
import * as RowText from "./RowText.ts"
import type { SkipReason } from "./SkippedRows.ts"

/** An expression that an entry adds to the list, and how it covers URLs. */
interface ListedExpression {
  readonly host: string
  /** With the query, if there is one. */
  readonly path: string
  readonly coverage: ListRecord.Coverage
}

/**
 * The expressions that a row adds to the list, of a ranking one for its site; or why it adds none. `SharedHost`: it names a whole
 * host that many parties share, or that of a wrapper, whose links lead anywhere.
 */
export type FeedEntry = ReadonlyArray<ListedExpression> | "SharedHost" | SkipReason

/** Whether a canonical host is an IP address or a name with a dot. A word such as `OK` is not a host, nor is `10:30:00.5`. */
export const isListable = (host: string): boolean =>
  host.startsWith("[") || (host.includes(".") && !/[:[\]]/.test(host))

const onOwnHost = (url: CanonicalUrl.CanonicalUrl): ReadonlyArray<ListedExpression> => {
  const { host, path } = url
  const exact = UrlExpressions.pathAndQuery(url)
  if (exact !== path)
    return [
      { host, path: exact, coverage: ListRecord.EXACT },
      { host, path, coverage: ListRecord.PAGE }
    ]
  return [
    { host, path, coverage: path.endsWith("/") ? ListRecord.DIRECTORY : ListRecord.EXACT | ListRecord.PAGE }
  ]
}

const onSharedHost = (url: CanonicalUrl.CanonicalUrl): ReadonlyArray<ListedExpression> => {
  const { host } = url
  const form = ContentForms.ofEntry(url)
  if (form === undefined) return exactly(url)
  const content = { host, path: form, coverage: ListRecord.CONTENT }
  const own =
    form === UrlExpressions.pathAndQuery(url)
      ? [{ ...content, coverage: ListRecord.EXACT | ListRecord.CONTENT }]
      : [...exactly(url), content]
  const bareHost = Hosts.withoutWww(host)
  return bareHost === host ? own : [...own, { ...content, host: bareHost }]
}

/** Drops `PAGE`: of a row with HTML entities, only the decoded URL counts as a page of the host. */
const withoutPage = (expressions: ReadonlyArray<ListedExpression>): ReadonlyArray<ListedExpression> =>
  expressions
    .map((expression) => ({ ...expression, coverage: expression.coverage & ~ListRecord.PAGE }))
    .filter(({ coverage }) => coverage !== 0)

const isWholeHost = ({ path, query }: CanonicalUrl.CanonicalUrl): boolean => path === "/" && !query

const exactly = (url: CanonicalUrl.CanonicalUrl): ReadonlyArray<ListedExpression> => [
  { host: url.host, path: UrlExpressions.pathAndQuery(url), coverage: ListRecord.EXACT }
]

/** Adds what IPFS has at all gateways. With `CONTENT` in place of `EXACT`, as the row is one entry. */
const withGateways = (
  url: CanonicalUrl.CanonicalUrl,
  own: ReadonlyArray<ListedExpression>
): ReadonlyArray<ListedExpression> => {
  const content = IpfsContent.contentOf(url)
  if (content === undefined) return own
  const gateways = onOwnHost(content).map(({ coverage, ...expression }) => ({
    ...expression,
    coverage:
      (coverage & ListRecord.EXACT) === 0 ? coverage : (coverage & ~ListRecord.EXACT) | ListRecord.CONTENT
  }))
  return [...own, ...gateways]
}

const expressionsOf = (url: CanonicalUrl.CanonicalUrl): ReadonlyArray<ListedExpression> => {
  if (Hosts.isShared(url.host)) return withGateways(url, onSharedHost(url))
  return withGateways(url, Wrapper.isAboveLinks(url) ? exactly(url) : onOwnHost(url))
}

/** Many parties share the host, or its subdomains are its customers'. */
const hasTenants = (host: string): boolean =>
  Hosts.isShared(host) || Hosts.hasRole(Hosts.withoutWww(host), "companyService")

/** Whether a URL is a whole host with tenants, or one above the links of a wrapper. */
const isWholeSharedHost = (url: CanonicalUrl.CanonicalUrl): boolean =>
  isWholeHost(url) && (hasTenants(url.host) || Wrapper.isAboveLinks(url))

/** Returns the addresses to which a link of a wrapper leads, read as in a submitted link. */
const destinationsOf = (text: string): ReadonlyArray<CanonicalUrl.CanonicalUrl> =>
  Submission.read(text, 0)
    .addresses.filter(({ relation, isWrapper }) => relation === "destination" && !isWrapper)
    .map(({ url }) => url)
    .filter((url) => isListable(url.host) && !PrivateHost.isPrivate(url.host) && !isWholeSharedHost(url))

/** Returns the expressions of a URL of a row. A link of a wrapper covers only itself and where it leads. */
const expressionsIn = ({ text, url }: CanonicalUrl.Written): ReadonlyArray<ListedExpression> => {
  if (Wrapper.find(url) === undefined) return expressionsOf(url)
  const destinations = destinationsOf(text)
  const leadsElsewhere = destinations.length > 0 || Wrapper.isHost(url.host)
  const own = leadsElsewhere && !Hosts.isShared(url.host) ? exactly(url) : expressionsOf(url)
  return [...own, ...destinations.flatMap(expressionsOf)]
}

/**
 * Reads a row as a feed writes it: see `RowText.read`.
 *
 * On a host of its own, a URL covers itself (`EXACT`) and the same page with any query (`PAGE`). A URL without a query whose path
 * ends in `/` also covers everything below it (`BELOW`). A bare host is its root `/`: it covers the whole host and its subdomains.
 * On a shared host, an entry covers itself and other spellings of the same content (`CONTENT`). Content on IPFS is covered at all
 * gateways. A link of a wrapper also covers where it leads.
 *
 * The expressions of `evil.example` are `[{ host: "evil.example", path: "/", coverage: DIRECTORY }]`, those of
 * `http://evil.example/a?b` are `[{ host: "evil.example", path: "/a?b", coverage: EXACT }, { host: "evil.example",
 * path: "/a", coverage: PAGE }]`.
 */
export const parse = (text: string): FeedEntry => {
  // Most rows.
  const plain = RowText.readPlain(text)
  if (plain !== undefined && !hasTenants(plain.host) && !Wrapper.isNear(plain.host))
    return withGateways(plain, onOwnHost(plain))
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
    (Hosts.isShared(host)
      ? ContentForms.contentPath(host, first.url.path) === undefined
      : Wrapper.isAboveLinks(first.url))
  )
    return "Wildcard in a path"
  return urls.flatMap((url, index) => {
    const all = expressionsIn(url)
    return index === urls.length - 1 ? all : withoutPage(all)
  })
}

/**
 * Reads a row of a ranking as the site of its registrable domain. `SharedHost` is also an IP address, a public suffix, and a domain
 * whose pages belong to many parties, where its popularity says nothing about a page: a hosting firm, or a customer's name under one.
 *
 * `parseRanked("policies.example.co.uk")` is the site `example.co.uk`; `weebly.com` and `tenant.github.io` are `"SharedHost"`.
 */
export const parseRanked = (text: string): FeedEntry => {
  const host = hostOf(text)
  if (host === undefined) return "Not a URL or host"
  const { domain, isPrivate } = PublicSuffix.parse(host)
  return domain === undefined || isPrivate || Hosts.isShared(domain, domain)
    ? "SharedHost"
    : [{ host: domain, path: "/", coverage: ListRecord.EXACT }]
}

/**
 * Reads a row of a list of new domains as `parseRanked` does. `SharedHost` is also a host below a domain, which says nothing about
 * the domain's age: `parseRegistered("www.example.org")` is `example.org`, `parseRegistered("a.example.org")` `"SharedHost"`.
 */
export const parseRegistered = (text: string): FeedEntry => {
  const entry = parseRanked(text)
  if (typeof entry === "string") return entry
  const host = Hosts.withoutWww(hostOf(text) ?? "")
  return entry.some((site) => site.host === host) ? entry : "SharedHost"
}

const hostOf = (text: string): string | undefined =>
  Option.getOrUndefined(Either.getRight(CanonicalUrl.parse(text)))?.host
