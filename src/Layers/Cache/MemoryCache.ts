import { Duration, Effect, Layer, Option } from "effect"
import { Cache, type CacheShape, type Count } from "../Cache.ts"
import * as MonotonicTime from "../Time/MonotonicTime.ts"
import * as Counters from "./Counters.ts"
import * as ExpiringMap from "./ExpiringMap.ts"

/** The sum of ENTRY_OVERHEAD_BYTES and the characters of key and value: 60,000 prefixes of the reputation lookup in 14 MB. */
const MAX_VALUE_BYTES = 12_000_000

/** Approximately what an entry takes beside its characters. */
const ENTRY_OVERHEAD_BYTES = 180

/** The values of one process: bounded and expiring. Uses monotonic time: setting the machine's clock changes no deadline. */
export const makeValues: Effect.Effect<Pick<CacheShape, "getMany" | "peekMany" | "setMany">> = Effect.map(
  Effect.clock,
  (clock) => {
    const values = ExpiringMap.make<string>(
      MAX_VALUE_BYTES,
      (key, value) => key.length + value.length + ENTRY_OVERHEAD_BYTES
    )
    const peekMany: CacheShape["peekMany"] = (keys) => {
      const at = MonotonicTime.millis(clock)
      return keys.map((key) => Option.fromNullable(values.get(key, at)?.value))
    }
    return {
      peekMany,
      getMany: (keys) => Effect.sync(() => peekMany(keys)),
      setMany: (entries) =>
        Effect.sync(() => {
          const at = MonotonicTime.millis(clock)
          for (const { key, timeToLive, value } of entries) {
            values.set(key, value, at + Duration.toMillis(timeToLive), at)
          }
        })
    }
  }
)

/** The count at a time, in monotonic milliseconds. */
export const countAt = ({ current, deadline }: Counters.Counted, now: number): Count => ({
  current,
  resetAfter: Duration.millis(Math.max(0, deadline - now))
})

/** The cache of one process. Values and counters are stored apart, so values evict no counter. */
export const make: Effect.Effect<CacheShape> = Effect.gen(function* () {
  const values = yield* makeValues
  const counters = yield* Counters.make
  return {
    ...values,
    add: (key, amount, window, limit) =>
      Effect.map(MonotonicTime.now, (now) => {
        const incremented = counters.increment(key, Duration.toMillis(window), limit, now)
        return countAt(counters.addRest(key, amount - 1, incremented, limit, now), now)
      }),
    status: Effect.succeed("in-process" as const)
  }
})

/** The cache of a service without a cache database. */
export const layer: Layer.Layer<Cache> = Layer.effect(Cache, make)
