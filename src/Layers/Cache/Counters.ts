import { Effect } from "effect"
import { Metrics } from "../Telemetry/Metrics.ts"
import * as DeadlineMap from "./DeadlineMap.ts"
import * as ExpiringMap from "./ExpiringMap.ts"

/** Counters of each of the three maps below. Full, they take 26 MB together. */
const MAX_COUNTERS = 32_768

/**
 * A counter that reaches this value moves from the map of new callers to that of frequent ones. To evict a frequent
 * caller's counter, an attacker has to use up this much of the limit of each of MAX_COUNTERS addresses within a window; with
 * less an address evicts only counters of new callers. A tenth of the default limit.
 */
const FREQUENT_FROM = 10

/** The value of a counter, and when its window ends, in monotonic milliseconds. */
export interface Counted {
  readonly current: number
  readonly deadline: number
}

/**
 * The counters of this process, in fixed windows. A counter is never higher than the sum of the amounts that the client sent
 * in the `windowMs` before its deadline.
 *
 * A counter at or over its limit stays until its window ends. Of more than 32,768 such counters, those whose windows end
 * first are evicted. Below the limit the least recently used are evicted.
 */
interface Counters {
  /** Adds one. The window of a new counter ends `windowMs` from now. */
  readonly increment: (key: string, windowMs: number, limit: number, now: number) => Counted
  /**
   * Adds the rest of an amount, of which `increment` has added one, if that makes at most `limit`. Returns the sum, added or
   * not; for a rest of 0, what `increment` returned.
   */
  readonly addRest: (key: string, rest: number, incremented: Counted, limit: number, now: number) => Counted
  /** Takes over another count of the same key, with its window, unless that has ended or the own count is larger. */
  readonly raise: (key: string, counted: Counted, limit: number, now: number) => void
}

export const make: Effect.Effect<Counters> = Effect.map(Metrics, ({ counter }) => {
  const evicted = counter(
    "threat_scoring_rate_limit_evicted_total",
    "Clients over the rate limit that were forgotten before their window ended"
  )
  const newCallers = ExpiringMap.make<number>(MAX_COUNTERS, () => 1)
  const frequentCallers = ExpiringMap.make<number>(MAX_COUNTERS, () => 1)
  const blockedCallers = DeadlineMap.make<number>(MAX_COUNTERS, () => evicted.update(1))

  const mapOf = (current: number, limit: number) => {
    if (current >= limit) return blockedCallers
    return current < FREQUENT_FROM ? newCallers : frequentCallers
  }

  const get = (key: string, now: number) =>
    blockedCallers.get(key, now) ?? frequentCallers.get(key, now) ?? newCallers.get(key, now)

  const set = (key: string, { current, deadline }: Counted, limit: number, now: number) => {
    const target = mapOf(current, limit)
    for (const map of [newCallers, frequentCallers, blockedCallers]) if (map !== target) map.delete(key)
    target.set(key, current, deadline, now)
  }

  const raise: Counters["raise"] = (key, counted, limit, now) => {
    // A late reply must not remove the counter of the next window.
    if (counted.deadline <= now) return
    const stored = get(key, now)
    if (stored === undefined || stored.value <= counted.current) set(key, counted, limit, now)
  }

  return {
    increment: (key, windowMs, limit, now) => {
      const stored = get(key, now)
      if (stored === undefined) {
        const first = { current: 1, deadline: now + windowMs }
        set(key, first, limit, now)
        return first
      }
      stored.value++
      const counted = { current: stored.value, deadline: stored.deadline }
      if (mapOf(counted.current, limit) !== mapOf(counted.current - 1, limit)) set(key, counted, limit, now)
      return counted
    },
    addRest: (key, rest, incremented, limit, now) => {
      if (rest === 0) return incremented
      // Evicted, or its window has ended: the count of then.
      const stored = incremented.deadline <= now ? undefined : get(key, now)
      const counted = {
        current: (stored?.value ?? incremented.current) + rest,
        deadline: stored?.deadline ?? incremented.deadline
      }
      if (counted.current <= limit) raise(key, counted, limit, now)
      return counted
    },
    raise
  }
})
