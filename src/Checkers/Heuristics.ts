import { Context, Effect, Either, Exit, Layer } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import * as AddressText from "../Url/AddressText.ts"
import type { CanonicalUrl } from "../Url/CanonicalUrl.ts"
import type { Address, Submission } from "../Url/Submission.ts"
import type { Checker, Finding } from "./Checker.ts"
import { ConfiguredModel } from "./Heuristics/ConfiguredModel.ts"
import * as ModelLevel from "./Heuristics/Model/ModelLevel.ts"
import * as ModelReason from "./Heuristics/Model/ModelReason.ts"
import type { Model } from "./Heuristics/Model.ts"
import * as Signals from "./Heuristics/Signals.ts"
import * as UrlFacts from "./Heuristics/UrlFacts.ts"
import { isWeakAlone, policyOf, type Signal, sentenceOf } from "./Kinds.ts"

/**
 * The checker that looks only at the URL itself: no DNS, no network, no list that changes. It always answers, also for a
 * string that is not a URL.
 */
export class Heuristics extends Context.Tag("app/Checkers/Heuristics")<Heuristics, Checker>() {
  static readonly layer = Layer.effect(
    Heuristics,
    Effect.zipWith(AppConfig, ConfiguredModel, (config, model) => ({
      id: "heuristics" as const,
      budget: config.checkerTimeout,
      check: (submission) => Exit.succeed({ findings: findings(model, submission), stale: false })
    }))
  )
}

/**
 * The findings about a submission. In place of a wrapper the address that it leads to is judged; an address that a URL merely
 * carries is not. Plain HTTP, of the submitted URL or of an address that is judged, is one finding, the last.
 */
export const findings = (
  model: Model,
  { addresses, submitted, unreadDestination, url }: Submission
): ReadonlyArray<Finding> => {
  if (Either.isLeft(url)) return Signals.signalsOfInvalid(url.left, submitted).map(toFinding)
  // Most URLs contain no other address. Copying each finding to add `about` is expensive: do not.
  if (addresses.length === 1 && unreadDestination === undefined) return findingsOf(model, url.right)
  const found: Array<Finding> = []
  let plainHttp: Finding | undefined
  for (const [addressIndex, address] of addresses.entries()) {
    for (const finding of findingsAbout(model, address)) {
      if (finding.kind === "notHttps") plainHttp ??= { ...finding, addressIndex }
      else found.push({ ...finding, addressIndex, reason: AddressText.inReason(address, finding.reason) })
    }
  }
  if (unreadDestination !== undefined)
    found.push(toFinding({ kind: "unreadDestination", unread: unreadDestination }))
  return plainHttp === undefined ? found : [...found, plainHttp]
}

const findingsAbout = (model: Model, { relation, isWrapper, url }: Address): ReadonlyArray<Finding> => {
  if (relation === "carried") return []
  if (!isWrapper) return findingsOf(model, url)
  return relation === "submitted" && url.scheme === "http" ? [toFinding({ kind: "notHttps" })] : []
}

/** The findings of the signals and of the model about one URL; plain HTTP is last. A weak signal alone is left out. */
export const findingsOf = (model: Model, url: CanonicalUrl): ReadonlyArray<Finding> => {
  const facts = UrlFacts.factsOf(url)
  const isPrivate = facts.hostSignals.some(({ kind }) => kind === "privateHost")
  const signals = isPrivate ? facts.signals.filter(({ kind }) => policyOf(kind).onPrivateHost) : facts.signals
  const level = ModelLevel.levelOf(model, facts)
  if (level !== undefined) {
    const index = signals.at(-1)?.kind === "notHttps" ? -1 : signals.length
    const pieces = ModelReason.heaviestPieces(model, facts)
    return signals.toSpliced(index, 0, { kind: level, pieces }).map(toFinding)
  }
  return isWeakAlone(signals) ? [] : signals.map(toFinding)
}

const toFinding = (signal: Signal): Finding => ({
  checker: "heuristics",
  kind: signal.kind,
  reason: sentenceOf(signal)
})
