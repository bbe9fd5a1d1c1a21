import { Effect, Either } from "effect"
import { Metrics } from "../../Layers/Telemetry/Metrics.ts"
import { Tracing } from "../../Layers/Tracing.ts"
import type { Submission } from "../../Url/Submission.ts"
import type { Check, CheckerError, CheckerResult, Outcome } from "../Checker.ts"
import { type CheckerId, checkerIds, checkerStatuses } from "./CheckerNames.ts"

/** Seconds: a look-up in memory takes microseconds, a remote call up to the default budget of two seconds. */
const BOUNDS = [0.000_01, 0.000_05, 0.000_1, 0.000_5, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5]

const MILLIS_PER_SECOND = 1000

const outcome = Either.match({
  onLeft: ({ reason }: CheckerError) => reason,
  onRight: ({ stale }: CheckerResult) => (stale ? "stale" : "ok")
})

/** By the metrics and the tracing of the program: with the defaults of these nothing is read. */
export const make = Effect.gen(function* () {
  const { counter, histogram } = yield* Metrics
  const { isOn, span } = yield* Tracing

  const seriesOf = (checker: CheckerId) => ({
    seconds: histogram("threat_scoring_checker_duration_seconds", "Time of a checker", BOUNDS, {
      checker
    }),
    hits: counter("threat_scoring_checker_hits_total", "Outcomes of a checker with at least one finding", {
      checker
    }),
    outcomes: new Map(
      checkerStatuses.map((status) => [
        status,
        counter(
          "threat_scoring_checker_outcomes_total",
          "Outcomes of a checker, by the statuses of Checker-Status",
          { checker, status }
        )
      ])
    )
  })
  const series = new Map(checkerIds.map((checker) => [checker, seriesOf(checker)]))
  const slowChecks = counter("threat_scoring_slow_checks_total", "Checks that computed for more than 50 ms")

  return {
    /** Counts an outcome by checker and status, and measures its time. */
    observe: ({ checker, status, elapsed, findings }: Outcome): void => {
      const of = series.get(checker)
      of?.seconds.update(elapsed / MILLIS_PER_SECOND)
      of?.outcomes.get(status)?.update(1)
      if (findings.length > 0) of?.hits.update(1)
    },
    /** Counts and logs a check that computed for long, without anything of its text. By the clock: also while the process was paused. */
    slow: ({ addresses, submitted }: Submission, millis: number): Effect.Effect<void> =>
      Effect.suspend(() => {
        slowChecks.update(1)
        return Effect.annotateLogs(Effect.logInfo("A check computed for more than 50 ms"), {
          millis,
          characters: submitted.length,
          addresses: addresses.length
        })
      }),
    /**
     * The check, inside a span if tracing is on. Its `checker.outcome` is `ok`, `stale` or the reason of the `CheckerError`. Only
     * a defect is an error of the span.
     */
    check: (checker: CheckerId, start: () => Check): Check =>
      isOn
        ? // Suspended, so that what `start` computes at once, or throws, is inside the span.
          Effect.either(Effect.suspend(start)).pipe(
            Effect.tap((result) => Effect.annotateCurrentSpan("checker.outcome", outcome(result))),
            span(`check ${checker}`, { attributes: { checker } }),
            Effect.flatten
          )
        : start(),
    /** The asking of a third party, inside a span if tracing is on. */
    ask: <A>(checker: CheckerId, asking: Effect.Effect<A>): Effect.Effect<A> =>
      span(`ask ${checker}`, { attributes: { checker } })(asking)
  }
})

export type CheckerTelemetry = Effect.Effect.Success<typeof make>
