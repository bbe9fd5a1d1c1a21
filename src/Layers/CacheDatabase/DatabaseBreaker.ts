import { Cause, Effect, Either, type Exit, Option } from "effect"
import * as CircuitBreaker from "../CircuitBreaker.ts"
import * as MonotonicTime from "../Time/MonotonicTime.ts"
import type { DatabaseError } from "./UpstashRest.ts"

/** A store may be readable when it is not writable (full, read-only token), never the other way round. */
export type Access = "read" | "write"

/**
 * Sends commands to the cache database, and none for a while after failures, by the rules of a circuit breaker. Logs the begin
 * and the end of each outage, which is the time in which the breaker is not closed.
 */
interface DatabaseBreaker {
  /** None: no command was sent, or it failed. */
  readonly call: <A>(
    command: Effect.Effect<A, DatabaseError>,
    access: Access
  ) => Effect.Effect<Option.Option<A>>
  readonly isOutage: Effect.Effect<boolean>
}

export const make = (options: {
  readonly service: string
  /** Ends the sentence "Cache database failed, ... meanwhile". */
  readonly meanwhile: string
  readonly rules: CircuitBreaker.Rules
  /** Called for a command that is not sent. */
  readonly onSkip: () => void
}): Effect.Effect<DatabaseBreaker> =>
  Effect.map(Effect.clock, (clock) => {
    const breaker = CircuitBreaker.make(options.rules, () => MonotonicTime.millis(clock))
    const logged = Effect.annotateLogs("service", options.service)
    let isOutage = false
    let isWriteFailing = false

    const report = (error?: DatabaseError) => {
      const wasOutage = isOutage
      isOutage = breaker.state() !== "closed"
      if (isOutage === wasOutage) return Effect.void
      return error === undefined
        ? logged(Effect.logInfo("Cache database is used again"))
        : Effect.annotateLogs(
            logged(Effect.logWarning(`Cache database failed, ${options.meanwhile} meanwhile`)),
            "reason",
            error.message
          )
    }

    const settle = <A>(exit: Exit.Exit<A, DatabaseError>, access: Access, call: CircuitBreaker.Call) => {
      if (exit._tag === "Success") {
        if (access === "write") isWriteFailing = false
        // A read says nothing about a database that rejects writes.
        breaker.end(call, isWriteFailing ? "interrupted" : "succeeded")
        return Effect.as(report(), Option.some(exit.value))
      }
      return Either.match(Cause.failureOrCause(exit.cause), {
        onLeft: (error) => {
          if (access === "write") isWriteFailing = true
          breaker.end(call, { retryAfterMs: 0 })
          return Effect.as(report(error), Option.none())
        },
        onRight: (cause) => {
          breaker.end(call, "interrupted")
          return Effect.failCause(cause)
        }
      })
    }

    return {
      call: (command, access) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.suspend(() => {
            const call = breaker.start()
            if (call !== undefined)
              return Effect.flatMap(Effect.exit(restore(command)), (exit) => settle(exit, access, call))
            options.onSkip()
            return Effect.succeedNone
          })
        ),
      isOutage: Effect.sync(() => isOutage)
    }
  })
