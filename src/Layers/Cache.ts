import { Context, Duration, Effect, Layer, Option, type Scope } from "effect"
import { AppConfig } from "./AppConfig.ts"
import type { CacheError } from "./Cache/CacheError.ts"
import * as CacheMetrics from "./Cache/CacheMetrics.ts"
import * as CircuitBreaker from "./Cache/CircuitBreaker.ts"
import * as MemoryCache from "./Cache/MemoryCache.ts"
import * as UpstashCache from "./Cache/UpstashCache.ts"
import { Tracing } from "./Telemetry/Tracing.ts"

export interface CacheEntry {
  readonly key: string
  readonly value: string
  /** Finite. An entry whose time is up is not kept. */
  readonly timeToLive: Duration.Duration
}

/** What a counter stands at after an increment. */
export interface Count {
  readonly current: number
  /** Until the counter starts again at zero. */
  readonly resetAfter: Duration.Duration
}

/** Which store answers at the moment, for health. Known from the last command, not by asking. */
export type CacheStatus = "in-process" | "shared" | "shared (unreachable, in-process meanwhile)"

/**
 * Short-lived values and counters, shared by all replicas when a cache database is configured.
 *
 * No operation fails: when the database is away, slow or talks nonsense, the in-process store answers instead and the
 * outage is logged once and shown by `status`. Every value expires.
 */
export interface CacheShape {
  /**
   * One element for each key, in order; None for what is not there. What this process wrote or read before is answered
   * in memory; the database is asked for the rest, in one command.
   */
  readonly getMany: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Option.Option<string>>>
  /** The same of what is answered in memory: at once, and not as an Effect, of which each step costs (bench/README.md). */
  readonly getHeld: (keys: ReadonlyArray<string>) => ReadonlyArray<Option.Option<string>>
  readonly setMany: (entries: ReadonlyArray<CacheEntry>) => Effect.Effect<void>
  /**
   * Adds one to a counter that starts with its first increment and ends `window` later (a fixed window).
   *
   * While the database is away, counting goes on from the last count that it gave; afterwards the database's count is
   * used again, which does not know what was counted meanwhile.
   */
  readonly increment: (key: string, window: Duration.Duration) => Effect.Effect<Count>
  readonly status: Effect.Effect<CacheStatus>
}

/** How long the database is left alone after a failure. The wire contract of the service fixes it. */
const REST_AFTER_FAILURE = Duration.seconds(5)

const logOutage = (error: CacheError) =>
  Effect.logWarning("Cache database left alone, counting and caching in this process meanwhile").pipe(
    Effect.annotateLogs({ service: "Cache", reason: error.message })
  )

const logRecovery = Effect.logInfo("Cache database is used again").pipe(
  Effect.annotateLogs({ service: "Cache" })
)

const inProcess = Effect.map(
  MemoryCache.make,
  (memory): CacheShape => ({ ...memory, status: Effect.succeed("in-process") })
)

const shared = (remote: UpstashCache.RemoteCache) =>
  Effect.gen(function* () {
    const memory = yield* MemoryCache.make
    const database = yield* CircuitBreaker.make({
      rest: REST_AFTER_FAILURE,
      onOutage: logOutage,
      onRecovery: logRecovery
    })
    const { counted } = yield* CacheMetrics.make
    const { span } = yield* Tracing
    const ask = <A>(command: Effect.Effect<A, CacheError>, access: CircuitBreaker.Access) =>
      database.call(span(`cache ${access}`, { kind: "client" })(counted(command)), access)

    /** Copies live as long as the originals: their age is counted from before the question was sent. */
    const fetch = (keys: ReadonlyArray<string>) =>
      ask(Effect.timed(remote.getMany(keys)), "read").pipe(
        Effect.map(Option.getOrElse(() => [Duration.zero, []] as const)),
        Effect.tap(([age, entries]) =>
          memory.setMany(
            entries.map(({ key, timeToLive, value }) => ({
              key,
              value,
              timeToLive: Duration.subtract(timeToLive, age)
            }))
          )
        ),
        Effect.map(([, entries]) => new Map(entries.map(({ key, value }) => [key, value])))
      )

    // A wrong token or address shows in the log and in `status` before anybody asks for something. Of two commands the
    // second counts: the first pays for the connection while the process is busy starting, and may well take too long.
    const greeting = remote.getMany(["start"])
    yield* Effect.forkScoped(Effect.zipRight(Effect.ignore(greeting), ask(greeting, "read")))

    return {
      getMany: (keys) =>
        Effect.flatMap(memory.getMany(keys), (held) => {
          const missing = keys.filter((_, index) => Option.isNone(held[index] ?? Option.none()))
          return missing.length === 0
            ? Effect.succeed(held)
            : Effect.map(fetch(missing), (fetched) =>
                keys.map((key, index) =>
                  Option.orElse(held[index] ?? Option.none(), () => Option.fromNullable(fetched.get(key)))
                )
              )
        }),
      getHeld: memory.getHeld,
      setMany: (entries) => {
        const living = entries.filter(({ timeToLive }) => Duration.greaterThan(timeToLive, Duration.zero))
        return Effect.zipRight(
          memory.setMany(living),
          living.length === 0 ? Effect.void : Effect.asVoid(ask(remote.setMany(living), "write"))
        )
      },
      increment: (key, window) =>
        Effect.flatMap(
          ask(remote.increment(key, window), "write"),
          Option.match({
            onNone: () => memory.increment(key, window),
            onSome: (count) => Effect.as(memory.setCount(key, count), count)
          })
        ),
      status: Effect.map(database.isOutage, (isOutage) =>
        isOutage ? "shared (unreachable, in-process meanwhile)" : "shared"
      )
    } satisfies CacheShape
  })

export class Cache extends Context.Tag("app/Layers/Cache")<Cache, CacheShape>() {
  static readonly layerMemory: Layer.Layer<Cache> = Layer.effect(Cache, inProcess)

  /** The database, with the in-process store before it for values and behind it for outages. */
  static readonly layerShared = (remote: Effect.Effect<UpstashCache.RemoteCache, never, Scope.Scope>) =>
    Layer.scoped(Cache, Effect.flatMap(remote, shared))

  /** In this process, unless a cache database is configured. */
  static readonly layer: Layer.Layer<Cache, never, AppConfig> = Layer.unwrapEffect(
    Effect.map(AppConfig, ({ cache }) =>
      Option.match(cache, {
        onNone: () => Cache.layerMemory,
        onSome: (database) => Cache.layerShared(UpstashCache.make(database))
      })
    )
  )
}
