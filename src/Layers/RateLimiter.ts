import { hash, hkdfSync } from "node:crypto"
import { Context, Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import { LRUCache } from "lru-cache"
import { AppConfig } from "./AppConfig.ts"
import { CacheDatabase } from "./CacheDatabase.ts"
import { Metrics } from "./Telemetry/Metrics.ts"
import * as MonotonicTime from "./Time/MonotonicTime.ts"

/** The count of a client; its request is over the limit when `current > limit`. */
export interface LimitedCount {
  /** The value before, plus the amount, also if that is over the limit and only one was added. */
  readonly current: number
  readonly limit: number
  /** Until the counter starts again at zero. */
  readonly resetAfter: Duration.Duration
}

/**
 * Adds one, and the rest of the amount if that makes at most the limit, as one atomic command. Arguments: the window in
 * milliseconds, the rest, the limit. Sets the expiry also of a counter without one, so that every counter expires, and of one
 * that would outlive its window: Redis expires keys by the date, which may be set back.
 */
const ADD = `
local rest = tonumber(ARGV[2])
local current = redis.call('INCR', KEYS[1]) + rest
if rest > 0 and current <= tonumber(ARGV[3]) then redis.call('INCRBY', KEYS[1], rest) end
local left = redis.call('PTTL', KEYS[1])
if left < 0 or left > tonumber(ARGV[1]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return {current, left}`

/** A counter in the database, and the milliseconds until its window ends. */
const Added = Schema.Tuple(
  Schema.Tuple(Schema.Int.pipe(Schema.positive()), Schema.Int.pipe(Schema.nonNegative()))
)

/** Of a count that the database returns: above every RATE_LIMIT, and what is added to it is still exact. */
const MAX_COUNT = 2 ** 32

/** In base64url, 132 bits: the probability that any two of 2^32 addresses share a counter is 2^-69. */
const HASH_CHARACTERS = 22

/**
 * The key that addresses are hashed with, so that stored hashes cannot be reversed by trying all addresses. Replicas derive
 * the same key from the database's token (HKDF, https://www.rfc-editor.org/rfc/rfc5869); a new token starts new counters.
 */
const hashKey = (token: Redacted.Redacted): string =>
  Buffer.from(hkdfSync("sha256", Redacted.value(token), "", "rate limiter: client addresses", 32)).toString(
    "hex"
  )

/** Clients at a time. Full, the counters take 19 MB. */
export const MAX_COUNTERS = 100_000

/** The value of a counter, and when its window ends, in monotonic milliseconds. */
interface Counter {
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
export const makeCounters = (limit: number, windowMs: number) =>
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

    /** Undefined: the client has no counter, or its window has ended. */
    const get = (key: string, now: number): Counter | undefined => {
      const stored = counters.get(key)
      return stored !== undefined && stored.deadline > now ? stored : undefined
    }

    /** Replaces the counter of the key by another one, with its window, unless that has ended or the own count is larger. */
    const raise = (key: string, counter: Counter, now: number): void => {
      // A late reply must not replace the counter of the next window.
      if (counter.deadline <= now) return
      const stored = get(key, now)
      if (stored === undefined || stored.current <= counter.current) counters.set(key, counter)
    }

    return {
      get,
      raise,
      /** Adds one. The window of a new counter ends `windowMs` from now. */
      increment: (key: string, now: number): Counter => {
        const { current, deadline } = get(key, now) ?? { current: 0, deadline: now + windowMs }
        const counter = { current: current + 1, deadline }
        counters.set(key, counter)
        return counter
      },
      /**
       * Adds the rest of an amount, of which `increment` has added one, if that makes at most the limit. Returns the sum, added or
       * not; for a rest of 0, what `increment` returned.
       */
      addRest: (key: string, rest: number, incremented: Counter, now: number): Counter => {
        if (rest === 0) return incremented
        // Evicted, or its window has ended: the count of then.
        const stored = incremented.deadline > now ? get(key, now) : undefined
        const { current, deadline } = stored ?? incremented
        const counter = { current: current + rest, deadline }
        if (counter.current <= limit) raise(key, counter, now)
        return counter
      }
    }
  })

