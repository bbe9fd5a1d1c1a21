import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import { Context, Data, Deferred, Duration, Effect, Either, Exit, Layer, Option, Schema } from "effect"
import { Checkers, type Outcome } from "../Checkers/Checkers.ts"
import { type Finding, judge } from "../Checkers/Verdict.ts"
import { AppConfig } from "../Layers/AppConfig.ts"
import { type LimitedCount, RateLimiter } from "../Layers/RateLimiter.ts"
import * as RunAhead from "../Layers/RunAhead.ts"
import { Overload } from "../Layers/Server/Overload.ts"
import type { Answer } from "../Layers/Server.ts"
import { CheckRequest } from "./Api.ts"
import { clientAddress } from "./ClientAddress.ts"
import { serverError } from "./ErrorBodies.ts"
import { json } from "./JsonResponse.ts"
import * as RequestBody from "./RequestBody.ts"

/** Of the fields, not of the class: nobody needs an instance of it, and making one checks everything again. */
const isCheckRequest = Schema.is(Schema.Struct(CheckRequest.fields))

const isJson = (request: IncomingMessage): boolean =>
  /^application\/json[ \t]*(?:;|$)/i.test(request.headers["content-type"] ?? "")

/** The `url` of a body; undefined for whatever does not hold one. */
const submittedUrl = (body: Buffer): string | undefined =>
  Either.match(
    Either.try((): unknown => (isUtf8(body) ? JSON.parse(body.toString("utf8")) : undefined)),
    {
      onLeft: () => undefined,
      onRight: (value) => (isCheckRequest(value) ? value.url : undefined)
    }
  )

/** `heuristics=ok, feed_a=stale, ...`: an RFC 9651 dictionary of tokens, in the order of the specification. */
const checkerStatus = (outcomes: ReadonlyArray<Outcome>): string => {
  let text = ""
  for (const { checker, status } of outcomes) text += `${text === "" ? "" : ", "}${checker}=${status}`
  return text
}

const scanResult = (url: string, outcomes: ReadonlyArray<Outcome>) => {
  const found: Array<Finding> = []
  const executionTimeMs: Record<string, number> = {}
  for (const { checker, elapsed, findings } of outcomes) {
    if (findings.length > 0) found.push(...findings)
    executionTimeMs[checker] = elapsed
  }
  const { score, verdict, reasons } = judge(found)
  return { url, score, verdict, reasons, executionTimeMs }
}

const badRequest = { error: "Missing 'url' in body" }
const overloaded = Effect.succeed(
  json(503, { error: "The service is not available at the moment" }, { "retry-after": "1" })
)
const tooLarge = { error: `The body is larger than ${RequestBody.MOST_BYTES} bytes` }

/** Never 0, also in the last millisecond of a window: nobody is told to come back at once. */
const wholeSeconds = (duration: Duration.Duration): number =>
  Math.max(1, Math.ceil(Duration.toSeconds(duration)))

type Headers = Readonly<Record<string, string>>

class OverLimit extends Data.TaggedError("OverLimit")<{ readonly count: LimitedCount }> {}

/**
 * Answers POST /api/check: counts the caller, reads the body, asks the six checkers. A bug is answered with 500.
 *
 * When there is more to do than the process can, a request is refused before anything of it is read or counted; one whose
 * body took its time also when it is read.
 *
 * Every other request is counted, also invalid and oversized ones. A count in memory is there at once, and a caller over the
 * limit is turned away before anything is read. While a count is on its way to the cache database, the body is read and the
 * checkers begin, so that the two waits are one; but the answer, and whatever would be sent to a third party, waits for it.
 */
export class Check extends Context.Tag("app/Http/Check")<
  Check,
  (request: IncomingMessage) => Effect.Effect<Answer>
