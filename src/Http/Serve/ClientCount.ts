import type { IncomingMessage } from "node:http"
import { Duration, Effect } from "effect"
import { AppConfig } from "../../Layers/AppConfig.ts"
import { type LimitedCount, RateLimiter } from "../../Layers/RateLimiter.ts"
import { clientAddress } from "../../Layers/Server/ClientAddress.ts"
import { type Refusal, refusal } from "../Response.ts"

/** At least 1, also in the last millisecond of a window: `Retry-After: 0` would invite a retry at once. */
const wholeSeconds = (duration: Duration.Duration): number =>
  Math.max(1, Math.ceil(Duration.toSeconds(duration)))

const isForwarded = ({ headers }: IncomingMessage): boolean =>
  headers["x-forwarded-for"] !== undefined || headers.forwarded !== undefined

/** Logs once that there may be a proxy in front of the service. Not the value of the header, which is personal data. */
const logProxy = Effect.logWarning(
  "A request has X-Forwarded-For or Forwarded, but TRUSTED_PROXIES is 0. If a proxy is in front of the service, all its callers share one rate limit: set TRUSTED_PROXIES"
)

/** The remaining requests after a refused count: one was added, whatever the amount. */
const left = (limit: number, current: number, amount: number): number =>
  current > limit ? limit - (current - amount) - 1 : limit - current

/** What the response to a counted request has beside its own headers. */
export interface Counted {
  readonly headers: Readonly<Record<string, string>>
  /** The refusal of a request over the limit; undefined: it is not over it. */
  readonly refusal: Refusal | undefined
}

/** The rate limit: who is counted, and what the response says of the count. */
export const make = Effect.gen(function* () {
  const { rateLimit, rateLimitWindow, trustedProxies } = yield* AppConfig
  const limiter = yield* RateLimiter
  const warnOfProxy = yield* Effect.once(logProxy)
  const policy = `"default";q=${rateLimit};w=${wholeSeconds(rateLimitWindow)}`

  const counted = ({ current, limit, resetAfter }: LimitedCount, amount: number): Counted => {
    const seconds = wholeSeconds(resetAfter)
    return {
      headers: {
        "ratelimit-policy": policy,
        ratelimit: `"default";r=${Math.max(0, left(limit, current, amount))};t=${seconds}`
      },
      refusal: current > limit ? refusal("TooManyRequests", limit, current, seconds) : undefined
    }
  }

  return {
    /** The address that a request is counted for: see `clientAddress`. */
    clientOf: (request: IncomingMessage): string =>
      clientAddress(
        request.socket.remoteAddress,
        trustedProxies === 0 ? undefined : request.headersDistinct["x-forwarded-for"]?.join(","),
        trustedProxies
      ),

    /** Counts a request of a client that is at its limit in this process. Undefined, and not counted: it is not. */
    countAtLimit: (client: string): Counted | undefined => {
      const count = limiter.countAtLimit(client)
      return count && counted(count, 1)
    },

    /** Counts a request as `amount`. */
    count: (client: string, amount: number): Effect.Effect<Counted> =>
      Effect.map(limiter.count(client, amount), (count) => counted(count, amount)),

    /** Runs the effect, and logs once if the request may have come through a proxy that is not trusted. */
    warnOfProxy: <A, E>(request: IncomingMessage, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      trustedProxies === 0 && isForwarded(request) ? Effect.zipRight(warnOfProxy, effect) : effect
  }
})
