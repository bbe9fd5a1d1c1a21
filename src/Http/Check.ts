import type { IncomingMessage } from "node:http"
import { Effect, Option, Schema } from "effect"
import type { Outcome } from "../Checkers/Checker.ts"
import { Checkers } from "../Checkers/Checkers.ts"
import { OperatorLists } from "../Checkers/OperatorLists.ts"
import { type Decision, resultOverride } from "../Checkers/Verdict.ts"
import type { LimitedCount } from "../Layers/RateLimiter.ts"
import { type BadRequest, CheckRequest, checkEndpoint } from "./Api.ts"
import * as ClientCount from "./Check/ClientCount.ts"
import * as JsonBody from "./Check/JsonBody.ts"
import { scanResult } from "./Check/ScoredResult.ts"
import { json } from "./JsonResponse.ts"
import { Overload } from "./Overload.ts"
import * as RequestBody from "./RequestBody.ts"
import { parameter, type Route } from "./Route.ts"

/** Built from the fields, because `Schema.is(CheckRequest)` rejects plain objects. */
const isCheckRequest = Schema.is(Schema.Struct(CheckRequest.fields))

/** The `url` of a JSON body; undefined if the body holds none. */
const submittedUrl = (request: IncomingMessage, body: Buffer): string | undefined => {
  const value = JsonBody.parse(request, body)
  return Option.isSome(value) && isCheckRequest(value.value) ? value.value.url : undefined
}

/** Whether a request asks for `findings` beside the five fields. */
const wantsFindings = ({ url = "" }: IncomingMessage): boolean =>
  url.includes("?") && parameter(url, "findings") === "true"

/** `heuristics=ok, feed_a=stale, ...`: an RFC 9651 dictionary of tokens, in the order of `executionTimeMs`. */
const checkerStatus = (outcomes: ReadonlyArray<Outcome>): string =>
  outcomes.map(({ checker, status }) => `${checker}=${status}`).join(", ")

/** The header `List-Override`, if the operator's lists decided. */
const listOverride = (decisions: ReadonlyArray<Decision>) => {
  const override = resultOverride(decisions)
  return override === undefined ? undefined : { "list-override": override }
}

const missingUrl: typeof BadRequest.Encoded = { error: "Missing 'url' in body" }

/**
 * POST /api/check: counts the client, reads the body, runs the six checkers, scores. Every request is counted, also an
 * invalid one, except those refused for overload before anything of them is read.
 */
export const route = Effect.gen(function* () {
  const checkers = yield* Checkers
  const { decisionsOn } = yield* OperatorLists
  const { refuseWhenFull, inFlight } = yield* Overload
  const clients = yield* ClientCount.make

  const scored =
    (request: IncomingMessage, url: string, count: LimitedCount) => (outcomes: ReadonlyArray<Outcome>) => {
      const decisions = decisionsOn(url)
      return json(200, scanResult(url, outcomes, decisions, wantsFindings(request)), {
        ...clients.headers(count),
        "checker-status": checkerStatus(outcomes),
        ...listOverride(decisions)
      })
    }

  const respondTo = (request: IncomingMessage, count: LimitedCount) => {
    if (count.current > count.limit) return Effect.succeed(clients.tooManyRequests(count))
    if (!JsonBody.isIdentity(request))
      return Effect.succeed(JsonBody.unsupportedEncoding(clients.headers(count)))
    return Effect.matchEffect(RequestBody.read(request), {
      onFailure: () => Effect.succeed(JsonBody.tooLarge(RequestBody.MAX_BODY_BYTES, clients.headers(count))),
      onSuccess: (body) => {
        const url = submittedUrl(request, body)
        return url === undefined
          ? Effect.succeed(JsonBody.badRequest(request, missingUrl, clients.headers(count)))
          : // Again: other checks may have started while this body was read.
            refuseWhenFull(Effect.map(inFlight(checkers.checkAll(url)), scored(request, url, count)))
      }
    })
  }

  return {
    path: checkEndpoint.path,
    method: checkEndpoint.method,
    handle: (request) =>
      clients.warnOfProxy(
        request,
        refuseWhenFull(Effect.flatMap(clients.count(request, 1), (count) => respondTo(request, count)))
      )
  } satisfies Route
})
