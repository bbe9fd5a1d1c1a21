import { Duration, Effect, Layer, Option, type Scope } from "effect"
import { Cache, type CacheShape } from "../Cache.ts"
import type { CacheError } from "../Database/CacheError.ts"
import type * as CircuitBreaker from "../Database/CircuitBreaker.ts"
import * as DatabaseBreaker from "../Database/DatabaseBreaker.ts"
import { Tracing } from "../Telemetry/Tracing.ts"
import * as CacheMetrics from "./CacheMetrics.ts"
import * as MemoryCache from "./MemoryCache.ts"
import type { RemoteCache } from "./RemoteCache.ts"

const make = (remote: RemoteCache) =>
  Effect.gen(function* () {
    const memory = yield* MemoryCache.make
    const breaker = yield* DatabaseBreaker.make("Cache", "counting and caching in this process")
    const { counted } = yield* CacheMetrics.make
    const { span } = yield* Tracing
    const send = <A>(command: Effect.Effect<A, CacheError>, access: CircuitBreaker.Access) =>
      breaker.call(span(`cache ${access}`, { kind: "client" })(counted(command)), access)

    /** Copies expire with the originals: the time since the request was sent is subtracted from their time to live. */
    const fetch = (keys: ReadonlyArray<string>) =>
      send(Effect.timed(remote.getMany(keys)), "read").pipe(
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

    // Shows a wrong token or address at start, in the log and in `status`. The first command opens the connection and may
    // time out while the process starts; the second sets the status.
    const ping = remote.getMany(["start"])
    yield* Effect.forkScoped(Effect.zipRight(Effect.ignore(ping), send(ping, "read")))

    return {
      getMany: (keys) =>
        Effect.flatMap(memory.getMany(keys), (local) => {
          const missing = keys.filter((_, index) => Option.isNone(local[index] ?? Option.none()))
          return missing.length === 0
            ? Effect.succeed(local)
            : Effect.map(fetch(missing), (fetched) =>
                keys.map((key, index) =>
                  Option.orElse(local[index] ?? Option.none(), () => Option.fromNullable(fetched.get(key)))
                )
              )
        }),
      peekMany: memory.peekMany,
      setMany: (entries) => {
        const living = entries.filter(({ timeToLive }) => Duration.greaterThan(timeToLive, Duration.zero))
        return Effect.zipRight(
          memory.setMany(living),
          living.length === 0 ? Effect.void : Effect.asVoid(send(remote.setMany(living), "write"))
        )
      },
      increment: (key, window) =>
        Effect.flatMap(
          send(remote.increment(key, window), "write"),
          Option.match({
            onNone: () => memory.increment(key, window),
            onSome: (count) => Effect.as(memory.setCount(key, count), count)
          })
        ),
      status: Effect.map(breaker.isOutage, (isOutage) =>
        isOutage ? "shared (unreachable, in-process meanwhile)" : "shared"
      )
    } satisfies CacheShape
  })

/** The database, with a memory cache that is read before it and that replaces it during an outage. */
export const layer = <R>(remote: Effect.Effect<RemoteCache, never, R>) =>
  Layer.scoped(Cache, Effect.flatMap(remote, make)) satisfies Layer.Layer<
    Cache,
    never,
    Exclude<R, Scope.Scope>
  >