const make = Effect.gen(function* () {
  const { cache, rateLimit: limit, rateLimitWindow } = yield* AppConfig
  const windowMs = Duration.toMillis(rateLimitWindow)
  const { send } = yield* CacheDatabase
  const counters = yield* makeCounters(limit, windowMs)
  const clock = yield* Effect.clock
  const refused = (yield* Metrics).counter(
    "threat_scoring_rate_limit_refused_total",
    "Requests rejected by the rate limit"
  )
  const now = () => MonotonicTime.millis(clock)

  const limited = (current: number, resetAfterMs: number): LimitedCount => {
    if (current > limit) refused.update(1)
    return { current, limit, resetAfter: Duration.millis(Math.max(0, resetAfterMs)) }
  }

  const atTime = ({ current, deadline }: Counter, at: number) => limited(current, deadline - at)

  const inDatabase = Option.map(cache, ({ token }) => {
    const key = hashKey(token)
    // SHA-256(key, address), truncated. No authentication happens here, so an HMAC would buy nothing.
    // The window is part of the name: replicas with another window have counters of their own.
    const nameOf = (address: string) =>
      `rate:${windowMs}:${hash("sha256", key + address, "base64url").slice(0, HASH_CHARACTERS)}`
    return (address: string, amount: number) =>
      Effect.map(
        send("write", Added, [
          ["EVAL", ADD, 1, nameOf(address), Math.max(1, Math.ceil(windowMs)), amount - 1, limit]
        ]),
        Option.map(([[current, millisLeft]]) => ({
          current: Math.min(current, MAX_COUNT),
          resetAfterMs: Math.min(millisLeft, windowMs)
        }))
      )
  })

  /**
   * Counts a request of a client as `amount`, an integer of at least 1, in a fixed window, which starts with the client's
   * first request. Adds the amount if that makes at most the limit, else one. Never fails, and rejects nothing: the caller
   * compares the count with the limit.
   *
   * With a database, the count is the larger of the database's and this process's. A counter that has reached the limit is
   * counted here only, until its window ends: then the count is exact for one replica, and a lower bound in a fleet. So is it
   * during an outage, when counting continues from the last count that the database returned. After an outage or a loss of
   * data, concurrent amounts above 1 may add up to more than the limit, until the window ends.
   *
   * Interruption waits for the command, at most `CACHE_TIMEOUT`.
   */
  const count = (clientAddress: string, amount: number): Effect.Effect<LimitedCount> =>
    Effect.suspend(() => {
      const rest = amount - 1
      const sentAt = now()
      // One until the reply: the database adds at least that, so the count here is a lower bound of its count.
      const incremented = counters.increment(clientAddress, sentAt)
      const own = { ...incremented, current: incremented.current + rest }
      if (incremented.current > limit) return Effect.succeed(atTime(own, sentAt))
      const addHere = (at: number) => atTime(counters.addRest(clientAddress, rest, incremented, at), at)
      if (Option.isNone(inDatabase)) return Effect.succeed(addHere(sentAt))
      // A request over the limit here must not pass because the database has lost its data.
      const added = own.current <= limit ? amount : 1
      return Effect.map(
        // Clients may be less patient than its timeout: only if they cannot end it, the breaker sees that it fails.
        Effect.uninterruptible(inDatabase.value(clientAddress, added)),
        (reply) => {
          const at = now()
          if (Option.isNone(reply)) return addHere(at)
          const { resetAfterMs } = reply.value
          const current = reply.value.current - added + amount
          if (current < own.current) {
            // The database has lost its data, or this command has overtaken others of this process, which will add theirs.
            if (added > 1) counters.raise(clientAddress, own, at)
            return atTime(own, at)
          }
          const stored = current <= limit ? current : current - rest
          // From the time of the command, not of the reply: the window ends here no later than in the database.
          counters.raise(clientAddress, { current: stored, deadline: sentAt + resetAfterMs }, at)
          return limited(current, resetAfterMs)
        }
      )
    })

  return {
    count,
    /**
     * Counts a request of a client that has reached its limit in this process. Undefined, and nothing is counted: it has not.
     * Synchronous; no command is sent.
     */
    countAtLimit: (clientAddress: string): LimitedCount | undefined => {
      const at = now()
      const counter = counters.get(clientAddress, at)
      if (counter === undefined || counter.current < limit) return undefined
      return atTime(counters.increment(clientAddress, at), at)
    }
  }
})

export class RateLimiter extends Context.Tag("app/Layers/RateLimiter")<
  RateLimiter,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer: Layer.Layer<RateLimiter, never, AppConfig | CacheDatabase> = Layer.effect(
    RateLimiter,
    make
  )
}
