import type { IncomingMessage } from "node:http"
import { Duration, Effect } from "effect"
import * as Networks from "../../Layers/AppConfig/Networks.ts"
import { AppConfig } from "../../Layers/AppConfig.ts"
import { type LimitedCount, RateLimiter } from "../../Layers/RateLimiter.ts"
import { clientAddress, exactAddress } from "../../Layers/Server/ClientAddress.ts"
import type { HttpResponse } from "../../Layers/Server.ts"
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

/** The rate limit: returns a function that says who sends a request, and counts it. */
export const make = Effect.gen(function* () {
  const { rateLimit, rateLimitExempt, rateLimitWindow, trustedProxies } = yield* AppConfig
  const exempt = rateLimitExempt.length > 0 ? Networks.blockListOf(rateLimitExempt) : undefined
  const limiter = yield* RateLimiter
  const warnOfProxy = yield* Effect.once(logProxy)
  const policy = `"default";q=${rateLimit};w=${wholeSeconds(rateLimitWindow)}`

  return (request: IncomingMessage) => {
    const { remoteAddress } = request.socket
    const forwardedFor =
      trustedProxies === 0 ? undefined : request.headersDistinct["x-forwarded-for"]?.join(",")
    const exact = exempt && exactAddress(remoteAddress, forwardedFor, trustedProxies)
    const address = clientAddress(remoteAddress, forwardedFor, trustedProxies)
    const isCounted = exempt === undefined || exact === undefined || !Networks.contains(exempt, exact)
    let headers: HttpResponse["headers"] | undefined

    const refuseOver = (
      { current, limit, resetAfter }: LimitedCount,
      amount: number
    ): Effect.Effect<void, Refusal> => {
      const seconds = wholeSeconds(resetAfter)
      const remaining = Math.max(0, left(limit, current, amount))
      headers = { "ratelimit-policy": policy, ratelimit: `"default";r=${remaining};t=${seconds}` }
      return current <= limit ? Effect.void : refusal("TooManyRequests", limit, current, seconds)
    }

    return {
      /** That the request is counted for: see `clientAddress`. */
      address,
      /** Not of RATE_LIMIT_EXEMPT. */
      isCounted,
      /** What the response says of the count; undefined: the request has not been counted. */
      headers: () => headers,

      /** Counts the request if the client is at its limit in this process. Undefined, and not counted: it is not. */
      countAtLimit: (): Effect.Effect<void, Refusal> | undefined => {
        const count = isCounted ? limiter.countAtLimit(address) : undefined
        return count && refuseOver(count, 1)
      },

      /** Counts the request as `amount`, unless the client is not counted. Fails over the limit. */
      count: (amount: number): Effect.Effect<void, Refusal> =>
        Effect.suspend(() => {
          headers = {}
          return isCounted
            ? Effect.flatMap(limiter.count(address, amount), (count) => refuseOver(count, amount))
            : Effect.void
        }),

      /** Runs the effect, and logs once if the request may have come through a proxy that is not trusted. */
      warnOfProxy: <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        trustedProxies === 0 && isForwarded(request) ? Effect.zipRight(warnOfProxy, effect) : effect
    }
  }
})