>() {
  static readonly layer = Layer.effect(
    Check,
    Effect.gen(function* () {
      const config = yield* AppConfig
      const limiter = yield* RateLimiter
      const checkers = yield* Checkers
      const overload = yield* Overload
      const policy = `"default";q=${config.rateLimit};w=${wholeSeconds(config.rateLimitWindow)}`
      const isCountedElsewhere = Option.isSome(config.cache)

      const callerOf = (request: IncomingMessage): string =>
        clientAddress(
          request.socket.remoteAddress,
          config.trustedProxies === 0 ? undefined : request.headersDistinct["x-forwarded-for"]?.join(","),
          config.trustedProxies
        )

      const rateLimit = ({ current, limit, resetAfter }: LimitedCount): Headers => ({
        "ratelimit-policy": policy,
        ratelimit: `"default";r=${Math.max(0, limit - current)};t=${wholeSeconds(resetAfter)}`
      })

      const tooMany = (count: LimitedCount): Answer => {
        const { current, limit, resetAfter } = count
        const error = "Too many requests from this IP, please try again later."
        return json(
          429,
          { error, limit, current },
          { ...rateLimit(count), "retry-after": String(wholeSeconds(resetAfter)) }
        )
      }

      const isWithinLimit = ({ current, limit }: LimitedCount): boolean => current <= limit

      /** `counted` may fail for a caller over the limit. */
      const check = <E>(url: string, counted: Effect.Effect<LimitedCount, E>) => {
        const scored = (outcomes: ReadonlyArray<Outcome>, count: LimitedCount) =>
          json(200, scanResult(url, outcomes), {
            ...rateLimit(count),
            "checker-status": checkerStatus(outcomes)
          })
        if (RunAhead.isFinished(counted))
          return Exit.match(counted, {
            onFailure: Effect.failCause,
            onSuccess: (count) => Effect.map(checkers.checkAll(url), (outcomes) => scored(outcomes, count))
          })
        return Effect.flatMap(Deferred.make<void>(), (admission) =>
          Effect.flatMap(RunAhead.start(checkers.checkAll(url, Deferred.await(admission))), (outcomes) =>
            Effect.zipWith(
              outcomes,
              Effect.tap(counted, () => Deferred.succeed(admission, undefined)),
              scored,
              { concurrent: !RunAhead.isFinished(outcomes) }
            )
          )
        )
      }

      const read = <E>(request: IncomingMessage, counted: Effect.Effect<LimitedCount, E>) =>
        Effect.matchEffect(RequestBody.read(request), {
          onSuccess: (body) => {
            const url = isJson(request) ? submittedUrl(body) : undefined
            return overload.inFlight(
              url === undefined
                ? Effect.map(counted, (count) => json(400, badRequest, rateLimit(count)))
                : check(url, counted),
              overloaded
            )
          },
          onFailure: ({ reason }) =>
            reason === "TooLarge"
              ? Effect.map(counted, (count) => json(413, tooLarge, rateLimit(count)))
              : Effect.interrupt
        })

      /** The count is there before anything is read. */
      const countedHere = (caller: string, request: IncomingMessage) =>
        Effect.flatMap(limiter.count(caller), (count) =>
          isWithinLimit(count) ? read(request, Effect.succeed(count)) : Effect.succeed(tooMany(count))
        )

      const countedElsewhere = (caller: string, request: IncomingMessage) => {
        const count = Effect.filterOrFail(
          limiter.count(caller),
          isWithinLimit,
          (count) => new OverLimit({ count })
        )
        return Effect.flatMap(RunAhead.start(count), (counted) =>
          RunAhead.isFinished(counted)
            ? Effect.zipRight(counted, read(request, counted))
            : read(request, counted)
        ).pipe(Effect.catchTag("OverLimit", ({ count }) => Effect.succeed(tooMany(count))))
      }
      const answer = isCountedElsewhere ? countedElsewhere : countedHere

      // Suspended, so that what throws is answered with 500 too.
      return (request) =>
        Effect.suspend(() => overload.admit(answer(callerOf(request), request), overloaded)).pipe(
          Effect.catchAllCause(serverError)
        )
    })
  )
}
