import { Either } from "effect"
import * as CanonicalUrl from "../../../Url/CanonicalUrl.ts"
import * as ContentForms from "../../../Url/ContentForms.ts"
import * as PrivateHost from "../../../Url/PrivateHost.ts"
import * as PublicSuffix from "../../../Url/PublicSuffix.ts"
import * as SharedHost from "../../../Url/SharedHost.ts"
import * as Wrapper from "../../../Url/Submission/Wrapper.ts"
import * as Submission from "../../../Url/Submission.ts"
import * as UrlExpressions from "../../../Url/UrlExpressions.ts"
import * as ListRecord from "../../ThreatList/ListRecord.ts"
import type { SkipReason } from "./FeedRow.ts"
import * as RowText from "./RowText.ts"

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
 * - `Unusable`: nothing, because no URL can match it.
 */
export type FeedEntry =
  | { readonly _tag: "Listed"; readonly expressions: ReadonlyArray<ListedExpression> }
  | { readonly _tag: "Site"; readonly host: string }
  | { readonly _tag: "SharedHost" }
  | { readonly _tag: "Unusable"; readonly reason: SkipReason }

/**
 * Whether a canonical host is an IP address or a name with a dot: a text such as `OK` names no host, nor does a time with a fraction.
 */
export const isListable = (host: string): boolean =>
  host.startsWith("[") || (host.includes(".") && !/[:[\]]/.test(host))

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

/** A link of a wrapper says nothing about its page with another query, which leads elsewhere. */
const onWrapper = ({ host }: CanonicalUrl.CanonicalUrl, exact: string): ReadonlyArray<ListedExpression> => [
  { host, path: exact, coverage: ListRecord.EXACT }
]

const isWholeHost = (url: CanonicalUrl.CanonicalUrl): boolean => UrlExpressions.pathAndQuery(url) === "/"

const expressionsOf = (
  url: CanonicalUrl.CanonicalUrl,
  leadsElsewhere: boolean,
  isShared = SharedHost.isShared(url.host)
): ReadonlyArray<ListedExpression> => {
  const exact = UrlExpressions.pathAndQuery(url)
  if (isShared) return onSharedHost(url, exact)
  return leadsElsewhere ? onWrapper(url, exact) : onOwnHost(url, exact)
}

/** Where a link of a wrapper leads, as it is read when somebody submits it. */
const destinationsOf = (
  url: CanonicalUrl.CanonicalUrl,
  text: string
): ReadonlyArray<CanonicalUrl.CanonicalUrl> =>
  Wrapper.find(url) === undefined
    ? []
    : Submission.read(text, 0)
        .addresses.filter(({ relation, isWrapper }) => relation === "destination" && !isWrapper)
        .map(({ url }) => url)
        .filter(
          (url) =>
            isListable(url.host) &&
            !PrivateHost.isPrivate(url.host) &&
            !(isWholeHost(url) && SharedHost.isShared(url.host))
        )

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
  const row = RowText.read(text)
  if (typeof row === "string") return { _tag: "Unusable", reason: row }
  const { hasWildcardPath, urls } = row
  const [{ host }] = urls
  if (!isListable(host)) return { _tag: "Unusable", reason: "Not a URL or host" }
  const isShared = SharedHost.isShared(host)
  if (isShared && isWholeHost(urls[0])) return { _tag: "SharedHost" }
  // There an entry covers no directory.
  if (hasWildcardPath && isShared) return { _tag: "Unusable", reason: "Wildcard in a path" }
  const expressions: Array<ListedExpression> = []
  for (const url of urls) {
    const destinations = destinationsOf(url, text)
    expressions.push(
      ...expressionsOf(url, destinations.length > 0, url.host === host ? isShared : undefined),
      ...destinations.flatMap((destination) => expressionsOf(destination, false))
    )
  }
  return { _tag: "Listed", expressions }
}

/** Where anybody gets a name or a page: how popular the domain is says nothing about a page there. */
const isPlatform = (domain: string): boolean =>
  SharedHost.isShared(domain, domain) || PublicSuffix.isPrivateSuffix(domain.slice(domain.indexOf(".") + 1))

/**
 * Reads a row of a ranking: the site is its registrable domain. `SharedHost` is also an IP address, a public suffix, and a
 * domain whose pages belong to many: a hosting firm, or a customer's name under one. `Unusable` is only what names no host.
 *
 * `parseRanked("policies.example.co.uk")` is the site `example.co.uk`; `google.com`, `weebly.com` and `tenant.github.io`
 * are none.
 */
export const parseRanked = (text: string): FeedEntry => {
  const url = CanonicalUrl.parse(text)
  if (Either.isLeft(url)) return { _tag: "Unusable", reason: "Not a URL or host" }
  const host = PublicSuffix.registrableDomain(url.right.host)
  return host === undefined || isPlatform(host) ? { _tag: "SharedHost" } : { _tag: "Site", host }
}

/** Reads a row of a list of new domains like one of a ranking, but a host below a domain says nothing about the domain's age. */
export const parseRegistered = (text: string): FeedEntry => {
  const entry = parseRanked(text)
  if (entry._tag !== "Site") return entry
  const url = CanonicalUrl.parse(text)
  const isDomain = Either.isRight(url) && SharedHost.withoutWww(url.right.host) === entry.host
  return isDomain ? entry : { _tag: "SharedHost" }
}
