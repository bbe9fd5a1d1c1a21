import { Effect } from "effect"
import { Metrics } from "../../../Layers/Telemetry/Metrics.ts"
import { reasons, type SearchError } from "./SearchError.ts"

/** `ok`, or why the search has no answer. */
export type SearchOutcome = "ok" | SearchError["reason"]

/** Counts searches by their outcome. One that is shared by several checks counts once, unless it is not sent. */
export const searches = Effect.map(Metrics, ({ counter }) => {
  const counters = new Map(
    (["ok", ...reasons] as const).map((outcome) => [
      outcome,
      counter("threat_scoring_reputation_searches_total", "Searches of the reputation service", { outcome })
    ])
  )
  return (outcome: SearchOutcome): void => void counters.get(outcome)?.update(1)
})

/** An effect that updates the gauge of the circuit breaker. */
export const breaker = (status: Effect.Effect<{ readonly breaker: string }>) =>
  Effect.map(Metrics, ({ gauge }) => {
    const open = gauge(
      "threat_scoring_reputation_breaker_open",
      "1 while the reputation service fails and receives probes only"
    )
    return Effect.map(status, ({ breaker }) => open.update(breaker === "closed" ? 0 : 1))
  })
