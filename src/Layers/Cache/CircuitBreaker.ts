import { Cause, Duration, Effect, Either, type Exit, Option } from "effect"
import * as MonotonicTime from "../MonotonicTime.ts"

/** A store may still be read when it can no longer be written (full, read-only token), never the other way round. */
export type Access = "read" | "write"

/**
 * Leaves something remote alone for a while after it failed (https://martinfowler.com/bliki/CircuitBreaker.html), so
 * that callers do not wait for it one after the other.
 *
 * An outage begins with the first failure, and ends with a success at what had failed: being able to read does not end
 * an outage that a write began.
 */
export interface CircuitBreaker<E> {
  /** None: not asked at the moment, or asked and failed. The caller must do without. */
  readonly call: <A>(command: Effect.Effect<A, E>, access: Access) => Effect.Effect<Option.Option<A>>
  readonly isOutage: Effect.Effect<boolean>
}

export const make = <E>(options: {
  /** How long no call is made after a failure. The first call after it is the probe; until that ends no other is made. */
  readonly pause: Duration.Duration
  readonly onOutage: (error: E) => Effect.Effect<void>
  readonly onRecovery: Effect.Effect<void>
}): Effect.Effect<CircuitBreaker<E>> =>
  Effect.sync(() => {
    let restingUntil: number | undefined
    let isProbing = false
    let outage: Access | undefined

    const now = Effect.clockWith((clock) => Effect.succeed(MonotonicTime.millis(clock)))

    const succeeded = <A>(value: A, access: Access, isProbe: boolean) => {
      if (isProbe) restingUntil = undefined
      // an answer to a call made before the failure says nothing about the time after it
      const isOver = restingUntil === undefined && (outage === "read" || outage === access)
      if (isOver) outage = undefined
      return Effect.as(isOver ? options.onRecovery : Effect.void, Option.some(value))
    }

    const failed = (error: E, access: Access) =>
      Effect.flatMap(now, (now) => {
        const isFirst = outage === undefined
        restingUntil = now + Duration.toMillis(options.pause)
        if (outage !== "write") outage = access
        return Effect.as(isFirst ? options.onOutage(error) : Effect.void, Option.none())
      })

    const settle = <A>(exit: Exit.Exit<A, E>, access: Access, isProbe: boolean) => {
      if (isProbe) isProbing = false
      if (exit._tag === "Success") return succeeded(exit.value, access, isProbe)
      return Either.match(Cause.failureOrCause(exit.cause), {
        onLeft: (error) => failed(error, access),
        // interrupted: that says nothing, and the next call is the probe
        onRight: Effect.failCause
      })
    }

    return {
      call: (command, access) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(now, (now) => {
            if (isProbing || (restingUntil !== undefined && now < restingUntil)) return Effect.succeedNone
            const isProbe = restingUntil !== undefined
            isProbing = isProbe
            return Effect.flatMap(Effect.exit(restore(command)), (exit) => settle(exit, access, isProbe))
          })
        ),
      isOutage: Effect.sync(() => outage !== undefined)
    }
  })
