import { Context, Effect, Layer } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import type { Checker } from "./Checker.ts"
import { reason } from "./Heuristics/Reasons.ts"
import * as Signals from "./Heuristics/Signals.ts"

/**
 * What the URL itself gives away: no DNS, no network, no list that changes. It always answers, also about a string that
 * is no URL.
 */
export class Heuristics extends Context.Tag("app/Checkers/Heuristics")<Heuristics, Checker>() {
  static readonly layer = Layer.effect(
    Heuristics,
    Effect.map(AppConfig, (config) => ({
      id: "heuristics" as const,
      budget: config.checkerTimeout,
      check: ({ url }) =>
        Effect.sync(() => ({
          findings: Signals.extract(url).map((signal) => ({ kind: signal.kind, reason: reason(signal) })),
          stale: false
        }))
    }))
  )
}
