/**
 * What can be seen in a URL without asking anybody. Extraction only: what a signal is worth stands in the table of
 * contributions, what is said about it in `Reasons`.
 */

import { Either } from "effect"
import * as CanonicalHost from "../CanonicalUrl/CanonicalHost.ts"
import * as RawUrl from "../CanonicalUrl/RawUrl.ts"
import type { CanonicalUrl, InvalidUrl } from "../CanonicalUrl.ts"
import * as BrandInPath from "./BrandInPath.ts"
import * as BrandOwner from "./BrandOwner.ts"
import * as HostName from "./HostName.ts"
import * as HostSignals from "./HostSignals.ts"
import * as LureWords from "./LureWords.ts"
import * as PathSignals from "./PathSignals.ts"
import * as ShapeSignals from "./ShapeSignals.ts"
import type { Signal } from "./Signal.ts"

/** Every signal of a URL, each kind at most once; none for an ordinary HTTPS URL. `notHttps` stands last. */
export const extract = (url: Either.Either<CanonicalUrl, InvalidUrl>): ReadonlyArray<Signal> =>
  Either.match(url, { onLeft: ofInvalid, onRight: ofCanonical })

/** Schemes whose address is itself a program or a page. */
const scriptSchemes: ReadonlySet<string> = new Set(["javascript", "data", "vbscript"])

const ofInvalid = ({ reason, scheme }: InvalidUrl): ReadonlyArray<Signal> =>
  reason === "OpaqueScheme"
    ? [{ kind: scriptSchemes.has(scheme) ? "scriptScheme" : "otherScheme", scheme }, { kind: "notHttps" }]
    : [{ kind: "malformed", problem: reason }]

const ofCanonical = (url: CanonicalUrl): ReadonlyArray<Signal> => {
  const name = CanonicalHost.isIpAddress(url.host) ? undefined : HostName.parse(url.host)
  const isOwn = name !== undefined && BrandOwner.belongsToBrand(name)
  const striking = [
    ...(isOwn || isCommand(url) ? [] : HostSignals.ofHost(url.host, name)),
    ...ofUserInfo(url)
  ]
  return [
    ...striking,
    ...(isOwn ? [] : inCompany(url, name, striking)),
    ...ShapeSignals.ofUrl(url),
    ...(isOwn ? [] : PathSignals.ofUrl(url)),
    ...ofScheme(url.scheme)
  ]
}

/** What stands where a host would, as in `whatsapp://send`, but tells a program of the visitor's what to do. */
const isCommand = ({ scheme, host }: CanonicalUrl): boolean =>
  !RawUrl.isWeb(scheme) && !host.includes(".") && !CanonicalHost.isIpAddress(host)

const ofScheme = (scheme: string): ReadonlyArray<Signal> => {
  if (scheme === "https") return []
  return scheme === "http" ? [{ kind: "notHttps" }] : [{ kind: "otherScheme", scheme }, { kind: "notHttps" }]
}

/** `paypal.com` of `http://paypal.com:login@...`, but not the user name `first.last`. */
const readsLikeHost = /^(?:[a-z0-9-]{1,63}\.){1,8}(?:com|net|org|gov|edu|info|biz|app|io|[a-z]{2})(?=[:/]|$)/i

const ofUserInfo = ({ userInfo, host }: CanonicalUrl): ReadonlyArray<Signal> => {
  if (userInfo === undefined || userInfo === "") return []
  const shown = readsLikeHost.exec(userInfo)?.[0]
  return [shown === undefined ? { kind: "userInfo", host } : { kind: "deceptiveUserInfo", shown, host }]
}

/**
 * What is ordinary on an ordinary host and evidence on one that is striking by itself, or where anybody can publish:
 * words of credential lures, a brand's name in the path. Free hosting in turn counts only beside something else.
 */
const inCompany = (
  { path }: CanonicalUrl,
  name: HostName.HostName | undefined,
  striking: ReadonlyArray<Signal>
): ReadonlyArray<Signal> => {
  const publisher = name?.publisher
  if (striking.length === 0 && publisher === undefined) {
    const planted =
      name === undefined || BrandOwner.belongsToBrand(name) ? undefined : BrandInPath.planted(path)
    return planted === undefined ? [] : [{ kind: "brandInPath", ...planted }]
  }
  const signals: Array<Signal> = []
  const isNamedAfterLures = striking.some(({ kind }) => kind === "lureInDomain")
  const inHost = name === undefined || isNamedAfterLures ? [] : LureWords.find(name.chosen)
  if (inHost.length > 0) signals.push({ kind: "lureInHost", words: inHost })
  const inPath = LureWords.find(path)
  if (inPath.length > 0) signals.push({ kind: "lureInPath", words: inPath })
  const brand = striking.some((signal) => "brand" in signal) ? undefined : BrandInPath.find(path)
  if (brand !== undefined) signals.push({ kind: "brandInPath", ...brand })
  if (publisher?.kind === "freeHosting" && striking.length + signals.length > 0)
    signals.push({ kind: "freeHosting", suffix: publisher.suffix })
  return signals
}
