import { Duration, Effect, Either, Exit, FiberRef, HashMap, RcMap, Scope } from "effect"
import type { Exchange, HttpResponse } from "../../Layers/Server.ts"
import type * as Slices from "../../Layers/Time/Slices.ts"
import { mergedHeaders, type Refusal, refusal } from "../Response.ts"
import type { PostRoute, RequestData } from "../Route.ts"
import * as ClientCount from "./ClientCount.ts"
import * as Overload from "./Overload.ts"
import * as ReadingPlaces from "./ReadingPlaces.ts"
import * as RequestBody from "./RequestBody.ts"

/** Expensive requests that are computed, or whose responses are being sent, at once. */
export const MAX_COMPUTING = { max: 16, maxPerAddress: 4 }

/** How long an expensive request waits for a place. */
const MAX_PLACE_WAIT = Duration.seconds(10)

/** How long the client of an expensive request may take to read the response, whose place is not free before. */
const MAX_SEND_TIME = Duration.seconds(10)

const BAD_REQUEST = 400

const acceptPost = { "accept-post": "application/json" }

/** Takes a place, which the scope gives back. */
const takePlace = (places: Effect.Semaphore) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.zipRight(
      restore(places.take(1)),
      Effect.addFinalizer(() => places.release(1))
    )
  )

/** The responses to POST requests. Each is counted once, as what it costs, unless it is refused for overload. */
export const make = Effect.fnUntraced(function* (slices: Slices.Slices) {
  const clientOf = yield* ClientCount.make
  const overload = yield* Overload.make
  const clock = yield* Effect.clock
  const reading = yield* ReadingPlaces.make
  const computing = yield* Effect.makeSemaphore(MAX_COMPUTING.max)
  const computingByAddress = yield* RcMap.make({
    lookup: (_address: string) => Effect.makeSemaphore(MAX_COMPUTING.maxPerAddress)
  })

  /**
   * Completes when the request has a place, which it has until its response has left the process. Requests wait in the order of
   * their arrival; those of an address that has all its places do not delay others.
   */
  const placeFor = Effect.fnUntraced(function* (exchange: Exchange, address: string) {
    const scope = yield* Scope.make()
    const leave = Scope.close(scope, Exit.void)
    exchange.onClose(() => void Effect.runFork(leave))
    yield* Effect.flatMap(RcMap.get(computingByAddress, address), takePlace).pipe(
      Effect.zipRight(takePlace(computing)),
      Scope.extend(scope),
      Effect.timeoutFail({ duration: MAX_PLACE_WAIT, onTimeout: () => refusal("Unavailable") }),
      Effect.onError(() => leave)
    )
  })

  return (route: PostRoute, exchange: Exchange, request: RequestData): Effect.Effect<HttpResponse> => {
    const client = clientOf(exchange.request)
    let hasPlace = false

    const inSlot = (counting: Effect.Effect<void, Refusal>): Effect.Effect<void, Refusal> =>
      Effect.catchAll(counting, overload.refuseInSlot)

    const readBody = (onBytes?: (bytes: number) => void) =>
      RequestBody.read(exchange, route.body.maxBytes, onBytes)
    const data = { headers: request.headers, query: request.query, isCounted: client.isCounted }
    const handle = (body: Buffer) => route.handle(RequestBody.parse(request.headers, body), data)

    /** Counted before its body is read: at the limit in memory, without a command. */
    const respondToCheap = (): Effect.Effect<HttpResponse, Refusal> =>
      Effect.flatMap(inSlot(client.count(1)), () =>
        Effect.flatMap(readBody(), (body) =>
          Either.match(handle(body), {
            onLeft: (refused) => refused,
            onRight: ({ respond }) => overload.inFlight(respond)
          })
        )
      )

    /** Counted when its body has been read, or has not arrived, and computed in slices. */
    const respondToExpensive = (): Effect.Effect<HttpResponse, Refusal> => {
      const place = reading.enter(client.address, clock)
      if (place === undefined) return Overload.unavailable
      exchange.onClose(place.leave)
      hasPlace = true
      const compute = (body: Buffer) =>
        Effect.gen(function* () {
          const [work = refusal("Defect", undefined)] = yield* slices.map([body], handle)
          const { cost, respond } = yield* work
          yield* FiberRef.update(FiberRef.currentLogAnnotations, HashMap.set<string, unknown>("urls", cost))
          yield* inSlot(client.count(cost))
          return yield* respond
        })
      return place.read(readBody(place.onBytes)).pipe(
        Effect.zipLeft(place.wait(placeFor(exchange, client.address))),
        Effect.flatMap((body) => overload.inFlight(compute(body))),
        // No body is free: reading and parsing it are work too.
        Effect.onInterrupt(() =>
          client.headers() === undefined ? Effect.ignore(client.count(1)) : Effect.void
        ),
        Effect.catchAll((refused) =>
          client.headers() === undefined && refused.reason !== "Unavailable"
            ? Effect.zipRight(inSlot(client.count(1)), refused)
            : refused
        )
      )
    }

    const respond = (): Effect.Effect<HttpResponse, Refusal> => {
      if (route.body.cost === "one") return respondToCheap()
      // From memory: costs neither a command nor a place, and the body is not read.
      const atLimit = client.countAtLimit()
      return atLimit === undefined
        ? respondToExpensive()
        : Effect.zipRight(inSlot(atLimit), Effect.suspend(respondToExpensive))
    }

    const finished = (response: HttpResponse): HttpResponse => {
      const isNotJson = response.status === BAD_REQUEST && !RequestBody.isJson(request.headers)
      const headers = mergedHeaders(response.headers, isNotJson ? acceptPost : undefined, client.headers())
      return hasPlace ? { ...response, headers, maxSendTime: MAX_SEND_TIME } : { ...response, headers }
    }

    return Effect.match(client.warnOfProxy(overload.refuseWhenFull(respond)), {
      onFailure: ({ response }) => finished(response),
      onSuccess: finished
    })
  }
})
