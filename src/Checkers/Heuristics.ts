import { Context, Effect, Either, Exit, Layer } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import type { CanonicalUrl, InvalidUrl } from "./CanonicalUrl.ts"
import type { Checker } from "./Checker.ts"
import * as ModelFile from "./Heuristics/Model/ModelFile.ts"
import * as ModelLevel from "./Heuristics/Model/ModelLevel.ts"
import * as ModelReason from "./Heuristics/Model/ModelReason.ts"
import type { Model } from "./Heuristics/Model.ts"
import { reason } from "./Heuristics/Reasons.ts"
import type { Signal } from "./Heuristics/Signals/Signal.ts"
import * as Signals from "./Heuristics/Signals.ts"
import * as Subject from "./Heuristics/UrlFacts.ts"
import type { Finding, FindingKind } from "./Verdict.ts"

/**
 * What the URL itself gives away: no DNS, no network, no list that changes. It always answers, also about a string that
 * is no URL.
 */
export class Heuristics extends Context.Tag("app/Checkers/Heuristics")<Heuristics, Checker>() {
  /** Fails where the weights that stand beside the program cannot be used: see `ModelFileError`. */
  static readonly layer = Layer.effect(
    Heuristics,
    Effect.zipWith(AppConfig, ModelFile.load(ModelFile.shipped), (config, model) => ({
      id: "heuristics" as const,
      budget: config.checkerTimeout,
      check: ({ url }) => Exit.succeed({ findings: findings(model, url), stale: false })
    }))
  )
}

/**
 * The signals of a URL, and what the model makes of them and of its text. Plain HTTP stands last; a hint that stands alone is
 * none.
 */
export const findings = (
  model: Model,
  url: Either.Either<CanonicalUrl, InvalidUrl>
): ReadonlyArray<Finding> => {
  if (Either.isLeft(url)) return Signals.ofInvalid(url.left).map(told)
  const subject = Subject.of(url.right)
  const isPrivate = subject.hostSignals.some(({ kind }) => kind === "privateHost")
  const found = (isPrivate ? subject.signals.filter(isOfPrivateHost) : subject.signals).map(told)
  const level = ModelLevel.of(model, subject)
  if (level === undefined) return found.length === 1 && found.every(isHint) ? [] : found
  const at = subject.signals.at(-1)?.kind === "notHttps" ? -1 : found.length
  return found.toSpliced(at, 0, { kind: level, reason: ModelReason.reason(model, subject) })
}

/**
 * Alone on an HTTPS URL each of these is commoner on ordinary pages than on reported ones of our development data (archives
 * 288 to 0, nested URLs 119 to 3, ports 41 to 11): worth a word in company only.
 */
const hints: ReadonlySet<FindingKind> = new Set([
  "archivePath",
  "executablePath",
  "internationalHost",
  "longUrl",
  "nestedUrl",
  "unusualPort"
])

/**
 * What still counts on a host of the visitor's own network. Names, ports and pages there are its owner's choice, and
 * routers ask for passwords, too.
 */
const ofPrivateHosts: ReadonlySet<FindingKind> = new Set([
  "privateHost",
  "deceptiveUserInfo",
  "userInfo",
  "otherScheme",
  "notHttps"
])

const isOfPrivateHost = ({ kind }: Signal): boolean => ofPrivateHosts.has(kind)

const isHint = ({ kind }: Finding): boolean => hints.has(kind)

const told = (signal: Signal): Finding => ({ kind: signal.kind, reason: reason(signal) })
