import { Clock, Duration, Effect, Option, Ref } from "effect"
import * as BackgroundLoop from "../../Layers/Time/BackgroundLoop.ts"

/** A list, or a set of lists, that a background loop refreshes. */
export interface Refreshable<Outcome, R> {
  /** For the log. */
  readonly name: string
  /** Refreshes once after so many failures in a row. Never fails; changes nothing. */
  readonly refresh: (failures: number) => Effect.Effect<Outcome, never, R>
  /** Uses and saves an outcome. */
  readonly settle: (outcome: Outcome) => Effect.Effect<void>
  /** For the status: when the next refresh begins, in milliseconds since 1970. None while a refresh runs. */
  readonly setNextAttemptAt: (nextAttemptAt: Option.Option<number>) => Effect.Effect<void>
}

/** Refreshes whenever it is due until the scope closes, without sharing the list. `Fleet.fork` is the other way. */
export const fork = Effect.fnUntraced(function* <
  Outcome extends { readonly failures: number; readonly wait: Duration.Duration },
  R
>({ name, refresh, settle, setNextAttemptAt }: Refreshable<Outcome, R>, untilFirst: Duration.Duration) {
  const next = yield* Ref.make({ failures: 0, wait: untilFirst })
  return yield* BackgroundLoop.fork(
    name,
    Effect.gen(function* () {
      const { failures, wait } = yield* Ref.get(next)
      yield* setNextAttemptAt(Option.some((yield* Clock.currentTimeMillis) + Duration.toMillis(wait)))
      yield* Effect.sleep(wait)
      yield* setNextAttemptAt(Option.none())
      const outcome = yield* refresh(failures)
      yield* Ref.set(next, { failures: outcome.failures, wait: outcome.wait })
      yield* settle(outcome)
    })
  )
})
