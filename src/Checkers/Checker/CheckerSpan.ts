import { Effect, Either } from "effect"
import { Tracing } from "../../Layers/Telemetry/Tracing.ts"
import type { Checker, CheckerError, CheckerResult } from "../Checker.ts"

const outcome = Either.match({
  onLeft: ({ reason }: CheckerError) => reason,
  onRight: ({ stale }: CheckerResult) => (stale ? "stale" : "ok")
})

/**
 * The checkers, with a span around each check if tracing is on. Its `checker.outcome` is `ok`, `stale` or the reason of the
 * `CheckerError`; a check that exceeds its budget is marked as interrupted. Only a defect is an error of the span.
 */
export const traced = (checkers: ReadonlyArray<Checker>) =>
  Effect.map(Tracing, ({ isOn, span }): ReadonlyArray<Checker> => {
    if (!isOn) return checkers
    return checkers.map((checker) => ({
      ...checker,
      check: (submission) =>
        // Suspended, so that what `check` computes at once, or throws, is inside the span.
        Effect.either(Effect.suspend(() => checker.check(submission))).pipe(
          Effect.tap((result) => Effect.annotateCurrentSpan("checker.outcome", outcome(result))),
          span(`check ${checker.id}`, { attributes: { checker: checker.id } }),
          Effect.flatten
        )
    }))
  })
