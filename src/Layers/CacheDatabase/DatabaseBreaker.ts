import { Cause, Duration, Effect, Either, type Exit, Option } from "effect"
import * as CircuitBreaker from "../CircuitBreaker.ts"
import * as MonotonicTime from "../Time/MonotonicTime.ts"
import type { DatabaseError } from "./UpstashRest.ts"

/** A store may be readable when it is not writable (full, read-only token), never the other way round. */
export type Access = "read" | "write"

/** Why a command was not sent: the breaker is open, or `MAX_WAITING` commands wait for a slow database. */
export const skipReasons = ["Open", "Waiting"] as const
export type SkipReason = (typeof skipReasons)[number]

/** Commands that wait at once while the database is slow: after a timeout, for SLOW_MS. */
const MAX_WAITING = 64
const SLOW_MS = Duration.toMillis(Duration.seconds(10))

/**
 * Sends commands to the cache database, and none for a while after failures, by the rules of a circuit breaker. Logs each
 * outage and each recovery once.
 *
 * An outage begins when the breaker opens. An outage of reads ends with any success while it is closed, an outage of writes
 * only with a write. The failure of a command that was sent before an outage does not begin another one after it.
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
  readonly onSkip: (reason: SkipReason) => void
}): Effect.Effect<DatabaseBreaker> =>
  Effect.map(Effect.clock, (clock) => {
    const now = () => MonotonicTime.millis(clock)
    const breaker = CircuitBreaker.make(options.rules, now)
    const logged = Effect.annotateLogs("service", options.service)
    let outage: Access | undefined
    let recoveries = 0
    let waiting = 0
    let slowUntil = 0

    const succeeded = (access: Access) => {
      const isOver = breaker.state() === "closed" && (outage === "read" || outage === access)
      if (!isOver) return Effect.void
      outage = undefined
      return logged(Effect.logInfo("Cache database is used again"))
    }

    const failed = ({ message, reason }: DatabaseError, access: Access) => {
      if (reason === "Timeout") slowUntil = now() + SLOW_MS
      if (breaker.state() === "closed") return Effect.void
      const isFirst = outage === undefined
      if (outage !== "write") outage = access
      return isFirst
        ? Effect.annotateLogs(
            logged(Effect.logWarning(`Cache database failed, ${options.meanwhile} meanwhile`)),
            "reason",
            message
          )
        : Effect.void
    }

    /** `recoveriesBefore` the command was sent. */
    const settle = <A>(
      exit: Exit.Exit<A, DatabaseError>,
      access: Access,
      call: CircuitBreaker.Call,
      recoveriesBefore: number
    ) => {
      waiting--
      if (exit._tag === "Success") {
        if (call === "probe") recoveries++
        breaker.end(call, "succeeded")
        return Effect.as(succeeded(access), Option.some(exit.value))
      }
      return Either.match(Cause.failureOrCause(exit.cause), {
        onLeft: (error) => {
          breaker.end(call, recoveriesBefore < recoveries ? "interrupted" : { retryAfterMs: 0 })
          return Effect.as(failed(error, access), Option.none())
        },
        onRight: (cause) => {
          breaker.end(call, "interrupted")
          return Effect.failCause(cause)
        }
      })
    }

    const skip = (reason: SkipReason) => {
      options.onSkip(reason)
      return Effect.succeedNone
    }

    return {
      call: (command, access) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.suspend(() => {
            if (waiting >= MAX_WAITING && now() < slowUntil) return skip("Waiting")
            const call = breaker.start()
            if (call === undefined) return skip("Open")
            waiting++
            const before = recoveries
            return Effect.flatMap(Effect.exit(restore(command)), (exit) => settle(exit, access, call, before))
          })
        ),
      isOutage: Effect.sync(() => outage !== undefined)
    }
  })
