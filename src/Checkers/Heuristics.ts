import { Context, Effect, Layer } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import type { Checker, Subject } from "./Checker.ts"
import { reason } from "./Heuristics/Reasons.ts"
import * as Signals from "./Heuristics/Signals.ts"
import type { Finding } from "./Verdict.ts"

/** All that the checker does, for whoever needs no Effect: one finding for each signal of the URL. */
export const findings = (url: Subject["url"]): ReadonlyArray<Finding> =>
  Signals.extract(url).map((signal) => ({ kind: signal.kind, reason: reason(signal) }))

/**
 * What the URL itself gives away: no DNS, no network, no list that changes. It always answers, also about a string that
 * is no URL.
 */
export class Heuristics extends Context.Tag("app/Checkers/Heuristics")<Heuristics, Checker>() {
  static readonly layer = Layer.effect(
    Heuristics,
    Effect.map(AppConfig, (config) => ({
      id: "heuristics" as const,
      neverWaits: true as const,
      budget: config.checkerTimeout,
      check: ({ url }) => Effect.sync(() => ({ findings: findings(url), stale: false }))
    }))
  )
}
