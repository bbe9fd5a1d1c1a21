import type { IncomingMessage } from "node:http"
import { Effect, Either, Exit, FiberRef, HashMap } from "effect"
import { Checkers } from "../Checkers/Checkers.ts"
import { OperatorLists } from "../Checkers/OperatorLists.ts"
import { AppConfig } from "../Layers/AppConfig.ts"
import type { HttpResponse, StreamResponse } from "../Layers/Server.ts"
import * as Slices from "../Layers/Time/Slices.ts"
import { type BadChecksRequest, checksEndpoint, MAX_URLS } from "./Api.ts"
import * as ClientCount from "./Check/ClientCount.ts"
import * as JsonBody from "./Check/JsonBody.ts"
import * as BulkTurns from "./Checks/BulkTurns.ts"
import * as RequestedUrls from "./Checks/RequestedUrls.ts"
import * as ResultTexts from "./Checks/ResultTexts.ts"
import { Overload, refusal } from "./Overload.ts"
import * as LargeBodies from "./RequestBody/LargeBodies.ts"
import * as RequestBody from "./RequestBody.ts"
import type { Route } from "./Route.ts"

/** 500 URLs of some 2,000 characters. */
export const MAX_BODY_BYTES = 1024 * 1024

/** Bodies of more than 64 KiB in memory while they arrive: 32 MiB. */
const MAX_LARGE_BODIES = 32

type Headers = Readonly<Record<string, string>>

/** `q=0` says that the client does not accept it. */
const wantsLines = ({ headers: { accept = "" } }: IncomingMessage): boolean =>
  accept
    .split(",")
    .some(
      (range) =>
        /^[ \t]*application\/x-ndjson[ \t]*(?:;|$)/i.test(range) &&
        !/;[ \t]*q=0(?:\.0*)?[ \t]*(?:;|$)/i.test(range)
    )

/**
 * POST /api/checks: reads the body, counts each of its URLs, checks them together, and responds with all results in order, or
 * with a line for each as soon as it is there. A body that is no list of URLs counts as one request; a request that is refused
 * for overload is not counted.
 */
export const route = Effect.gen(function* () {
  const { rateLimit } = yield* AppConfig
  const checkers = yield* Checkers
  const { decisionsOn } = yield* OperatorLists
  const { bulkInFlight, refuseBulkWhenFull } = yield* Overload
  const clients = yield* ClientCount.make
  const turns = yield* BulkTurns.make
  const slices = yield* Slices.make
  const largeBodies = LargeBodies.make(MAX_LARGE_BODIES)

  const maxUrls = Math.min(MAX_URLS, rateLimit)
  const noList: typeof BadChecksRequest.Encoded = {
    error: `'urls' must be a list of 1 to ${maxUrls} strings`
  }

  const counted = (
    request: IncomingMessage,
    amount: number,
    respond: (headers: Headers) => Effect.Effect<HttpResponse>
  ): Effect.Effect<HttpResponse> =>
    Effect.flatMap(clients.count(request, amount), (count) =>
      count.current > count.limit
        ? Effect.succeed(clients.tooManyRequests(count, amount))
        : respond(clients.headers(count, amount))
    )

  const results = (urls: ReadonlyArray<string>) =>
    Effect.map(
      checkers.checkMany(urls, slices, (url, outcomes) =>
        ResultTexts.resultText(url, outcomes, decisionsOn(url))
      ),
      (texts) => {
        const ended = texts.map((text, index) => ({ index, result: Exit.succeed(text) }))
        return Effect.sync(() => ended.splice(0))
      }
    )

  const respondTo = (
    request: IncomingMessage,
    urls: ReadonlyArray<string>,
    headers: Headers,
    stream: StreamResponse
  ): Effect.Effect<HttpResponse> =>
    Effect.suspend(() => {
      // Bounded by the budgets of the checks, which together may be longer than a connection may be idle.
      request.socket.setTimeout(0)
      const places = RequestedUrls.placesByUrl(urls)
      const running = results([...places.keys()])
      const send = wantsLines(request) ? ResultTexts.sendLines : ResultTexts.sendList
      return Effect.flatMap(running, (next) => send(next, [...places.values()], headers, stream))
    })

  const respondToBody = (
    request: IncomingMessage,
    body: Buffer,
    stream: StreamResponse
  ): Effect.Effect<HttpResponse> =>
    Effect.flatMap(
      BulkTurns.one(turns, () => RequestedUrls.parse(request, body, maxUrls)),
      (urls) =>
        urls === undefined
          ? counted(request, 1, (headers) => Effect.succeed(JsonBody.badRequest(request, noList, headers)))
          : Effect.zipRight(
              FiberRef.update(
                FiberRef.currentLogAnnotations,
                HashMap.set<string, unknown>("urls", urls.length)
              ),
              counted(request, urls.length, (headers) => respondTo(request, urls, headers, stream))
            )
    )

  const respond = (request: IncomingMessage, stream: StreamResponse): Effect.Effect<HttpResponse> => {
    if (!JsonBody.isIdentity(request))
      return counted(request, 1, (headers) => Effect.succeed(JsonBody.unsupportedEncoding(headers)))
    return Effect.flatMap(
      Effect.either(RequestBody.readLarge(request, MAX_BODY_BYTES, largeBodies)),
      Either.match({
        onLeft: (error) =>
          error._tag === "BodyDropped"
            ? refusal
            : counted(request, 1, (headers) => Effect.succeed(JsonBody.tooLarge(MAX_BODY_BYTES, headers))),
        // Again: other requests may have started while this body was read.
        onRight: (body) => refuseBulkWhenFull(bulkInFlight(respondToBody(request, body, stream)))
      })
    )
  }

  return {
    path: checksEndpoint.path,
    method: checksEndpoint.method,
    handle: (request, stream) =>
      clients.warnOfProxy(request, refuseBulkWhenFull(Effect.suspend(() => respond(request, stream))))
  } satisfies Route
})
