import type { IncomingMessage } from "node:http"
import { Duration, Effect } from "effect"
import * as Networks from "../../Layers/AppConfig/Networks.ts"
import { AppConfig } from "../../Layers/AppConfig.ts"
import { type LimitedCount, RateLimiter } from "../../Layers/RateLimiter.ts"
import { clientAddress, exactAddress } from "../../Layers/Server/ClientAddress.ts"
import { type Refusal, refusal } from "../Response.ts"
import type { PostRoute } from "../Route.ts"

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

/** Who sends a request. */
export interface Client {
  /** That a request is counted for: see `clientAddress`. */
  readonly address: string
  /** Not of RATE_LIMIT_EXEMPT. */
  readonly isCounted: boolean
}

/** What the response to a counted request has beside its own headers. */
export interface Counted {
  readonly headers: Readonly<Record<string, string>>
  /** The refusal of a request over the limit; undefined: it is not over it. */
  readonly refusal: Refusal | undefined
}

const notCounted: Counted = { headers: {}, refusal: undefined }

/** The rate limit: who is counted, and what the response says of the count. */
export const make = Effect.gen(function* () {
  const { rateLimit, rateLimitExempt, rateLimitWindow, trustedProxies } = yield* AppConfig
  const exempt = rateLimitExempt.length > 0 ? Networks.blockListOf(rateLimitExempt) : undefined
  const limiter = yield* RateLimiter
  const warnOfProxy = yield* Effect.once(logProxy)
  const policy = `"default";q=${rateLimit};w=${wholeSeconds(rateLimitWindow)}`

  const counted = (
    { current, limit, resetAfter }: LimitedCount,
    amount: number,
    cost: PostRoute["body"]["cost"]
  ): Counted => {
    const seconds = wholeSeconds(resetAfter)
    const remaining = Math.max(0, left(limit, current, amount))
    const refused = () =>
      cost === "one"
        ? refusal("TooManyRequests", limit, current, seconds)
        : refusal("TooManyUrls", limit, current, remaining, seconds)
    return {
      headers: {
        "ratelimit-policy": policy,
        ratelimit: `"default";r=${remaining};t=${seconds}`
      },
      refusal: current > limit ? refused() : undefined
    }
  }

  return {
    clientOf: (request: IncomingMessage): Client => {
      const { remoteAddress } = request.socket
      const forwardedFor =
        trustedProxies === 0 ? undefined : request.headersDistinct["x-forwarded-for"]?.join(",")
      const exact = exempt && exactAddress(remoteAddress, forwardedFor, trustedProxies)
      return {
        address: clientAddress(remoteAddress, forwardedFor, trustedProxies),
        isCounted: exempt === undefined || exact === undefined || !Networks.contains(exempt, exact)
      }
    },

    /** Counts a request of a client that is at its limit in this process. Undefined, and not counted: it is not. */
    countAtLimit: ({ address, isCounted }: Client, cost: PostRoute["body"]["cost"]): Counted | undefined => {
      const count = isCounted ? limiter.countAtLimit(address) : undefined
      return count && counted(count, 1, cost)
    },

    /** Counts a request as `amount`, unless the client is not counted. */
    count: (
      { address, isCounted }: Client,
      amount: number,
      cost: PostRoute["body"]["cost"]
    ): Effect.Effect<Counted> =>
      isCounted
        ? Effect.map(limiter.count(address, amount), (count) => counted(count, amount, cost))
        : Effect.succeed(notCounted),

    /** Runs the effect, and logs once if the request may have come through a proxy that is not trusted. */
    warnOfProxy: <A, E>(request: IncomingMessage, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      trustedProxies === 0 && isForwarded(request) ? Effect.zipRight(warnOfProxy, effect) : effect
  }
})
