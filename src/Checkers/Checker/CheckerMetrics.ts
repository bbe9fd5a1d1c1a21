import { Effect } from "effect"
import { Metrics } from "../../Layers/Telemetry/Metrics.ts"
import type { Outcome } from "../Checker.ts"
import { CheckerId, CheckerStatus } from "./CheckerStatus.ts"

/** Seconds: a look-up in memory takes microseconds, a remote call up to the default budget of two seconds. */
const BOUNDS = [0.000_01, 0.000_05, 0.000_1, 0.000_5, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5]

const MILLIS_PER_SECOND = 1000

/** Counts outcomes by checker and status, and measures their time. */
export const make = Effect.map(Metrics, ({ counter, histogram }) => {
  const seriesOf = (checker: CheckerId) => ({
    seconds: histogram("threat_scoring_checker_duration_seconds", "Time that a checker took", BOUNDS, {
      checker
    }),
    hits: counter("threat_scoring_checker_hits_total", "Outcomes of a checker that found something", {
      checker
    }),
    outcomes: new Map(
      CheckerStatus.literals.map((status) => [
        status,
        counter("threat_scoring_checker_outcomes_total", "Outcomes of a checker", { checker, status })
      ])
    )
  })
  const series = new Map(CheckerId.literals.map((checker) => [checker, seriesOf(checker)]))
  return ({ checker, status, elapsed, findings }: Outcome): void => {
    const of = series.get(checker)
    of?.seconds.update(elapsed / MILLIS_PER_SECOND)
    of?.outcomes.get(status)?.update(1)
    if (findings.length > 0) of?.hits.update(1)
  }
})
