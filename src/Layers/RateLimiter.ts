import { hash, hkdfSync, randomBytes } from "node:crypto"
import { Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { AppConfig } from "./AppConfig.ts"
import { Cache, type Count } from "./Cache.ts"
import { Metrics } from "./Telemetry/Metrics.ts"

/** A caller's count; over the limit when `current > limit`. */
export interface LimitedCount extends Count {
  readonly limit: number
}

export interface RateLimiterShape {
  /**
   * Counts one request of the caller in a fixed window that starts with the caller's first request. Never fails and
   * never decides: replicas that share a cache database count a caller exactly.
   */
  readonly count: (clientAddress: string) => Effect.Effect<LimitedCount>
}

/** Of the hash of the secret and an address. 132 bits in base64url: among 2^32 addresses, that any two share a counter has a probability of 2^-69. */
const HASH_LENGTH = 22

/**
 * Replicas agree on the key because it is derived (HKDF, https://www.rfc-editor.org/rfc/rfc5869) from the one secret
 * that they share; without it nobody can try all addresses against what is stored. A new token starts new counters.
 *
 * It stands before the address in one SHA-256, a tenth of the time of an HMAC: nobody has to prove anything with a key, and
 * a hash that is cut short cannot be extended.
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
        "Requests of callers over the limit"
      )
      const key = hashKey(database)
      // the window is part of the key: a deployment with another one starts counters of its own
      const prefix = `rate:${Duration.toMillis(window)}:`

      return {
        count: (clientAddress) => {
          const name = hash("sha256", key + clientAddress, "base64url").slice(0, HASH_LENGTH)
          return Effect.map(cache.increment(prefix + name, window), ({ current, resetAfter }) => {
            if (current > limit) refused.update(1)
            return { limit, current, resetAfter }
          })
        }
      }
    })
  )
}
