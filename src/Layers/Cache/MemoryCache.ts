import { Duration, Effect, Layer, Option } from "effect"
import { Cache, type CacheShape, type Count } from "../Cache.ts"
import * as MonotonicTime from "../MonotonicTime.ts"
import * as ExpiringMap from "./ExpiringMap.ts"

/** The sum of ENTRY_OVERHEAD_BYTES and the characters of key and value: 60,000 prefixes of the reputation lookup in 14 MB. */
const MAX_VALUE_BYTES = 12_000_000

/** Approximately what an entry takes beside its characters. */
const ENTRY_OVERHEAD_BYTES = 180

/** Counters of each of the two maps below. Together they take 20 MB. */
const MAX_COUNTERS = 32_768

/**
 * A counter that reaches this value moves from the map of new callers to that of frequent ones. To evict a frequent
 * caller's counter, an attacker has to send this many requests from each of MAX_COUNTERS addresses within a window; with
 * fewer requests an address evicts only counters of new callers. A tenth of the default limit.
 */
const FREQUENT_FROM = 10

/** Two replies of the database about one window report ends that differ by less: a command takes at most 200 ms. */
const SAME_WINDOW_MS = 1000

/**
 * The cache of one process: bounded and expiring. Values and counters are stored apart, so values evict no counter. Uses
 * monotonic time: setting the machine's clock changes no deadline.
 */
interface MemoryCache extends Omit<CacheShape, "status"> {
  /**
   * Sets a counter to the shared database's count; increments continue from there. Within one window a counter never
   * decreases, since replies may arrive out of order.
   */
  readonly setCount: (key: string, count: Count) => Effect.Effect<void>
}

export const make: Effect.Effect<MemoryCache> = Effect.map(Effect.clock, (clock) => {
  const values = ExpiringMap.make<string>(
    MAX_VALUE_BYTES,
    (key, value) => key.length + value.length + ENTRY_OVERHEAD_BYTES
  )
  const newCallers = ExpiringMap.make<number>(MAX_COUNTERS, () => 1)
  const frequentCallers = ExpiringMap.make<number>(MAX_COUNTERS, () => 1)

  const now = () => MonotonicTime.millis(clock)

  const peekMany: MemoryCache["peekMany"] = (keys) => {
    const at = now()
    return keys.map((key) => Option.fromNullable(values.get(key, at)?.value))
  }

  const setCounter = (key: string, current: number, deadline: number, at: number) => {
    const [target, other] =
      current < FREQUENT_FROM ? [newCallers, frequentCallers] : [frequentCallers, newCallers]
    other.delete(key)
    target.set(key, current, deadline, at)
  }

  return {
    peekMany,
    getMany: (keys) => Effect.sync(() => peekMany(keys)),
    setMany: (entries) =>
      Effect.sync(() => {
        const at = now()
        for (const { key, timeToLive, value } of entries) {
          values.set(key, value, at + Duration.toMillis(timeToLive), at)
        }
      }),
    increment: (key, window) =>
      Effect.sync(() => {
        const at = now()
        const counter = frequentCallers.get(key, at) ?? newCallers.get(key, at)
        if (counter === undefined) {
          setCounter(key, 1, at + Duration.toMillis(window), at)
          return { current: 1, resetAfter: window }
        }
        counter.value++
        if (counter.value === FREQUENT_FROM) setCounter(key, counter.value, counter.deadline, at)
        return { current: counter.value, resetAfter: Duration.millis(counter.deadline - at) }
      }),
    setCount: (key, { current, resetAfter }) =>
      Effect.sync(() => {
        const at = now()
        const deadline = at + Duration.toMillis(resetAfter)
        const stored = frequentCallers.get(key, at) ?? newCallers.get(key, at)
        const isOutdated =
          stored !== undefined &&
          stored.value > current &&
          Math.abs(stored.deadline - deadline) < SAME_WINDOW_MS
        if (!isOutdated) setCounter(key, current, deadline, at)
      })
  }
})

/** The cache of a service without a cache database. */
export const layer: Layer.Layer<Cache> = Layer.effect(
  Cache,
  Effect.map(make, (memory) => ({ ...memory, status: Effect.succeed("in-process" as const) }))
)
