import { Effect, Either } from "effect"
import { Tracing } from "../../Layers/Telemetry/Tracing.ts"
import type { Check, Checker, CheckerBatch, CheckerError, CheckerResult } from "../Checker.ts"

const outcome = Either.match({
  onLeft: ({ reason }: CheckerError) => reason,
  onRight: ({ stale }: CheckerResult) => (stale ? "stale" : "ok")
})

/**
 * The checkers, with a span around each check if tracing is on. Its `checker.outcome` is `ok`, `stale` or the reason of the
 * `CheckerError`; a check that exceeds its budget is marked as interrupted. Only a defect is an error of the span.
 *
 * Of a batch, each check has such a span, without what `add` computes, and each `send` one.
 */
export const traced = (checkers: ReadonlyArray<Checker>) =>
  Effect.map(Tracing, ({ isOn, span }): ReadonlyArray<Checker> => {
    if (!isOn) return checkers
    return checkers.map(({ batch, check, ...checker }) => {
      const attributes = { checker: checker.id }
      const tracedCheck = (check: Check): Check =>
        Effect.either(check).pipe(
          Effect.tap((result) => Effect.annotateCurrentSpan("checker.outcome", outcome(result))),
          span(`check ${checker.id}`, { attributes }),
          Effect.flatten
        )
      const tracedBatch = ({ add, send }: CheckerBatch): CheckerBatch => ({
        add: (submission) => tracedCheck(add(submission)),
        send: span(`send ${checker.id}`, { attributes })(send)
      })
      return {
        ...checker,
        // Suspended, so that what `check` computes at once, or throws, is inside the span.
        check: (submission) => tracedCheck(Effect.suspend(() => check(submission))),
        ...(batch === undefined ? {} : { batch: () => tracedBatch(batch()) })
      }
    })
  })
