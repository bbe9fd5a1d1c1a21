import { Context, Effect, Either, Exit, Layer } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import { PopularSites, type PopularSitesShape } from "../Lists/PopularSites.ts"
import type { CanonicalUrl } from "../Url/CanonicalUrl.ts"
import type { Submission } from "../Url/Submission.ts"
import { about, type Checker, type Finding, findingOf } from "./Checker.ts"
import { ConfiguredModel } from "./Heuristics/ConfiguredModel.ts"
import * as Hosting from "./Heuristics/Host/Hosting.ts"
import * as Curve from "./Heuristics/Model/Curve.ts"
import * as ModelReason from "./Heuristics/Model/ModelReason.ts"
import * as ModelValue from "./Heuristics/Model/ModelValue.ts"
import type { Model } from "./Heuristics/Model.ts"
import * as Signals from "./Heuristics/Signals.ts"
import * as UrlFacts from "./Heuristics/UrlFacts.ts"
import { ownScore, type Signal } from "./Kinds.ts"

/**
 * The checker that looks only at the URL itself: no DNS, no network, no list but that of popular sites. It always answers, also
 * for a string that is not a URL.
 */
export class Heuristics extends Context.Tag("app/Checkers/Heuristics")<Heuristics, Checker>() {
  static readonly layer = Layer.effect(
    Heuristics,
    Effect.gen(function* () {
      const { checkerTimeout } = yield* AppConfig
      const model = yield* ConfiguredModel
      const { isSite } = yield* PopularSites
      return {
        id: "heuristics" as const,
        budget: checkerTimeout,
        check: (submission: Submission) =>
          Exit.succeed({ findings: findings(model, submission, isSite), stale: false })
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
 */
export const findings = (
  model: Model,
  { addresses, submitted, unreadDestination, url }: Submission,
  isSite = notPopular
): ReadonlyArray<Finding> => {
  if (Either.isLeft(url)) return Signals.signalsOfInvalid(url.left, submitted).map(toFinding)
  // Most URLs contain no other address. Copying each finding is expensive: do not.
  if (addresses.length === 1 && unreadDestination === undefined) return findingsOf(model, url.right, isSite)
  const found: Array<Finding> = []
  let plainHttp: Finding | undefined
  for (const [addressIndex, address] of addresses.entries()) {
    if (address.isWrapper) {
      if (address.relation === "submitted" && address.url.scheme === "http")
        plainHttp ??= toFinding({ kind: "notHttps" })
      continue
    }
    for (const finding of findingsOf(model, address.url, isSite))
      if (address.relation === "carried") {
        if (finding.points >= MIN_CARRIED_SCORE)
          found.push(
            about(address, { ...finding, addressIndex, points: Math.min(finding.points, MAX_CARRIED_SCORE) })
          )
      } else if (finding.kind === "notHttps") plainHttp ??= { ...finding, addressIndex }
      else found.push(about(address, { ...finding, addressIndex }))
  }
  if (unreadDestination !== undefined)
    found.push(toFinding({ kind: "unreadDestination", unread: unreadDestination }))
  return plainHttp === undefined ? found : [...found, plainHttp]
}

/** A domain that is only a brand's name is not phishing by the model alone. */
const MAX_SCORE_OF_NAME_ALONE = 69

/** In log-odds: the name of a popular site says next to nothing. Chosen by hand: the highest values are below 9. */
const POPULAR_LOG_ODDS = -9

/** Findings that only explain are shown beside this score. */
const MIN_EXPLAINED_SCORE = 20

/** The findings about one URL. What only explains is left out, without its sentence, if there is nothing to explain. */
export const findingsOf = (model: Model, url: CanonicalUrl, isSite = notPopular): ReadonlyArray<Finding> => {
  const facts = UrlFacts.factsOf(url)
  const isPopular = isSite(url.host) || Hosting.isInfrastructure(url.host)
  const signals = Signals.signalsOf(facts, isPopular)
  const points = modelPoints(model, facts, isPopular)
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

/** The score of the model's finding; 0 without one. */
const modelPoints = (model: Model, facts: UrlFacts.UrlFacts, isPopular: boolean): number => {
  const value = ModelValue.modelValue(model, facts)
  if (value === undefined) return 0
  const score = Curve.scoreOf(model.curve, isPopular ? value + POPULAR_LOG_ODDS : value)
  return score > MAX_SCORE_OF_NAME_ALONE && ModelValue.isBrandsNameAlone(facts)
    ? MAX_SCORE_OF_NAME_ALONE
    : score
}

const toFinding = (signal: Signal): Finding => ({ checker: "heuristics", ...findingOf(signal) })
