import type { IncomingMessage } from "node:http"
import { Duration, Effect } from "effect"
import { AppConfig } from "../../Layers/AppConfig.ts"
import { type LimitedCount, RateLimiter } from "../../Layers/RateLimiter.ts"
import { clientAddress } from "../../Layers/Server/ClientAddress.ts"
import type { HttpResponse } from "../../Layers/Server.ts"
import type { TooManyRequests } from "../Api.ts"
import { json } from "../JsonResponse.ts"

/** At least 1, also in the last millisecond of a window: `Retry-After: 0` would invite a retry at once. */
const wholeSeconds = (duration: Duration.Duration): number =>
  Math.max(1, Math.ceil(Duration.toSeconds(duration)))

const isForwarded = ({ headers }: IncomingMessage): boolean =>
  headers["x-forwarded-for"] !== undefined || headers.forwarded !== undefined

/** Logs once that there may be a proxy in front of the service. Not the value of the header, which is personal data. */
const logProxy = Effect.logWarning(
  "A request has X-Forwarded-For or Forwarded, but TRUSTED_PROXIES is 0. If a proxy is in front of the service, all its callers share one rate limit: set TRUSTED_PROXIES"
)

/** What is left after a count that was refused: one was added, whatever the amount. */
const left = (limit: number, current: number, amount: number): number =>
  current > limit ? limit - (current - amount) - 1 : limit - current

/** The rate limit as a route uses it: who is counted, and what the response says of the count. */
export const make = Effect.gen(function* () {
  const { rateLimit, rateLimitWindow, trustedProxies } = yield* AppConfig
  const limiter = yield* RateLimiter
  const warnOfProxy = yield* Effect.once(logProxy)

  const clientOf = (request: IncomingMessage): string =>
    clientAddress(
      request.socket.remoteAddress,
      trustedProxies === 0 ? undefined : request.headersDistinct["x-forwarded-for"]?.join(","),
      trustedProxies
    )

  const policy = `"default";q=${rateLimit};w=${wholeSeconds(rateLimitWindow)}`

  /** `amount`: what was counted. */
  const headers = ({ current, limit, resetAfter }: LimitedCount, amount = 1) => ({
    "ratelimit-policy": policy,
    ratelimit: `"default";r=${Math.max(0, left(limit, current, amount))};t=${wholeSeconds(resetAfter)}`
  })

  return {
    /** Counts a request of its client as `amount`. */
    count: (request: IncomingMessage, amount: number) => limiter.count(clientOf(request), amount),

    headers,

    tooManyRequests: (count: LimitedCount, amount = 1): HttpResponse =>
      json(
        429,
        {
          error: "Too many requests from this IP, please try again later.",
          limit: count.limit,
          current: count.current
        } satisfies typeof TooManyRequests.Encoded,
        { ...headers(count, amount), "retry-after": String(wholeSeconds(count.resetAfter)) }
      ),

    /** Responds, and logs once if the request may have come through a proxy that is not trusted. */
    warnOfProxy: (
      request: IncomingMessage,
      response: Effect.Effect<HttpResponse>
    ): Effect.Effect<HttpResponse> =>
      trustedProxies === 0 && isForwarded(request) ? Effect.zipRight(warnOfProxy, response) : response
  }
})
