import { Duration, Effect, Layer, Option } from "effect"
import { Cache, type CacheShape, type Count } from "../Cache.ts"
import * as MonotonicTime from "../MonotonicTime.ts"
import * as ExpiringMap from "./ExpiringMap.ts"

/**
 * Characters of keys and values together, and ENTRY_OVERHEAD for each entry: 60,000 prefixes of the reputation lookup,
 * of which a URL has up to 30, in 11 MB (measured).
 */
const VALUE_CAPACITY = 12_000_000

/** What an entry costs in bytes besides its characters: measured, the map's, the record's and the strings' own. */
const ENTRY_OVERHEAD = 180

/**
 * Counters of each of the two kinds below: 65,536 callers in 20 MB (measured) are more than one process can serve at
 * the default limit, which allows each of them a request in 9 seconds.
 */
const COUNTER_CAPACITY = 32_768

/**
 * From this count on a caller's counter is kept apart from those of newcomers. Whoever rotates addresses to push
 * another caller's counter out has to send this many requests from each of COUNTER_CAPACITY addresses within a window;
 * fewer requests from however many addresses only push out counters that stand below this. A tenth of the default
 * limit.
 */
const FREQUENT_FROM = 10

/** By how much two answers of the database about one window differ, at most, in when it ends: they travel 200 ms. */
const SAME_WINDOW = 1000

/**
 * The cache of one process: bounded and expiring. Values and counters do not compete for room, so looking up many
 * URLs evicts no counter. Time is monotonic: a machine's clock that is set moves no deadline.
 */
export interface MemoryCache extends Omit<CacheShape, "status"> {
  /**
   * Makes a counter stand where the shared database says it stands, to be counted on from there. Within a window it never
   * goes back: answers overtake each other.
   */
  readonly setCount: (key: string, count: Count) => Effect.Effect<void>
}

export const make: Effect.Effect<MemoryCache> = Effect.map(Effect.clock, (clock) => {
  const values = ExpiringMap.make<string>(
    VALUE_CAPACITY,
    (key, value) => key.length + value.length + ENTRY_OVERHEAD
  )
  const newcomers = ExpiringMap.make<number>(COUNTER_CAPACITY, () => 1)
  const frequent = ExpiringMap.make<number>(COUNTER_CAPACITY, () => 1)

  const now = () => MonotonicTime.millis(clock)

  const peekMany: MemoryCache["peekMany"] = (keys) => {
    const at = now()
    return keys.map((key) => Option.fromNullable(values.get(key, at)?.value))
  }

  const setCounter = (key: string, current: number, deadline: number, at: number) => {
    const [home, other] = current < FREQUENT_FROM ? [newcomers, frequent] : [frequent, newcomers]
    other.delete(key)
    home.set(key, current, deadline, at)
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
        const counter = frequent.get(key, at) ?? newcomers.get(key, at)
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
        const held = frequent.get(key, at) ?? newcomers.get(key, at)
        const isOvertaken =
          held !== undefined && held.value > current && Math.abs(held.deadline - deadline) < SAME_WINDOW
        if (!isOvertaken) setCounter(key, current, deadline, at)
      })
  }
})

/** The cache of a service without a cache database. */
export const layer: Layer.Layer<Cache> = Layer.effect(
  Cache,
  Effect.map(make, (memory) => ({ ...memory, status: Effect.succeed("in-process" as const) }))
)
