import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import { Duration, Effect, Either, Schema } from "effect"
import type { Outcome } from "../Checkers/Checker.ts"
import { Checkers } from "../Checkers/Checkers.ts"
import { OperatorLists } from "../Checkers/OperatorLists.ts"
import { type Decision, judge, reported, resultOverride } from "../Checkers/Verdict.ts"
import { AppConfig } from "../Layers/AppConfig.ts"
import { type LimitedCount, RateLimiter } from "../Layers/RateLimiter.ts"
import { clientAddress } from "../Layers/Server/ClientAddress.ts"
import type { HttpResponse } from "../Layers/Server.ts"
import {
  type BadRequest,
  CheckRequest,
  checkEndpoint,
  type PayloadTooLarge,
  type TooManyRequests,
  type UnsupportedEncoding
} from "./Api.ts"
import { json } from "./JsonResponse.ts"
import { Overload } from "./Overload.ts"
import * as RequestBody from "./RequestBody.ts"
import { parameter, type Route } from "./Route.ts"
import type { ScanResult } from "./ScanResult.ts"

/** Built from the fields, because `Schema.is(CheckRequest)` rejects plain objects. */
const isCheckRequest = Schema.is(Schema.Struct(CheckRequest.fields))

const isJson = (request: IncomingMessage): boolean =>
  /^application\/json[ \t]*(?:;|$)/i.test(request.headers["content-type"] ?? "")

/** Whether the body is not compressed. An empty header means `identity`. */
const isIdentity = (request: IncomingMessage): boolean => {
  const encoding = request.headers["content-encoding"]
  return encoding === undefined || /^(?:[ \t]*identity[ \t]*(?:,|$))*$/i.test(encoding)
}

const BYTE_ORDER_MARK = "\ufeff"

/** The `url` of a JSON body; undefined if the body holds none. */
const submittedUrl = (request: IncomingMessage, body: Buffer): string | undefined => {
  if (!isJson(request) || !isUtf8(body)) return undefined
  const text = body.toString("utf8")
  const value = Either.try((): unknown => JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text))
  return Either.isRight(value) && isCheckRequest(value.right) ? value.right.url : undefined
}

/** At least 1, also in the last millisecond of a window: `Retry-After: 0` would invite a retry at once. */
const wholeSeconds = (duration: Duration.Duration): number =>
  Math.max(1, Math.ceil(Duration.toSeconds(duration)))

/** Whether a request asks for `findings` beside the five fields. */
const wantsFindings = ({ url = "" }: IncomingMessage): boolean =>
  url.includes("?") && parameter(url, "findings") === "true"

const scanResult = (
  url: string,
  outcomes: ReadonlyArray<Outcome>,
  decisions: ReadonlyArray<Decision>,
  withFindings: boolean
) => {
  const { findings, score, verdict } = judge(
    outcomes.flatMap(({ findings }) => findings),
    decisions
  )
  const judged = { url, score, verdict, reasons: findings.map(({ reason }) => reason) }
  return {
    ...(judged satisfies Omit<typeof ScanResult.Encoded, "executionTimeMs" | "findings">),
    executionTimeMs: Object.fromEntries(outcomes.map(({ checker, elapsed }) => [checker, elapsed])),
    ...(withFindings && {
      findings: findings.map(reported) satisfies (typeof ScanResult.Encoded)["findings"]
    })
  }
}

/** `heuristics=ok, feed_a=stale, ...`: an RFC 9651 dictionary of tokens, in the order of `executionTimeMs`. */
const checkerStatus = (outcomes: ReadonlyArray<Outcome>): string =>
  outcomes.map(({ checker, status }) => `${checker}=${status}`).join(", ")

/** The header `List-Override`, if the operator's lists decided. */
const listOverride = (decisions: ReadonlyArray<Decision>) => {
  const override = resultOverride(decisions)
  return override === undefined ? undefined : { "list-override": override }
}

/**
 * POST /api/check: counts the client, reads the body, runs the six checkers, scores. Every request is counted, also an
 * invalid one, except those refused for overload before anything of them is read.
 */
