/** Turns the model's raw values into a level. */

import * as Idna from "../../../Url/CanonicalUrl/Idna.ts"
import * as RawUrl from "../../../Url/CanonicalUrl/RawUrl.ts"
import { policyOf } from "../../Kinds.ts"
import * as BrandMatch from "../Brand/BrandMatch.ts"
import * as BrandTypo from "../Brand/BrandTypo.ts"
import * as Scripts from "../Host/Scripts.ts"
import * as LureWords from "../LureWords.ts"
import * as Model from "../Model.ts"
import * as UrlFacts from "../UrlFacts.ts"

/** From weak to strong. */
export type ModelLevel = "modelSuspicious" | "modelLikely" | "modelPhishing"

/**
 * The level of a URL, or nothing. An attacker can choose path and query on any host, so
 *
 * - the query can only lower the level: a URL that is not suspicious without its query is not suspicious with it;
 * - a URL is `modelPhishing` only if the bare host is at least `modelLikely`: a page on a hacked honest site seldom is;
 * - a page for signing in has no higher level than its bare host on free hosting, where developers make such pages every day,
 *   and on a subdomain, where firms have theirs (`/login` on `accounts.example.com`);
 * - a URL on a host that is `modelPhishing` by itself is at least `modelSuspicious`, whatever its path.
 *
 * A domain that is only a brand's name under another suffix, with or without hyphens, or one or two edits from it, is
 * `modelLikely` at most, whatever its path: many are the brand's own, a namesake's or an honest coincidence.
 *
 * There is no level for a brand's own host, a private host, and schemes other than `http` and `https`.
 */
export const levelOf = (model: Model.Model, facts: UrlFacts.UrlFacts): ModelLevel | undefined => {
  if (!isForModel(facts)) return undefined
  const { suspicious, likely, phishing } = model.thresholds
  const { path, query } = facts.url
  const host = Model.readHost(model, facts.url, facts.host)
  let value = Model.rawValueOnHost(model, host, facts.url, facts.signals)
  const isBare = path === "/" && query === undefined
  let ofBareHost = isBare ? value : undefined
  const bareValue = (): number => (ofBareHost ??= rawValueWithoutQuery(model, facts, host, "/"))
  if (value >= suspicious && query !== undefined)
    value = Math.min(value, path === "/" ? bareValue() : rawValueWithoutQuery(model, facts, host, path))
  if (value >= suspicious && isOrdinarySignIn(facts)) value = Math.min(value, bareValue())
  if (value < suspicious)
    return !isBare && host.logit >= MIN_HOST_LOGIT && bareValue() >= phishing ? "modelSuspicious" : undefined
  if (value < likely) return "modelSuspicious"
  return value >= phishing && !isBrandsNameAlone(facts) && bareValue() >= likely
    ? "modelPhishing"
    : "modelLikely"
}

/**
 * Whether a domain is a brand's name or one or two edits from it, and the host has no other signal: `netflix.example`,
 * `sncf-connect.example` and `netfilx.example`; not `netfilx-login.example`, `login.netfilx.example` and `netflix.top`. An
 * everyday name (`chase.example`) is not a signal by itself.
 */
const isBrandsNameAlone = ({ host: { name }, hostSignals }: UrlFacts.UrlFacts): boolean => {
  if (name === undefined || name.hostingFirm !== undefined) return false
  if (LureWords.find(name.subdomains.join(".")).length > 0) return false
  const [signal, ...others] = hostSignals.filter(({ kind }) => kind !== "internationalHost")
  if (others.length > 0 || (signal !== undefined && !policyOf(signal.kind).mayBeNamesake)) return false
  const label = Scripts.toLatin(Idna.toUnicode(name.name))
  if (BrandMatch.findByName(label.replaceAll("-", "")) !== undefined) return true
  const match = signal === undefined ? undefined : BrandMatch.findInWord(label)
  if (match === undefined || match.rest !== "" || match.hasOtherLetters) return false
  return BrandMatch.findBySpelling(label) !== undefined || BrandTypo.isWithinTwoEdits(label, match.name)
}

/**
 * Hosts below this are not evaluated a second time as bare hosts: in the development data that saves half the time for 95
 * of 100 ordinary hosts, and misses fewer than one in 100 of the phishing ones.
 */
const MIN_HOST_LOGIT = 0.5

/** `/login`, `/saml_login/other`, `/user/sign-in.php` */
const SIGN_IN = /[/_.-](?:log|sign)-?[io]n(?:[/_.-][^/]*)?$/i

/** At the end of a path. The pattern's time grows with the square of the length. */
const MAX_SIGN_IN_CHARS = 256

const isOrdinarySignIn = ({ url: { path }, host: { name } }: UrlFacts.UrlFacts): boolean => {
  if (path === "/" || name === undefined) return false
  return name.hostingFirm?.kind === "freeHosting"
    ? path.split("/").every((segment) => segment === "" || LureWords.isLureWord(segment.toLowerCase()))
    : name.hostingFirm === undefined &&
        name.subdomains.length > 0 &&
        SIGN_IN.test(path.slice(-MAX_SIGN_IN_CHARS))
}

/** The raw value of a URL on the same host with this path and no query. */
const rawValueWithoutQuery = (
  model: Model.Model,
  facts: UrlFacts.UrlFacts,
  host: Model.ModelHost,
  path: string
): number => {
  const url = { ...facts.url, path, query: undefined }
  return Model.rawValueOnHost(model, host, url, UrlFacts.signalsWithPath(facts, url))
}

const isForModel = ({ url, host, signals }: UrlFacts.UrlFacts): boolean =>
  RawUrl.isWeb(url.scheme) &&
  (host.isAddress || (host.name !== undefined && !host.isBrandsOwn)) &&
  !signals.some(({ kind }) => kind === "privateHost")
