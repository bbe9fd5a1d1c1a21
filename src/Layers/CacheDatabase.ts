import { Context, Effect, Layer, Option, Schema, type Scope } from "effect"
import { AppConfig } from "./AppConfig.ts"
import * as DatabaseBreaker from "./CacheDatabase/DatabaseBreaker.ts"
import * as UpstashPipeline from "./CacheDatabase/UpstashPipeline.ts"
import { type Command, DatabaseError, reasons } from "./CacheDatabase/UpstashRest.ts"
import { Metrics } from "./Telemetry/Metrics.ts"
import { Tracing } from "./Telemetry/Tracing.ts"

/** `in-process`: no database is configured. `unreachable`: an outage, in which this process works without the database. */
export type CacheStatus = "in-process" | "shared" | "unreachable"

interface CacheDatabaseShape {
  /**
   * The results of the commands, at least one, decoded. None: there is no database, or they failed, or were not sent because of
   * an outage; it is unknown whether commands that failed were executed. Takes no longer than `CACHE_TIMEOUT`.
   */
  readonly send: <A, I>(
    access: DatabaseBreaker.Access,
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

/** Counts the commands, why they failed, and those that were not sent. */
const metrics = Effect.map(Metrics, ({ counter }) => {
  const commands = counter(
    "threat_scoring_cache_commands_total",
    "Commands of the cache and the rate limit sent to the cache database, without those of shared lists; missing without a database"
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
  const skipped = counter(
    "threat_scoring_cache_skipped_total",
    "Commands not sent to the cache database in the pause after failures, so that this process counted or cached alone; missing without a database"
  )
  return {
    onSkip: () => skipped.update(1),
    counted: <A>(command: Effect.Effect<A, DatabaseError>): Effect.Effect<A, DatabaseError> =>
      Effect.suspend(() => {
        commands.update(1)
        return Effect.tapError(command, ({ reason }) => Effect.sync(() => failures.get(reason)?.update(1)))
      })
  }
})

/** Sends commands by the pipeline unless there is an outage, and a first one to find out whether the database works. */
const make = (
  pipeline: UpstashPipeline.UpstashPipeline
): Effect.Effect<CacheDatabaseShape, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { counted, onSkip } = yield* metrics
    const { span } = yield* Tracing
    const breaker = yield* DatabaseBreaker.make({
      service: "Cache",
      meanwhile: "counting and caching in this process",
      rules: BREAKER_RULES,
      onSkip
    })
    const execute = <A, I>(results: Schema.Schema<A, I>, commands: ReadonlyArray<Command>) =>
      pipeline.send(commands).pipe(
        Effect.flatMap(Schema.decodeUnknown(results)),
        Effect.catchTag("ParseError", () => new DatabaseError({ reason: "Malformed" }))
      )
    const send: CacheDatabaseShape["send"] = (access, results, commands) =>
      breaker.call(span(`cache ${access}`, { kind: "client" })(counted(execute(results, commands))), access)

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
      status: Effect.map(breaker.isOutage, (isOutage) => (isOutage ? "unreachable" : "shared"))
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
