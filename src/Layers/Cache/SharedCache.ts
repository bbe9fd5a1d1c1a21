import { Duration, Effect, Layer, Option, type Scope } from "effect"
import { Cache, type CacheShape } from "../Cache.ts"
import type { CacheError } from "../Database/CacheError.ts"
import * as DatabaseBreaker from "../Database/DatabaseBreaker.ts"
import { Tracing } from "../Telemetry/Tracing.ts"
import * as MonotonicTime from "../Time/MonotonicTime.ts"
import * as CacheMetrics from "./CacheMetrics.ts"
import * as Counters from "./Counters.ts"
import * as MemoryCache from "./MemoryCache.ts"
import type { RemoteCache } from "./RemoteCache.ts"

/** The pauses are short, because callers may have the whole limit at each replica meanwhile. */
const BREAKER_RULES = {
  maxFailuresInARow: 5,
  minPauseMs: 1000,
  maxPauseMs: 30_000
}

const make = (remote: RemoteCache) =>
  Effect.gen(function* () {
    const memory = yield* MemoryCache.makeValues
    const counters = yield* Counters.make
    const { counted, onSkip } = yield* CacheMetrics.make
    const breaker = yield* DatabaseBreaker.make({
      service: "Cache",
      meanwhile: "counting and caching in this process",
      rules: BREAKER_RULES,
      onSkip
    })
    const { span } = yield* Tracing
    const send = <A>(command: Effect.Effect<A, CacheError>, access: DatabaseBreaker.Access) =>
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
    // time out while the process starts; the others set the status.
    const ping = remote.getMany(["start"])
    yield* Effect.forkScoped(
      Effect.zipRight(
        Effect.ignore(ping),
        Effect.repeat(send(ping, "read"), {
          while: Option.isNone,
          times: BREAKER_RULES.maxFailuresInARow - 1
        })
      )
    )

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
      add: (key, amount, window, limit) =>
        Effect.flatMap(MonotonicTime.now, (sentAt) => {
          // One until the reply: the database adds at least that, so the count here is a lower bound of its count.
          const incremented = counters.increment(key, Duration.toMillis(window), limit, sentAt)
          const own = { ...incremented, current: incremented.current + amount - 1 }
          if (incremented.current > limit) return Effect.succeed(MemoryCache.countAt(own, sentAt))
          // What is over the limit here must not be added by a database that has lost its data.
          const added = own.current <= limit ? amount : 1
          return Effect.zipWith(
            // Clients may be less patient than its timeout: only if they cannot end it, the breaker sees that it fails.
            Effect.uninterruptible(send(remote.add(key, added, window, limit), "write")),
            MonotonicTime.now,
            (reply, now) => {
              if (Option.isNone(reply)) {
                return MemoryCache.countAt(counters.addRest(key, amount - 1, incremented, limit, now), now)
              }
              const { resetAfter } = reply.value
              const current = reply.value.current - added + amount
              if (current < own.current) {
                // The database has lost its data, or this command has overtaken others of this process, which will add theirs.
                if (added > 1) counters.raise(key, own, limit, now)
                return MemoryCache.countAt(own, now)
              }
              const stored = current <= limit ? current : current - amount + 1
              // From the time of the command, not of the reply: the window ends here no later than in the database.
              const deadline = sentAt + Duration.toMillis(resetAfter)
              counters.raise(key, { current: stored, deadline }, limit, now)
              return { current, resetAfter }
            }
          )
        }),
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
