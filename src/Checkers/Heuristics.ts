import { Context, Effect, Either, Exit, Layer, Option } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import { NewDomains, type NewDomainsShape } from "../Lists/NewDomains.ts"
import { PopularSites, type PopularSitesShape } from "../Lists/PopularSites.ts"
import type { CanonicalUrl } from "../Url/CanonicalUrl.ts"
import type { Submission } from "../Url/Submission.ts"
import { about, type Checker, type Finding } from "./Checker.ts"
import { ConfiguredModel } from "./Heuristics/ConfiguredModel.ts"
import * as Curve from "./Heuristics/Model/Curve.ts"
import * as ModelReason from "./Heuristics/Model/ModelReason.ts"
import * as ModelValue from "./Heuristics/Model/ModelValue.ts"
import type { Model } from "./Heuristics/Model.ts"
import * as Signals from "./Heuristics/Signals.ts"
import * as UrlFacts from "./Heuristics/UrlFacts.ts"
import { type Found, findingOf, ownScore } from "./Kinds.ts"

/**
 * The checker that looks only at the URL itself: no DNS, no network, no lists but those of popular sites and new domains. It
 * always answers, also for a string that is not a URL.
 */
export class Heuristics extends Context.Tag("app/Checkers/Heuristics")<Heuristics, Checker>() {
  static readonly layer = Layer.effect(
    Heuristics,
    Effect.gen(function* () {
      const { checkerTimeout } = yield* AppConfig
      const model = yield* ConfiguredModel
      const { isSite } = yield* PopularSites
      const newDomains = Option.getOrUndefined(yield* NewDomains)
      return {
        id: "heuristics" as const,
        budget: checkerTimeout,
        check: (submission: Submission) =>
          Exit.succeed({
            findings: findings(model, submission, isSite, newDomains),
            stale: newDomains?.isMissing(submission.receivedAt) ?? false
          })
      }
    })
  )
}

const notPopular: PopularSitesShape["isSite"] = () => false

/** An open redirect on an honest site is not that site's fault. */
const MAX_CARRIED_SCORE = 65

/** What is said of a carried address: what decides or weighs as much as a suspicious score. */
const MIN_CARRIED_SCORE = 40

/**
 * The findings about a submission. In place of a wrapper the address that it leads to is judged. An address that a URL merely
 * carries counts less. Plain HTTP, of the submitted URL or of an address that it leads to, is one finding, the last.
 * `newDomains` is absent if no list of them is configured.
 */
export const findings = (
  model: Model,
  { addresses, receivedAt, submitted, unreadDestination, url }: Submission,
  isSite = notPopular,
  newDomains?: Pick<NewDomainsShape, "days" | "isNew">
): ReadonlyArray<Finding> => {
  const unread =
    unreadDestination === undefined
      ? []
      : [toFinding({ kind: "unreadDestination", unread: unreadDestination })]
  if (Either.isLeft(url)) return [...Signals.signalsOfInvalid(url.left, submitted).map(toFinding), ...unread]
  const newDomain = newDomains === undefined ? undefined : newDomainFinder(newDomains, receivedAt)
  // Most URLs contain no other address. Copying each finding is expensive: do not.
  if (addresses.length === 1 && unreadDestination === undefined)
    return findingsOf(model, url.right, isSite, newDomain)
  const found: Array<Finding> = []
  let plainHttp: Finding | undefined
  for (const [addressIndex, address] of addresses.entries()) {
    if (address.isWrapper) {
      if (address.relation === "submitted" && address.url.scheme === "http")
        plainHttp ??= toFinding({ kind: "notHttps" })
      continue
    }
    for (const finding of findingsOf(model, address.url, isSite, newDomain))
      if (address.relation === "carried") {
        if (finding.points >= MIN_CARRIED_SCORE)
          found.push(
            about(address, { ...finding, addressIndex, points: Math.min(finding.points, MAX_CARRIED_SCORE) })
          )
      } else if (finding.kind === "notHttps") plainHttp ??= { ...finding, addressIndex }
      else found.push(about(address, { ...finding, addressIndex }))
  }
  found.push(...unread)
  return plainHttp === undefined ? found : [...found, plainHttp]
}

/** Looks a registrable domain up in the list of new domains; undefined if it is not there. */
type FindNewDomain = (registrable: string) => Found | undefined

