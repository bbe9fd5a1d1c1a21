import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import type { HttpServerResponse } from "@effect/platform"
import { Duration, Effect, Either, Schema } from "effect"
import { Checkers, type Outcome } from "../Checkers/Checkers.ts"
import * as Verdict from "../Checkers/Verdict.ts"
import { AppConfig } from "../Layers/AppConfig.ts"
import { RateLimiter } from "../Layers/RateLimiter.ts"
import { CheckRequest } from "./Api.ts"
import { clientAddress } from "./ClientAddress.ts"
import { json } from "./JsonResponse.ts"
import * as RequestBody from "./RequestBody.ts"

const decodeRequest = Schema.decodeUnknownEither(CheckRequest)

const isJson = (request: IncomingMessage): boolean =>
  /^application\/json[ \t]*(?:;|$)/i.test(request.headers["content-type"] ?? "")

/** The `url` of a body; undefined for whatever does not hold one. */
const submittedUrl = (body: Buffer): string | undefined =>
  Either.try(() => (isUtf8(body) ? JSON.parse(body.toString("utf8")) : undefined)).pipe(
    Either.flatMap(decodeRequest),
    Either.match({ onLeft: () => undefined, onRight: ({ url }) => url })
  )

/** `heuristics=ok, feed_a=stale, ...`: an RFC 9651 dictionary of tokens, in the order of the specification. */
const checkerStatus = (outcomes: ReadonlyArray<Outcome>): string =>
  outcomes.map(({ checker, status }) => `${checker}=${status}`).join(", ")

const scanResult = (url: string, outcomes: ReadonlyArray<Outcome>) => {
  const findings = outcomes.flatMap((outcome) => outcome.findings)
  const score = Verdict.score(findings)
  return {
    url,
    score,
    verdict: Verdict.verdict(score),
    reasons: findings.map((finding) => finding.reason),
    executionTimeMs: Object.fromEntries(outcomes.map(({ checker, elapsed }) => [checker, elapsed]))
  }
}

const badRequest = { error: "Missing 'url' in body" }
const tooLarge = { error: `The body is larger than ${RequestBody.MOST_BYTES} bytes` }

/** Never 0, also in the last millisecond of a window: nobody is told to come back at once. */
const wholeSeconds = (duration: Duration.Duration): number =>
  Math.max(1, Math.ceil(Duration.toSeconds(duration)))

/**
 * Answers POST /api/check: counts the caller, reads the body, asks the six checkers.
 *
 * The caller is counted before anything else, so that invalid and oversized requests count too and nothing is asked of
 * a third party for a caller over the limit.
 */
export const make = Effect.gen(function* () {
  const config = yield* AppConfig
  const limiter = yield* RateLimiter
  const checkers = yield* Checkers
  const policy = `"default";q=${config.rateLimit};w=${wholeSeconds(config.rateLimitWindow)}`

  const callerOf = (request: IncomingMessage): string =>
    clientAddress(
      request.socket.remoteAddress,
      request.headersDistinct["x-forwarded-for"]?.join(","),
      config.trustedProxies
    )

  const admitted = (request: IncomingMessage, rateLimit: Record<string, string>) =>
    Effect.gen(function* () {
      const body = yield* RequestBody.read(request)
      const url = isJson(request) ? submittedUrl(body) : undefined
      if (url === undefined) return json(400, badRequest, rateLimit)
      const outcomes = yield* checkers.checkAll(url)
      return json(200, scanResult(url, outcomes), { ...rateLimit, "checker-status": checkerStatus(outcomes) })
    }).pipe(
      Effect.catchTag("RequestBodyError", ({ reason }) =>
        reason === "TooLarge" ? Effect.succeed(json(413, tooLarge, rateLimit)) : Effect.interrupt
      )
    )

  return (request: IncomingMessage): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
    Effect.flatMap(limiter.count(callerOf(request)), ({ current, limit, resetAfter }) => {
      const reset = wholeSeconds(resetAfter)
      const rateLimit = {
        "ratelimit-policy": policy,
        ratelimit: `"default";r=${Math.max(0, limit - current)};t=${reset}`
      }
      if (current <= limit) return admitted(request, rateLimit)
      const error = "Too many requests from this IP, please try again later."
      return Effect.succeed(
        json(429, { error, limit, current }, { ...rateLimit, "retry-after": String(reset) })
      )
    })
})
