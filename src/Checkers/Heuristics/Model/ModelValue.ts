/** The model's value for a URL as others see it: an attacker can choose path and query on any host. */

import { isWeb } from "../../../Url/CanonicalUrl.ts"
import * as BrandName from "../Brand/BrandName.ts"
import * as Brand from "../Brand.ts"
import * as Scripts from "../Host/Scripts.ts"
import * as Model from "../Model.ts"
import * as UrlFacts from "../UrlFacts.ts"
import * as Words from "../Words.ts"
import * as Curve from "./Curve.ts"
import * as ModelText from "./ModelText.ts"

/** The raw values of a URL and of others on its host, each computed when it is asked for. Log-odds; 0 is even. */
export interface RawValues {
  readonly whole: number
  /** The sum of the host's table. */
  readonly hostLogit: number
  /** The sum of the host's table for the domains of `bareDomain`, the larger one. */
  readonly domainLogit: () => number
  readonly withoutQuery: () => number
  readonly bareHost: () => number
  /** The worse of the registrable domain and, if there are more subdomains than one, of that with one label before it. */
  readonly bareDomain: () => number
}

/** Values that matter here: of a suspicious and of a phishing score, and from which there is a score at all. */
export interface Marks {
  readonly scored: number
  readonly suspicious: number
  readonly phishing: number
  /** Hosts for which the sum of the host's table is lower are ordinary. */
  readonly ordinaryHost: number
}

/**
 * The value that the policy leaves:
 *
 * - a query can only lower it;
 * - a page for signing in is no worse than its bare host on free hosting, where developers make such pages every day, and on a
 *   subdomain, where firms have theirs (`/login` on `accounts.example.com`): no worse than that, the domain or the host one label
 *   below it, because anybody can choose a harmless subdomain;
 * - nor is a page for the owner of a site with WordPress, and what a page loads, unless the path has a brand or a word that phishing
 *   often uses: any page can have such a name;
 * - nor is a page of a site that quotes the names and domains of others in its paths, unless anybody can publish there;
 * - a host whose name is less suspicious than the page counts for a tenth, and no path makes an ordinary host phishing: an
 *   attacker can choose any path on an honest host;
 * - no path or subdomain makes a host, or its domain with or without one label before it, less suspicious than it is by itself by
 *   more than the step from phishing to suspicious: what is phishing by itself stays suspicious.
 */
export const valueByPolicy = (
  facts: UrlFacts.UrlFacts,
  raw: RawValues,
  { ordinaryHost, phishing, scored, suspicious }: Marks
): number => {
  const { path, query } = facts.url
  let value = raw.whole
  if (value >= scored && query !== undefined) value = Math.min(value, raw.withoutQuery())
  if (value >= scored && isNoWorseThanHost(facts)) {
    const bare = hasSubdomain(facts) ? Math.max(raw.bareHost(), raw.bareDomain()) : raw.bareHost()
    value = Math.min(value, bare)
  }
  if (path !== "/" || (query !== undefined && query !== "")) {
    value += HOST_SHARE * Math.min(0, raw.hostLogit - value)
    if (raw.hostLogit < ordinaryHost) value = Math.min(value, phishing - BELOW)
  }
  if (value >= suspicious) return value
  let alone = Number.NEGATIVE_INFINITY
  if (!UrlFacts.isBareHost(facts.url) && raw.hostLogit >= MIN_HOST_LOGIT) alone = raw.bareHost()
  if (alone < phishing && hasSubdomain(facts) && raw.domainLogit() >= MIN_HOST_LOGIT)
    alone = Math.max(alone, raw.bareDomain())
  return Math.max(value, Math.min(suspicious, alone - (phishing - suspicious)))
}

/**
 * The share of a lower sum of the host's table in a page's value, so that less depends on the path, which anybody can choose.
 * Chosen on recent, and later phishing beside it: at 0.05 % false positives it was worth 1.5 to 2.5 points after one training and
 * nothing after another. A larger share finds no more.
 */
const HOST_SHARE = 0.1

/** Just below a mark, in log-odds. */
const BELOW = 1e-6

/**
 * Hosts and domains below this are not evaluated a second time, which saves half the time for 95 of 100 ordinary hosts. On recent
 * none of the 3,846 phishing domains of 70 or more is below, and 35 of 1,363 of the suspicious ones. With -0.5 it is 17, and 0.2 %
 * more of the benign URLs have a score.
 */
const MIN_HOST_LOGIT = 0

/**
 * Whether a URL has a value: not a brand's own host, a private host, one that counts the clicks of newsletters, and schemes other
 * than `http` and `https`.
 */
export const hasValue = ({ url, host }: UrlFacts.UrlFacts): boolean =>
  isWeb(url) &&
  !host.isPrivate &&
  (host.isAddress ||
    (host.name !== undefined && !host.isBrandsOwn && !host.name.roles.includes("countsClicks")))

const hasSubdomain = ({ host: { name } }: UrlFacts.UrlFacts): boolean =>
  name?.subdomains.some((label) => label !== "www") ?? false