const newDomainFinder =
  ({ days, isNew }: Pick<NewDomainsShape, "days" | "isNew">, now: number): FindNewDomain =>
  (domain) =>
    isNew(domain, now) ? { kind: "newDomain", domain, ...(days !== undefined && { days }) } : undefined

/** A domain that is only a brand's name is not phishing by the model alone. */
const MAX_SCORE_OF_NAME_ALONE = 69

/** In log-odds: the name of a popular site says next to nothing. Chosen by hand: the highest values are below 9. */
const POPULAR_LOG_ODDS = -9

/** In log-odds: clubs, shops and other firms have brands in their names. Chosen by hand, by invented names of honest ones. */
const THIRD_PARTY_LOG_ODDS = -5

/**
 * In log-odds: of reported phishing on domains of its own a fifth to a half is on domains younger than 30 days, of the links that
 * people check a few in a hundred.
 */
const NEW_DOMAIN_LOG_ODDS = 2.5

/** The score of a URL that only the age of its domain raises. */
const MAX_SCORE_OF_AGE_ALONE = 39

/** Findings that only explain are shown beside this score. */
const MIN_EXPLAINED_SCORE = 20

/** The findings about one URL. What only explains is left out, without its sentence, if there is nothing to explain. */
export const findingsOf = (
  model: Model,
  url: CanonicalUrl,
  isSite = notPopular,
  newDomain?: FindNewDomain
): ReadonlyArray<Finding> => {
  const facts = UrlFacts.factsOf(url)
  const isPopular = isSite(url.host) || facts.host.isInfrastructure
  const age = isPopular || newDomain === undefined ? undefined : ageOf(facts, isSite, newDomain)
  const known = Signals.signalsOf(facts, isPopular)
  const signals = age === undefined ? known : [...known, age]
  const points = modelPoints(model, facts, isPopular, age !== undefined)
  const isExplained =
    points >= MIN_EXPLAINED_SCORE || signals.some(({ kind }) => ownScore(kind) >= MIN_EXPLAINED_SCORE)
  const shown = isExplained ? signals : signals.filter(({ kind }) => ownScore(kind) > 0)
  const found = shown.map(toFinding)
  if (points > 0) {
    const pieces = ModelReason.heaviestPieces(model, facts)
    found.push({ ...toFinding({ kind: "model", pieces }), points })
  }
  return found
}

/**
 * Nothing about a shared host, whose pages are younger or older than its domain, about a brand's own, and about a subdomain of a
 * popular site, whose domain is not new.
 */
const ageOf = (
  { host: { isBrandsOwn, isShared, name } }: UrlFacts.UrlFacts,
  isSite: PopularSitesShape["isSite"],
  newDomain: FindNewDomain
): Found | undefined => {
  if (isShared || isBrandsOwn || name === undefined || name.hostingFirm !== undefined) return undefined
  const age = newDomain(name.registrable)
  return age !== undefined && isSite(name.registrable) ? undefined : age
}

/** The score of the model's finding; 0 without one. */
const modelPoints = (model: Model, facts: UrlFacts.UrlFacts, isPopular: boolean, isNew: boolean): number => {
  const raw = ModelValue.modelValue(model, facts)
  if (raw === undefined) return 0
  // Of all other URLs the words of the name need not be read.
  const isSuspect = Curve.scoreOf(model.curve, raw) > 0
  const value = isSuspect && ModelValue.isThirdParty(facts) ? raw + THIRD_PARTY_LOG_ODDS : raw
  const score = scoreOf(model.curve, value, isPopular, isNew)
  return score > MAX_SCORE_OF_NAME_ALONE && ModelValue.isBrandsNameAlone(facts)
    ? MAX_SCORE_OF_NAME_ALONE
    : score
}

/** The score of the log-odds of the model and of what is known beside it. */
const scoreOf = (curve: Curve.Curve, value: number, isPopular: boolean, isNew: boolean): number => {
  if (!isNew) return Curve.scoreOf(curve, isPopular ? value + POPULAR_LOG_ODDS : value)
  const score = Curve.scoreOf(curve, value + NEW_DOMAIN_LOG_ODDS)
  return Curve.scoreOf(curve, value) === 0 ? Math.min(score, MAX_SCORE_OF_AGE_ALONE) : score
}

const toFinding = (signal: Found): Finding => {
  // Copying all properties of an object takes longer than naming them.
  const { details, kind, points, reason } = findingOf(signal)
  return { checker: "heuristics", kind, points, reason, details }
}
