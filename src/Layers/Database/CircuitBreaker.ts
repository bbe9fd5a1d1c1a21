import { Cause, Duration, Effect, Either, type Exit, Option } from "effect"
import * as MonotonicTime from "../MonotonicTime.ts"

/** A store may be readable when it is not writable (full, read-only token), never the other way round. */
export type Access = "read" | "write"

/**
 * Makes no call for a while after a failure, so that callers do not each wait for a timeout
 * (https://martinfowler.com/bliki/CircuitBreaker.html).
 *
 * An outage begins with the first failure. An outage of reads ends with any success, an outage of writes only with a write.
 */
interface CircuitBreaker<E> {
  /** None: no call was made, or it failed. */
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
    let pausedUntil: number | undefined
    let isProbing = false
    let outage: Access | undefined

    const now = Effect.clockWith((clock) => Effect.succeed(MonotonicTime.millis(clock)))

    const succeeded = <A>(value: A, access: Access, isProbe: boolean) => {
      if (isProbe) pausedUntil = undefined
      // The response to a call made before the failure does not end the outage.
      const isOver = pausedUntil === undefined && (outage === "read" || outage === access)
      if (isOver) outage = undefined
      return Effect.as(isOver ? options.onRecovery : Effect.void, Option.some(value))
    }

    const failed = (error: E, access: Access) =>
      Effect.flatMap(now, (now) => {
        const isFirst = outage === undefined
        pausedUntil = now + Duration.toMillis(options.pause)
        if (outage !== "write") outage = access
        return Effect.as(isFirst ? options.onOutage(error) : Effect.void, Option.none())
      })

    const settle = <A>(exit: Exit.Exit<A, E>, access: Access, isProbe: boolean) => {
      if (isProbe) isProbing = false
      if (exit._tag === "Success") return succeeded(exit.value, access, isProbe)
      return Either.match(Cause.failureOrCause(exit.cause), {
        onLeft: (error) => failed(error, access),
        // Interrupted: neither success nor failure. The next call is the probe.
        onRight: Effect.failCause
      })
    }

    return {
      call: (command, access) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(now, (now) => {
            if (isProbing || (pausedUntil !== undefined && now < pausedUntil)) return Effect.succeedNone
            const isProbe = pausedUntil !== undefined
            isProbing = isProbe
            return Effect.flatMap(Effect.exit(restore(command)), (exit) => settle(exit, access, isProbe))
          })
        ),
      isOutage: Effect.sync(() => outage !== undefined)
    }
  })
