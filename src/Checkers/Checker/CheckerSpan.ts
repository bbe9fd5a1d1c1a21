import { Effect, Either } from "effect"
import { Tracing } from "../../Layers/Telemetry/Tracing.ts"
import type { Answer, Checker, CheckerError } from "../Checker.ts"

const outcome = Either.match({
  onLeft: ({ reason }: CheckerError) => reason,
  onRight: ({ stale }: Answer) => (stale ? "stale" : "ok")
})

/**
 * The checkers, each of whose checks is a span when traces are wanted. Its outcome is `ok`, `stale` or the reason of the
 * `CheckerError`; one that ran out of time is told as interrupted. Only a bug is an error of the span: a checker that is not
 * configured is none.
 */
export const traced = (checkers: ReadonlyArray<Checker>) =>
  Effect.map(Tracing, ({ isOn, span }): ReadonlyArray<Checker> => {
    if (!isOn) return checkers
    return checkers.map((checker) => ({
      ...checker,
      check: (subject) =>
        // Suspended, or what computes at once would do it, and throw, before the span begins.
        Effect.either(Effect.suspend(() => checker.check(subject))).pipe(
          Effect.tap((result) => Effect.annotateCurrentSpan("checker.outcome", outcome(result))),
          span(`check ${checker.id}`, { attributes: { checker: checker.id } }),
          Effect.flatten
        )
    }))
  })