/** The value of a URL by the model; undefined if it has none. */
export const modelValue = (model: Model.Model, facts: UrlFacts.UrlFacts): number | undefined => {
  if (!hasValue(facts)) return undefined
  const host = Model.hostSum(model, ModelText.hostTextOf(facts.host))
  let bareHost: number | undefined
  let bareDomain: number | undefined
  const worst = (of: (prefix: string) => number) => Math.max(...UrlFacts.domainPrefixes(facts).map(of))
  const raw: RawValues = {
    whole: Model.rawValue(model, facts, host),
    hostLogit: host.logit,
    domainLogit: () =>
      worst((prefix) => Model.hostSum(model, ModelText.domainTextOf(facts.host, prefix)).logit),
    withoutQuery: () => Model.rawValue(model, UrlFacts.withoutQuery(facts), host),
    bareHost: () => (bareHost ??= Model.rawValue(model, UrlFacts.ofHost(facts), host)),
    bareDomain: () =>
      (bareDomain ??= worst((prefix) => Model.rawValue(model, UrlFacts.ofDomain(facts, prefix))))
  }
  return valueByPolicy(facts, raw, marksOf(model))
}

export const marksOf = ({ curve, ordinaryHost }: Pick<Model.Model, "curve" | "ordinaryHost">): Marks => ({
  ordinaryHost,
  scored: Curve.valueFor(curve, Curve.MIN_SCORE),
  suspicious: Curve.valueFor(curve, 40),
  phishing: Curve.valueFor(curve, 70)
})

/** `/login`, `/login2/`, `/saml_login/other`, `/user/sign-in.php`, and where OAuth begins: `/oauth2/v2.0/authorize`. */
const SIGN_IN = /[/_.-](?:log|sign)-?[io]n\d?(?:[/_.-][^/]*)?$|\/oauth2?\/(?:v\d[.\d]*\/)?authorize$/i

/** What a page loads. Nobody signs in there, and the benign development data has none, so that the model overrates it. */
const LOADED_BY_PAGE = /\.(?:css|js|mjs|map|ico|png|jpe?g|gif|webp|avif|woff2?|ttf|otf|eot)$/i

/** At the end of a path. The pattern's time grows with the square of the length. */
const MAX_SIGN_IN_CHARS = 256

/** More segments are not the path of an ordinary page for signing in. */
const MAX_SEGMENTS = 8

const isNoWorseThanHost = (facts: UrlFacts.UrlFacts): boolean => {
  const { path } = facts.url
  const { name } = facts.host
  if (path === "/" || name === undefined) return false
  const { brand, lures } = facts.path
  if (
    brand === undefined &&
    ((lures.length === 0 && LOADED_BY_PAGE.test(path)) || UrlFacts.isAdminPage(path))
  )
    return true
  if (name.roles.includes("quoting") && !facts.host.isShared) return true
  if (name.hostingFirm?.kind !== "freeHosting") {
    if (name.hostingFirm !== undefined || !hasSubdomain(facts)) return false
    if (SIGN_IN.test(path.slice(-MAX_SIGN_IN_CHARS))) return true
  }
  const segments = path.split("/", MAX_SEGMENTS + 1)
  return (
    segments.length <= MAX_SEGMENTS &&
    segments.every((segment) => segment === "" || Words.isLureWord(segment.toLowerCase()))
  )
}

/**
 * Whether a URL is only a domain, and that only a brand's name under another suffix, or a typing error of it:
 * `netflix.example`, `sncf-connect.example` and `netfilx.example`; not `netflix.example/profile`, `netfilx-login.example`,
 * `login.netfilx.example` and `netflix.top`. Many are the brand's own, a namesake's or an honest coincidence, so they are not
 * phishing by the model alone.
 */
export const isBrandsNameAlone = ({ host, url }: UrlFacts.UrlFacts): boolean => {
  const { abusedSuffix, international, name } = host
  if (url.path !== "/" || name === undefined || name.hostingFirm !== undefined) return false
  if (abusedSuffix !== undefined || international?.mixed !== undefined) return false
  if (Words.luresIn(name.subdomains.join(".")).length > 0) return false
  const label = Scripts.latinOf(name.name).replaceAll("-", "")
  return BrandName.find([label], 0)?.rest === ""
}

/** Ways to use a brand's name that are not evidence by themselves. */
const plainUses: ReadonlySet<string> = new Set(["brandAmongWords", "brandInDomain", "brandInSubdomain"])

/**
 * Whether a host is that of a club, shop or other firm by its name: see `Brand.isThirdPartyHost`. Not at a hosting firm, under a
 * suffix that phishers use, and with a path that phishing often has.
 */
export const isThirdParty = ({ host: { abusedSuffix, brand, name }, path }: UrlFacts.UrlFacts): boolean =>
  name !== undefined &&
  name.hostingFirm === undefined &&
  abusedSuffix === undefined &&
  (brand === undefined || (plainUses.has(brand.kind) && brand.asking.length === 0)) &&
  path.lures.length === 0 &&
  Brand.isThirdPartyHost(name)
