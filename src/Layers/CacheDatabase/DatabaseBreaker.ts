import { Cause, Duration, Effect, Either, type Exit, Option } from "effect"
import * as CircuitBreaker from "../CircuitBreaker.ts"
import * as MonotonicTime from "../Time/MonotonicTime.ts"
import type { DatabaseError } from "./UpstashRest.ts"

/** A store may be readable when it is not writable (full, read-only token), never the other way round. */
export type Access = "read" | "write"

/** Why a command was not sent: the breaker is open, or `MAX_WAITING` commands wait for a slow database. */
export const skipReasons = ["Open", "Waiting"] as const
export type SkipReason = (typeof skipReasons)[number]

/** A command that was sent. */
interface Sent {
  readonly access: Access
  readonly isProbe: boolean
}

/** Commands that wait at once while the database is slow: after a timeout, for SLOW_MS. */
const MAX_WAITING = 64
const SLOW_MS = Duration.toMillis(Duration.seconds(10))

/**
 * Sends commands to the cache database, and none for a while after failures, by the rules of a circuit breaker. Logs each
 * outage and each recovery once.
 *
 * An outage begins when the breaker opens. An outage of reads ends with any success while it is closed, an outage of writes
 * only with a write.
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
  Effect.sync(() => {
    const { rules, service } = options
    let breaker = CircuitBreaker.initial
    let outage: Access | undefined
    let waiting = 0
    let slowUntil = 0

    const succeeded = <A>(value: A, { access, isProbe }: Sent, at: number) => {
      breaker = CircuitBreaker.next(rules, breaker, { _tag: "Succeeded", isProbe }, at)
      const isOver = breaker._tag === "Closed" && (outage === "read" || outage === access)
      if (isOver) outage = undefined
      const recovery = Effect.annotateLogs(Effect.logInfo("Cache database is used again"), { service })
      return Effect.as(isOver ? recovery : Effect.void, Option.some(value))
    }

    const failed = ({ message, reason }: DatabaseError, { access, isProbe }: Sent, at: number) => {
      if (reason === "Timeout") slowUntil = at + SLOW_MS
      breaker = CircuitBreaker.next(rules, breaker, { _tag: "Failed", isProbe, retryAfterMs: 0 }, at)
      if (breaker._tag === "Closed") return Effect.succeedNone
      const isFirst = outage === undefined
      if (outage !== "write") outage = access
      const warning = Effect.annotateLogs(
        Effect.logWarning(`Cache database failed, ${options.meanwhile} meanwhile`),
        { service, reason: message }
      )
      return Effect.as(isFirst ? warning : Effect.void, Option.none())
    }

    const settle = <A>(exit: Exit.Exit<A, DatabaseError>, sent: Sent) =>
      Effect.flatMap(MonotonicTime.now, (at) => {
        waiting--
        if (exit._tag === "Success") return succeeded(exit.value, sent, at)
        return Either.match(Cause.failureOrCause(exit.cause), {
          onLeft: (error) => failed(error, sent, at),
          onRight: (cause) => {
            breaker = CircuitBreaker.next(rules, breaker, { _tag: "Ended", isProbe: sent.isProbe }, at)
            return Effect.failCause(cause)
          }
        })
      })

    const skip = (reason: SkipReason) => {
      options.onSkip(reason)
      return Effect.succeedNone
    }

    return {
      call: (command, access) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(MonotonicTime.now, (at) => {
            const permission = CircuitBreaker.permission(breaker, at)
            if (permission === "None") return skip("Open")
            if (waiting >= MAX_WAITING && at < slowUntil) return skip("Waiting")
            const isProbe = permission === "Probe"
            if (isProbe) breaker = CircuitBreaker.next(rules, breaker, { _tag: "ProbeStarted" }, at)
            waiting++
            return Effect.flatMap(Effect.exit(restore(command)), (exit) => settle(exit, { access, isProbe }))
          })
        ),
      isOutage: Effect.sync(() => outage !== undefined)
    }
  })
