/**
 * Finds the signals of a URL: evidence in its text alone, without network or lists that change. `Kinds` says what each is
 * worth.
 */

import { Buffer } from "node:buffer"
import * as CanonicalHost from "../../Url/CanonicalUrl/CanonicalHost.ts"
import * as PercentEncoding from "../../Url/CanonicalUrl/PercentEncoding.ts"
import * as RawUrl from "../../Url/CanonicalUrl/RawUrl.ts"
import type { CanonicalUrl, InvalidUrl } from "../../Url/CanonicalUrl.ts"
import * as Hosts from "../../Url/Hosts.ts"
import type { Signal } from "../Kinds.ts"
import * as BrandHomograph from "./Brand/BrandHomograph.ts"
import * as BrandInPath from "./Brand/BrandInPath.ts"
import * as BrandOwner from "./Brand/BrandOwner.ts"
import * as Scripts from "./Host/Scripts.ts"
import type * as Host from "./Host.ts"
import type { HostFacts } from "./HostFacts.ts"
import * as LureWords from "./LureWords.ts"
import * as HostSignals from "./Signals/HostSignals.ts"
import * as RiskyFile from "./Signals/RiskyFile.ts"

/** Schemes whose URL is itself a program or a page. */
const scriptSchemes: ReadonlySet<string> = new Set(["javascript", "data", "vbscript"])

/** The signals of a submitted string that is not a URL with a host. */
export const signalsOfInvalid = ({ reason, scheme }: InvalidUrl, submitted: string): ReadonlyArray<Signal> =>
  reason === "OpaqueScheme"
    ? [{ kind: scriptSchemes.has(scheme) ? "scriptScheme" : "otherScheme", scheme }]
    : [{ kind: "malformed", problem: reason, shown: withoutSecrets(submitted.trim()) }]

