import { Duration, Effect, Either, FiberRef, HashMap } from "effect"
import type { Exchange, HttpResponse } from "../../Layers/Server.ts"
import type * as Slices from "../../Layers/Time/Slices.ts"
import { type Refusal, refusal } from "../Response.ts"
import type { PostRoute, RequestData } from "../Route.ts"
import * as ClientCount from "./ClientCount.ts"
import * as Overload from "./Overload.ts"
import * as Places from "./Places.ts"
import * as RequestBody from "./RequestBody.ts"

/** Bodies of expensive requests that are read, or wait for a place, at once: 16 MiB. */
export const MAX_READING = { max: 64, maxPerAddress: 8 }

/** Expensive requests that are computed, or whose responses are being sent, at once. */
export const MAX_COMPUTING = { max: 16, maxPerAddress: 4 }

/** For the body of an expensive request: 256 KiB on a mobile connection of 210 kbit/s. The contract names it. */
const MAX_BODY_TIME = Duration.seconds(10)

/** How long an expensive request waits for a place. */
const MAX_PLACE_WAIT = Duration.seconds(10)

/** How long the client of an expensive request may take to read the response, whose place is not free before. */
const MAX_SEND_TIME = Duration.seconds(10)

const withHeaders = (response: HttpResponse, headers: HttpResponse["headers"]): HttpResponse => ({
  ...response,
  headers: { ...response.headers, ...headers }
})

const BAD_REQUEST = 400

/** The response, also of a refusal. A 400 names the media type that is needed if the request has another one. */
export const answered = (
  { headers }: RequestData,
  respond: Effect.Effect<HttpResponse, Refusal>
): Effect.Effect<HttpResponse> =>
  Effect.catchAll(respond, ({ response }) =>
    Effect.succeed(
      response.status === BAD_REQUEST && !RequestBody.isJson(headers)
        ? withHeaders(response, { "accept-post": "application/json" })
        : response
    )
  )

/** The responses to POST requests. Each is counted once, as what it costs, unless it is refused for overload. */
export const make = Effect.fnUntraced(function* (slices: Slices.Slices) {
  const clients = yield* ClientCount.make
  const overload = yield* Overload.make
  const reading = Places.make(MAX_READING)
  const computing = Places.make(MAX_COMPUTING)

  /** Counts the request, and responds if it is not over the limit. */
  const counted = (
    client: string,
    amount: number,
    request: RequestData,
    respond: Effect.Effect<HttpResponse, Refusal>
  ): Effect.Effect<HttpResponse> =>
    Effect.flatMap(clients.count(client, amount), ({ headers, refusal }) =>
      Effect.map(
        answered(request, refusal === undefined ? respond : Effect.zipRight(overload.refusalSlot, refusal)),
        (response) => withHeaders(response, headers)
      )
    )

  const encodingRefused = ({ headers }: RequestData) =>
    RequestBody.isIdentity(headers) ? undefined : refusal("UnsupportedEncoding")

  /** Counted before its body is read: at the limit in memory, without a command. */
  const respondToCheap = (route: PostRoute, exchange: Exchange, request: RequestData, client: string) =>
    counted(
      client,
      1,
      request,
      Effect.suspend(
        () =>
          encodingRefused(request) ??
          Effect.flatMap(RequestBody.read(exchange, route.body.maxBytes), (body) =>
            Either.match(route.handle(RequestBody.parse(request.headers, body), request), {
              onLeft: (refused) => refused,
              onRight: ({ respond }) => overload.inFlight(respond)
            })
          )
      )
    )

  /** Completes when the request has a place, which it has until its response has left the process. */
  const placeFor = (exchange: Exchange, client: string): Effect.Effect<void, Refusal> =>
    Effect.timeoutFail(
      Effect.async<void>((resume) => {
        const leave = computing.enter(client, () => resume(Effect.void))
        exchange.onClose(leave)
        return Effect.sync(leave)
      }),
      { duration: MAX_PLACE_WAIT, onTimeout: () => refusal("Unavailable") }
    )

  /** Counted when its body has been read, or its client has left before, and computed in slices. */
  const respondToExpensive = (
    route: PostRoute,
    exchange: Exchange,
    request: RequestData,
    client: string
  ): Effect.Effect<HttpResponse, Refusal> =>
    Effect.suspend(() => {
      let isCounted = false
      const countedAs = (amount: number, respond: Effect.Effect<HttpResponse, Refusal>) =>
        Effect.suspend(() => {
          isCounted = true
          return counted(client, amount, request, respond)
        })

      // From memory: costs neither a command nor a place, and the body is not read.
      const atLimit = clients.countAtLimit(client)
      if (atLimit?.refusal !== undefined)
        return Effect.as(overload.refusalSlot, withHeaders(atLimit.refusal.response, atLimit.headers))
      const refused = encodingRefused(request)
      if (refused !== undefined) return countedAs(1, refused)
      const leave = reading.enterNow(client)
      if (leave === undefined) return Overload.unavailable
      exchange.onClose(leave)

      const readBody = Effect.timeoutFail(RequestBody.read(exchange, route.body.maxBytes), {
        duration: MAX_BODY_TIME,
        onTimeout: () => refusal("BodyTimeout")
      })
      const waitForPlace = Effect.ensuring(placeFor(exchange, client), Effect.sync(leave))
      const compute = (body: Buffer) =>
        Effect.flatMap(
          slices.map([body], (body) => route.handle(RequestBody.parse(request.headers, body), request)),
          ([work]) => {
            if (work === undefined || Either.isLeft(work))
              return countedAs(1, work?.left ?? refusal("Defect", undefined))
            const { cost, respond } = work.right
            const annotate = FiberRef.update(
              FiberRef.currentLogAnnotations,
              HashMap.set<string, unknown>("urls", cost)
            )
            return Effect.zipRight(annotate, countedAs(cost, respond))
          }
        )
      const respond = Effect.matchEffect(readBody, {
        onFailure: (refused) => countedAs(1, refused),
        onSuccess: (body) => Effect.zipRight(waitForPlace, overload.inFlight(compute(body)))
      }).pipe(
        // No body is free: reading and parsing it are work too.
        Effect.onInterrupt(() => (isCounted ? Effect.void : clients.count(client, 1)))
      )
      // Refusals too: the request may have a place.
      return Effect.map(answered(request, respond), (response) => ({
        ...response,
        maxSendTime: MAX_SEND_TIME
      }))
    })

  return (route: PostRoute, exchange: Exchange, request: RequestData): Effect.Effect<HttpResponse> => {
    const client = clients.clientOf(exchange.request)
    const respond =
      route.body.cost === "one"
        ? respondToCheap(route, exchange, request, client)
        : respondToExpensive(route, exchange, request, client)
    return answered(request, clients.warnOfProxy(exchange.request, overload.refuseWhenFull(respond)))
  }
})
