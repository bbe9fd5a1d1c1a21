import { Cause, Context, Effect, Either, Exit, Layer, Option, Schema, type Scope } from "effect"
import { AppConfig } from "./AppConfig.ts"
import * as UpstashPipeline from "./CacheDatabase/UpstashPipeline.ts"
import { type Command, DatabaseError, reasons } from "./CacheDatabase/UpstashRest.ts"
import * as CircuitBreaker from "./Outbound/CircuitBreaker.ts"
import { Metrics } from "./Telemetry/Metrics.ts"
import * as MonotonicTime from "./Time/MonotonicTime.ts"
import { Tracing } from "./Tracing.ts"

/** `in-process`: no database is configured. `unreachable`: an outage, in which this process works without the database. */
export type CacheStatus = "in-process" | "shared" | "unreachable"

/** A store may be readable when it is not writable (full, read-only token), never the other way round. */
type Access = "read" | "write"

interface CacheDatabaseShape {
  /**
   * The results of the commands, at least one, decoded. None: there is no database, or they failed, or were not sent because of
   * an outage; it is unknown whether commands that failed were executed. Takes no longer than `CACHE_TIMEOUT`.
   */
  readonly send: <A, I>(
    access: Access,
    results: Schema.Schema<A, I>,
    commands: ReadonlyArray<Command>
  ) => Effect.Effect<Option.Option<A>>
  /** Known from the last command: reading it sends none. */
  readonly status: Effect.Effect<CacheStatus>
}

/** The pauses are short, because callers may have the whole limit at each replica meanwhile. */
const BREAKER_RULES = { maxFailuresInARow: 3, minPauseMs: 1000, maxPauseMs: 30_000 }

const Ping = Schema.Tuple(Schema.NullOr(Schema.String))
const ping: ReadonlyArray<Command> = [["GET", "start"]]

/**
 * Sends commands by the pipeline, and none for a while after failures, by the rules of a circuit breaker. Logs the begin and the
 * end of each outage, which is the time in which the breaker is not closed.
 */
const make = (
  pipeline: UpstashPipeline.UpstashPipeline
): Effect.Effect<CacheDatabaseShape, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { counter } = yield* Metrics
    const commands = counter(
      "threat_scoring_cache_commands_total",
      "Commands of the cache and the rate limit sent to the cache database, without those of shared lists; missing without a database"
    )
    const skipped = counter(
      "threat_scoring_cache_skipped_total",
      "Commands not sent to the cache database in the pause after failures, so that this process counted or cached alone; missing without a database"
    )
    const failures = new Map(
      reasons.map((reason) => [
        reason,
        counter(
          "threat_scoring_cache_failures_total",
          "Commands of the cache and the rate limit that failed, by their reason; missing without a database",
          { reason }
        )
      ])
    )
    const { span } = yield* Tracing
    const clock = yield* Effect.clock
    const breaker = CircuitBreaker.make(BREAKER_RULES, () => MonotonicTime.millis(clock))
    let isOutage = false
    let isWriteFailing = false

    const report = (error?: DatabaseError) => {
      const wasOutage = isOutage
      isOutage = breaker.state() !== "closed"
      if (isOutage === wasOutage) return Effect.void
      return error === undefined
        ? Effect.annotateLogs(Effect.logInfo("Cache database is used again"), { service: "Cache" })
        : Effect.annotateLogs(
            Effect.logWarning("Cache database failed, counting and caching in this process meanwhile"),
            { service: "Cache", reason: error.message }
          )
    }

    const settle = <A>(exit: Exit.Exit<A, DatabaseError>, access: Access, call: CircuitBreaker.Call) => {
      if (Exit.isSuccess(exit)) {
        if (access === "write") isWriteFailing = false
        // A read says nothing about a database that rejects writes.
        breaker.end(call, isWriteFailing ? "interrupted" : "succeeded")
        return Effect.as(report(), Option.some(exit.value))
      }
      return Either.match(Cause.failureOrCause(exit.cause), {
        onLeft: (error) => {
          failures.get(error.reason)?.update(1)
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

    const execute = <A, I>(results: Schema.Schema<A, I>, sent: ReadonlyArray<Command>) =>
      pipeline.send(sent).pipe(
        Effect.flatMap(Schema.decodeUnknown(results)),
        Effect.catchTag("ParseError", () => new DatabaseError({ reason: "Malformed" }))
      )

    const send: CacheDatabaseShape["send"] = (access, results, sent) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const call = breaker.start()
          if (call === undefined) {
            skipped.update(1)
            return Effect.succeedNone
          }
          commands.update(1)
          const command = span(`cache ${access}`, { kind: "client" })(execute(results, sent))
          return Effect.flatMap(Effect.exit(restore(command)), (exit) => settle(exit, access, call))
        })
      )

    // Shows a wrong token or address at start, in the log and in `status`. The first command opens the connection and may
    // time out while the process starts; the others set the status.
    yield* Effect.forkScoped(
      Effect.zipRight(
        Effect.ignore(execute(Ping, ping)),
        Effect.repeat(send("read", Ping, ping), {
          while: Option.isNone,
          times: BREAKER_RULES.maxFailuresInARow - 1
        })
      )
    )

    return {
      send,
      status: Effect.sync(() => (isOutage ? "unreachable" : "shared"))
    }
  })

/** The database that the cache and the rate limiter share, with one connection pool and one circuit breaker. */
export class CacheDatabase extends Context.Tag("app/Layers/CacheDatabase")<
  CacheDatabase,
  CacheDatabaseShape
>() {
  /** No database: every process works alone. */
  static readonly none: Layer.Layer<CacheDatabase> = Layer.succeed(CacheDatabase, {
    send: () => Effect.succeedNone,
    status: Effect.succeed("in-process" as const)
  })

  /** The database that a pipeline sends to. */
  static readonly over = (pipeline: UpstashPipeline.UpstashPipeline): Layer.Layer<CacheDatabase> =>
    Layer.scoped(CacheDatabase, make(pipeline))

  /** The database at CACHE_REST_URL, if that is set. */
  static readonly layer: Layer.Layer<CacheDatabase, never, AppConfig> = Layer.unwrapScoped(
    Effect.map(AppConfig, ({ cache }) => cache).pipe(
      Effect.flatMap(Effect.transposeMapOption(UpstashPipeline.make)),
      Effect.map(Option.match({ onNone: () => CacheDatabase.none, onSome: CacheDatabase.over }))
    )
  )
}