const SCHEME_AND_SLASHES = /^[a-z][a-z0-9+.-]{0,20}:[/\\]{1,3}/i
const QUERY_OR_FRAGMENT = /[?#]|%3f|%23/i

/** With `...` in place of what may be secret: user info, query and fragment. Takes linear time. */
const withoutSecrets = (text: string): string => {
  const end = text.search(QUERY_OR_FRAGMENT)
  const address = end === -1 ? text : `${text.slice(0, end)}...`
  const at = Math.max(address.lastIndexOf("@"), address.lastIndexOf("%40"))
  return at === -1 ? address : `${SCHEME_AND_SLASHES.exec(address)?.[0] ?? ""}...${address.slice(at)}`
}

/** The signals of host and user info. */
export const signalsOfHost = (url: CanonicalUrl, host: HostFacts): ReadonlyArray<Signal> => {
  const signals = host.isBrandsOwn || isCommand(url) ? [] : HostSignals.signalsOf(host)
  const userInfo = userInfoSignal(url)
  return userInfo === undefined ? signals : [...signals, userInfo]
}

/**
 * All signals of a URL, each kind at most once, `notHttps` last; none for an ordinary HTTPS URL. `hostSignals` are the
 * result of `signalsOfHost`.
 */
export const signalsOfUrl = (
  url: CanonicalUrl,
  host: HostFacts,
  hostSignals: ReadonlyArray<Signal>
): ReadonlyArray<Signal> => {
  const signals = [...hostSignals]
  if (!host.isBrandsOwn) addContextSignals(url, host, hostSignals, signals)
  const domain = BrandInPath.findDomain(url.host, url.path)
  if (domain !== undefined) signals.push({ kind: "brandDomainInPath", shown: domain, host: url.host })
  if (host.isShortener && !ownPagesOnly.has(url.host)) signals.push({ kind: "shortener", host: url.host })
  const file =
    RiskyFile.parse(url.path) ?? (url.query === undefined ? undefined : RiskyFile.parseQuery(url.query))
  if (file !== undefined) signals.push(file)
  const folder = host.isBrandsOwn ? undefined : softwareFolder(url.path)
  if (folder !== undefined) signals.push({ kind: "pageAmongSoftware", folder })
  if (url.scheme !== "https") signals.push({ kind: "notHttps" })
  return signals
}

const ownPagesOnly = Hosts.namesWith("ownPages")

/**
 * A page among the files of WordPress, or in the folder for certificate validation: visitors have no pages there, but an
 * intruder can write there. Uploads and the two programs that sites call themselves do not count.
 */
const AMONG_SOFTWARE =
  /\/(wp-content|wp-includes|wp-admin|\.well-known)\/(?!(?:uploads\/|admin-(?:ajax|post)\.php))(?:[^?]*\/)?(?:[^/.?]+\.(?:php\d?|html?|aspx?)\/?)?$/

/** The rest of a path is padding. */
const MAX_READ_CHARS = 1024

/** `wp-includes` of `/wp-includes/pay.php`. */
const softwareFolder = (path: string): string | undefined =>
  path.includes("/wp-") || path.includes("/.well-known/")
    ? AMONG_SOFTWARE.exec(path.slice(0, MAX_READ_CHARS))?.[1]
    : undefined

/** Whether the host position holds a command for an app: `whatsapp://send`. */
const isCommand = ({ scheme, host }: CanonicalUrl): boolean =>
  !RawUrl.isWeb(scheme) && !host.includes(".") && !CanonicalHost.isIpAddress(host)

/** `paypal.com` of `http://paypal.com:login@...`, but not the user name `first.last`. */
const readsLikeHost = /^(?:[a-z0-9-]{1,63}\.){1,8}(?:com|net|org|gov|edu|info|biz|app|io|[a-z]{2})(?=[:/]|$)/i

/** `paypal.com` of `paypal.com/login`, whatever separates the two, and of `paypal.com.` */
const FIRST_HOST = /^(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,12}(?!\.?[a-z0-9-])/

/** The host that user info begins with, in the Latin letters that it resembles. */
const firstHost = (userInfo: string): string | undefined => {
  const text = Buffer.from(PercentEncoding.decode(userInfo), "latin1").toString()
  return FIRST_HOST.exec(Scripts.toLatin(text.slice(0, CanonicalHost.MAX_HOST_CHARS).toLowerCase()))?.[0]
}

const isLargeBrands = (domain: string): boolean =>
  BrandOwner.ownersOf(domain).some((brand) => brand.names.some((name) => BrandHomograph.isLarge(brand, name)))

const userInfoSignal = ({ userInfo, host }: CanonicalUrl): Signal | undefined => {
  if (userInfo === undefined || userInfo === "") return undefined
  const first = firstHost(userInfo)
  if (first !== undefined && isLargeBrands(first) && BrandOwner.isOtherBrands(first, host))
    return { kind: "brandInUserInfo", shown: first, host }
  const shown = readsLikeHost.exec(userInfo)?.[0]
  return shown === undefined ? { kind: "userInfo", host } : { kind: "deceptiveUserInfo", shown, host }
}

/**
 * Whether the only lure word of a host is one whole label before its domain: `support.example.cc`, `www.id.example.cc`. More
 * such labels, as of `login.secure.example.cc`, are padding.
 */
const isNamedForService = ({ name, subdomains }: Host.HostName): boolean => {
  const labels = subdomains.filter((label) => label !== "www")
  return labels.length === 1 && labels.every(LureWords.isLureWord) && LureWords.find(name).length === 0
}

const NOT_LETTERS = /[^a-z]+/

const isAbusedSuffix = ({ kind }: Signal): boolean => kind === "abusedSuffix"

/**
 * Adds what is evidence only on a suspicious host or on free hosting: lure words, a bank's confirmation codes beside its name
 * and a lure word, and a brand's name in the path. Free
 * hosting itself counts only beside another signal. A page for signing in on free hosting, without a brand, is what
 * developers make every day: there the words of host and path are one weak signal.
 */
const addContextSignals = (
  { host, path }: CanonicalUrl,
  { name, lures }: HostFacts,
  hostSignals: ReadonlyArray<Signal>,
  signals: Array<Signal>
): void => {
  const hostingFirm = name?.hostingFirm
  if (hostSignals.length === 0 && hostingFirm === undefined) return
  const brand = hostSignals.some((signal) => "brand" in signal) ? undefined : BrandInPath.find(path)
  const luresInPath = LureWords.find(path)
  const freeHosting = hostingFirm?.kind === "freeHosting" ? hostingFirm : undefined
  const isOrdinaryPage =
    freeHosting !== undefined &&
    brand === undefined &&
    hostSignals.every(({ kind }) => kind === "machineName")
  if (isOrdinaryPage) {
    const lure: Signal | undefined =
      lures.length > 0 && hostSignals.length === 0
        ? { kind: "lureInHost", words: lures }
        : luresInPath.length > 0
          ? { kind: "lureInPath", words: luresInPath }
          : undefined
    if (lure !== undefined) signals.push(lure)
    if (signals.length === 1 && lure?.kind !== "lureInHost")
      signals.push({ kind: "freeHosting", suffix: freeHosting.suffix })
    return
  }
  const hasLureInDomain = hostSignals.some(({ kind }) => kind === "lureInDomain")
  const isService = name !== undefined && isNamedForService(name) && hostSignals.every(isAbusedSuffix)
  if (lures.length > 0 && !hasLureInDomain && !isService) signals.push({ kind: "lureInHost", words: lures })
  if (luresInPath.length > 0) signals.push({ kind: "lureInPath", words: luresInPath })
  if (brand !== undefined) signals.push({ kind: "brandInPath", brand: HostSignals.named(brand) })
  const [bank] = hostSignals.flatMap((signal) =>
    "brand" in signal && signal.brand.isBank ? [signal.brand] : []
  )
  // Free hosting adds words to names that are taken: `paypal-clone-tan.vercel.app`.
  const codes =
    bank && name && !freeHosting ? name.chosen.split(NOT_LETTERS).filter(LureWords.isBankCode) : []
  if (bank && codes.length > 0 && [...lures, ...luresInPath].some((word) => !LureWords.isBankCode(word)))
    signals.push({ kind: "bankCodeLure", brand: bank, host, words: codes })
  if (freeHosting !== undefined && signals.length > 0)
    signals.push({ kind: "freeHosting", suffix: freeHosting.suffix })
}
