import { hash, hkdfSync, randomBytes } from "node:crypto"
import { Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { AppConfig } from "./AppConfig.ts"
import { Cache, type Count } from "./Cache.ts"
import { Metrics } from "./Telemetry/Metrics.ts"

/** The count of a client; its request is over the limit when `current > limit`. */
export interface LimitedCount extends Count {
  readonly limit: number
}

interface RateLimiterShape {
  /**
   * Counts a request of a client as `amount`, an integer of at least 1, in a fixed window, which starts with the client's
   * first request. Never fails, and rejects nothing: the caller compares the count with the limit. A request that is over the
   * limit counts as one. Of a client at the limit the count is exact for one replica and a lower bound for replicas that share
   * a cache database; up to it they count exactly.
   */
  readonly countAtLimit: (clientAddress: string) => LimitedCount | undefined
  readonly count: (clientAddress: string, amount: number) => Effect.Effect<LimitedCount>
}

/** In base64url, 132 bits: the probability that any two of 2^32 addresses share a counter is 2^-69. */
const HASH_CHARACTERS = 22

/**
 * The key that addresses are hashed with, so that stored hashes cannot be reversed by trying all addresses. Replicas derive
 * the same key from the database's token (HKDF, https://www.rfc-editor.org/rfc/rfc5869); a new token starts new counters.
 */
const hashKey = Option.match({
  onNone: () => randomBytes(32).toString("hex"),
  onSome: ({ token }: { readonly token: Redacted.Redacted }) =>
    Buffer.from(hkdfSync("sha256", Redacted.value(token), "", "rate limiter: client addresses", 32)).toString(
      "hex"
    )
})

export class RateLimiter extends Context.Tag("app/Layers/RateLimiter")<RateLimiter, RateLimiterShape>() {
  static readonly layer: Layer.Layer<RateLimiter, never, AppConfig | Cache> = Layer.effect(
    RateLimiter,
    Effect.gen(function* () {
      const { cache: database, rateLimit: limit, rateLimitWindow: window } = yield* AppConfig
      const cache = yield* Cache
      const refused = (yield* Metrics).counter(
        "threat_scoring_rate_limit_refused_total",
        "Requests over the rate limit of their client"
      )
      const key = hashKey(database)
      // The window is part of the key: replicas with another window have counters of their own.
      const prefix = `rate:${Duration.toMillis(window)}:`

      return {
        countAtLimit: () => undefined,
        count: (clientAddress, amount) => {
          // SHA-256(key, address), truncated. No authentication happens here, so an HMAC would buy nothing.
          const name = hash("sha256", key + clientAddress, "base64url").slice(0, HASH_CHARACTERS)
          return Effect.map(cache.add(prefix + name, amount, window, limit), ({ current, resetAfter }) => {
            if (current > limit) refused.update(1)
            return { limit, current, resetAfter }
          })
        }
      }
    })
  )
}
