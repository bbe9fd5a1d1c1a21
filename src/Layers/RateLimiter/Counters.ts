import { Effect } from "effect"
import { LRUCache } from "lru-cache"
import { Metrics } from "../Telemetry/Metrics.ts"
import * as MonotonicTime from "../Time/MonotonicTime.ts"

/** Clients at a time. Full, the counters take 26 MB. */
export const MAX_COUNTERS = 100_000

/** The value of a counter, and when its window ends, in monotonic milliseconds. */
export interface Counter {
  readonly current: number
  readonly deadline: number
}

/**
 * The counters of this process, in fixed windows: a count does not extend the window. A counter is never higher than the sum
 * of the amounts that the client sent in the `windowMs` before its deadline.
 *
 * Of more than MAX_COUNTERS the least recently used are evicted, so a client over its limit is forgotten early only if it
 * sends nothing while that many other clients do.
 */
interface Counters {
  /** Undefined: the client has no counter, or its window has ended. */
  readonly get: (key: string, now: number) => Counter | undefined
  /** Adds one. The window of a new counter ends `windowMs` from now. */
  readonly increment: (key: string, now: number) => Counter
  /**
   * Adds the rest of an amount, of which `increment` has added one, if that makes at most the limit. Returns the sum, added or
   * not; for a rest of 0, what `increment` returned.
   */
  readonly addRest: (key: string, rest: number, incremented: Counter, now: number) => Counter
  /** Replaces the counter of the key by another one, with its window, unless that has ended or the own count is larger. */
  readonly raise: (key: string, counter: Counter, now: number) => void
}

export const make = (limit: number, windowMs: number): Effect.Effect<Counters> =>
  Effect.zipWith(Effect.clock, Metrics, (clock, { counter }) => {
    const evicted = counter(
      "threat_scoring_rate_limit_evicted_total",
      `Clients over the limit that were forgotten before their window ended, because more than ${MAX_COUNTERS} other clients sent requests since their last one`
    )
    // The deadline is compared here: lru-cache's own expiry reads another clock. With `max` it would allocate its arrays now.
    const counters = new LRUCache<string, Counter>({
      maxSize: MAX_COUNTERS,
      sizeCalculation: () => 1,
      noDisposeOnSet: true,
      dispose: ({ current, deadline }, _, reason) => {
        if (reason === "evict" && current >= limit && deadline > MonotonicTime.millis(clock))
          evicted.update(1)
      }
    })

    const get: Counters["get"] = (key, now) => {
      const stored = counters.get(key)
      return stored !== undefined && stored.deadline > now ? stored : undefined
    }

    const raise: Counters["raise"] = (key, counter, now) => {
      // A late reply must not replace the counter of the next window.
      if (counter.deadline <= now) return
      const stored = get(key, now)
      if (stored === undefined || stored.current <= counter.current) counters.set(key, counter)
    }

    return {
      get,
      increment: (key, now) => {
        const stored = get(key, now)
        const counter =
          stored === undefined
            ? { current: 1, deadline: now + windowMs }
            : { current: stored.current + 1, deadline: stored.deadline }
        counters.set(key, counter)
        return counter
      },
      addRest: (key, rest, incremented, now) => {
        if (rest === 0) return incremented
        // Evicted, or its window has ended: the count of then.
        const stored = incremented.deadline > now ? get(key, now) : undefined
        const { current, deadline } = stored ?? incremented
        const counter = { current: current + rest, deadline }
        if (counter.current <= limit) raise(key, counter, now)
        return counter
      },
      raise
    }
  })