export const route = Effect.gen(function* () {
  const { rateLimit, rateLimitWindow, trustedProxies } = yield* AppConfig
  const limiter = yield* RateLimiter
  const checkers = yield* Checkers
  const { decisionsOn } = yield* OperatorLists
  const { refuseWhenFull, inFlight } = yield* Overload

  /** Logs once that there may be a proxy in front of the service. Not the value of the header, which is personal data. */
  const warnOfProxy = yield* Effect.once(
    Effect.logWarning(
      "A request has X-Forwarded-For or Forwarded, but TRUSTED_PROXIES is 0. If a proxy is in front of the service, all its callers share one rate limit: set TRUSTED_PROXIES"
    )
  )
  const isForwarded = ({ headers }: IncomingMessage): boolean =>
    headers["x-forwarded-for"] !== undefined || headers.forwarded !== undefined

  const clientOf = (request: IncomingMessage): string =>
    clientAddress(
      request.socket.remoteAddress,
      trustedProxies === 0 ? undefined : request.headersDistinct["x-forwarded-for"]?.join(","),
      trustedProxies
    )

  const policy = `"default";q=${rateLimit};w=${wholeSeconds(rateLimitWindow)}`
  const rateLimitHeaders = ({ current, limit, resetAfter }: LimitedCount) => ({
    "ratelimit-policy": policy,
    ratelimit: `"default";r=${Math.max(0, limit - current)};t=${wholeSeconds(resetAfter)}`
  })

  const tooManyRequests = (count: LimitedCount): HttpResponse =>
    json(
      429,
      {
        error: "Too many requests from this IP, please try again later.",
        limit: count.limit,
        current: count.current
      } satisfies typeof TooManyRequests.Encoded,
      { ...rateLimitHeaders(count), "retry-after": String(wholeSeconds(count.resetAfter)) }
    )

  const badRequest = (request: IncomingMessage, count: LimitedCount): HttpResponse =>
    json(400, { error: "Missing 'url' in body" } satisfies typeof BadRequest.Encoded, {
      ...(isJson(request) ? undefined : { "accept-post": "application/json" }),
      ...rateLimitHeaders(count)
    })

  const unsupportedEncoding = (count: LimitedCount): HttpResponse =>
    json(415, { error: "Content-Encoding is not supported" } satisfies typeof UnsupportedEncoding.Encoded, {
      "accept-encoding": "identity",
      ...rateLimitHeaders(count)
    })

  const tooLarge = (count: LimitedCount): HttpResponse =>
    json(
      413,
      {
        error: `The body is larger than ${RequestBody.MAX_BODY_BYTES} bytes`
      } satisfies typeof PayloadTooLarge.Encoded,
      rateLimitHeaders(count)
    )

  const scored =
    (request: IncomingMessage, url: string, count: LimitedCount) => (outcomes: ReadonlyArray<Outcome>) => {
      const decisions = decisionsOn(url)
      return json(200, scanResult(url, outcomes, decisions, wantsFindings(request)), {
        ...rateLimitHeaders(count),
        "checker-status": checkerStatus(outcomes),
        ...listOverride(decisions)
      })
    }

  const respondTo = (request: IncomingMessage, count: LimitedCount) => {
    if (count.current > count.limit) return Effect.succeed(tooManyRequests(count))
    if (!isIdentity(request)) return Effect.succeed(unsupportedEncoding(count))
    return Effect.matchEffect(RequestBody.read(request), {
      onFailure: () => Effect.succeed(tooLarge(count)),
      onSuccess: (body) => {
        const url = submittedUrl(request, body)
        return url === undefined
          ? Effect.succeed(badRequest(request, count))
          : // Again: other checks may have started while this body was read.
            refuseWhenFull(Effect.map(inFlight(checkers.checkAll(url)), scored(request, url, count)))
      }
    })
  }

  return {
    path: checkEndpoint.path,
    method: checkEndpoint.method,
    handle: (request) => {
      const response = refuseWhenFull(
        Effect.flatMap(limiter.count(clientOf(request), 1), (count) => respondTo(request, count))
      )
      return trustedProxies === 0 && isForwarded(request) ? Effect.zipRight(warnOfProxy, response) : response
    }
  } satisfies Route
})
