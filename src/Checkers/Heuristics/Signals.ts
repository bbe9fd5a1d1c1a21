/**
 * What can be seen in a URL without asking anybody. Extraction only: what a signal is worth stands in the table of
 * contributions, what is said about it in `Reasons`.
 */

import { Either } from "effect"
import * as CanonicalHost from "../CanonicalUrl/CanonicalHost.ts"
import * as RawUrl from "../CanonicalUrl/RawUrl.ts"
import type { CanonicalUrl, InvalidUrl } from "../CanonicalUrl.ts"
import * as BrandInPath from "./Brand/BrandInPath.ts"
import * as UrlHost from "./Host.ts"
import * as LureWords from "./LureWords.ts"
import * as HostSignals from "./Signals/HostSignals.ts"
import * as PathSignals from "./Signals/PathSignals.ts"
import * as ShapeSignals from "./Signals/ShapeSignals.ts"
import type { Signal } from "./Signals/Signal.ts"

/** Every signal of a URL, each kind at most once; none for an ordinary HTTPS URL. `notHttps` stands last. */
export const extract = (url: Either.Either<CanonicalUrl, InvalidUrl>): ReadonlyArray<Signal> =>
  Either.match(url, {
    onLeft: ofInvalid,
    onRight: (url) => {
      const host = UrlHost.of(url.host)
      return ofUrl(url, host, ofHost(url, host))
    }
  })

/** Schemes whose address is itself a program or a page. */
const scriptSchemes: ReadonlySet<string> = new Set(["javascript", "data", "vbscript"])

export const ofInvalid = ({ reason, scheme }: InvalidUrl): ReadonlyArray<Signal> =>
  reason === "OpaqueScheme"
    ? [{ kind: scriptSchemes.has(scheme) ? "scriptScheme" : "otherScheme", scheme }, { kind: "notHttps" }]
    : [{ kind: "malformed", problem: reason }]

/** Of the host and what stands before it. */
export const ofHost = (url: CanonicalUrl, host: UrlHost.UrlHost): ReadonlyArray<Signal> => {
  const signals = host.isBrandsOwn || isCommand(url) ? [] : HostSignals.of(host)
  const userInfo = ofUserInfo(url)
  return userInfo === undefined ? signals : [...signals, userInfo]
}

/** All of a URL; `striking` are those of its host, by `ofHost`. */
export const ofUrl = (
  url: CanonicalUrl,
  host: UrlHost.UrlHost,
  striking: ReadonlyArray<Signal>
): ReadonlyArray<Signal> => {
  const signals = [...striking]
  if (!host.isBrandsOwn) addInCompany(url, host, striking, signals)
  ShapeSignals.addOfUrl(url, host, signals)
  if (!host.isBrandsOwn) PathSignals.addOfUrl(url, signals)
  if (url.scheme === "https") return signals
  if (url.scheme !== "http") signals.push({ kind: "otherScheme", scheme: url.scheme })
  signals.push({ kind: "notHttps" })
  return signals
}

/** What stands where a host would, as in `whatsapp://send`, but tells a program of the visitor's what to do. */
const isCommand = ({ scheme, host }: CanonicalUrl): boolean =>
  !RawUrl.isWeb(scheme) && !host.includes(".") && !CanonicalHost.isIpAddress(host)

/** `paypal.com` of `http://paypal.com:login@...`, but not the user name `first.last`. */
const readsLikeHost = /^(?:[a-z0-9-]{1,63}\.){1,8}(?:com|net|org|gov|edu|info|biz|app|io|[a-z]{2})(?=[:/]|$)/i

const ofUserInfo = ({ userInfo, host }: CanonicalUrl): Signal | undefined => {
  if (userInfo === undefined || userInfo === "") return undefined
  const shown = readsLikeHost.exec(userInfo)?.[0]
  return shown === undefined ? { kind: "userInfo", host } : { kind: "deceptiveUserInfo", shown, host }
}

/**
 * What is ordinary on an ordinary host and evidence on one that is striking by itself, or where anybody can publish:
 * words of credential lures, a brand's name in the path. Free hosting in turn counts only beside something else.
 */
const addInCompany = (
  { path }: CanonicalUrl,
  { name, lures }: UrlHost.UrlHost,
  striking: ReadonlyArray<Signal>,
  signals: Array<Signal>
): void => {
  const publisher = name?.publisher
  if (striking.length === 0 && publisher === undefined) {
    const planted = name === undefined ? undefined : BrandInPath.planted(path)
    if (planted !== undefined) signals.push({ kind: "brandInPath", ...planted })
    return
  }
  const isNamedAfterLures = striking.some(({ kind }) => kind === "lureInDomain")
  if (lures.length > 0 && !isNamedAfterLures) signals.push({ kind: "lureInHost", words: lures })
  const inPath = LureWords.find(path)
  if (inPath.length > 0) signals.push({ kind: "lureInPath", words: inPath })
  const brand = striking.some((signal) => "brand" in signal) ? undefined : BrandInPath.find(path)
  if (brand !== undefined) signals.push({ kind: "brandInPath", ...brand })
  if (publisher?.kind === "freeHosting" && signals.length > 0)
    signals.push({ kind: "freeHosting", suffix: publisher.suffix })
}
