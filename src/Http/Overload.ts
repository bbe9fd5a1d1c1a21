import { Context, Effect, Layer } from "effect"
import { RETRY_AFTER, unavailable } from "../Layers/Server/Unavailable.ts"
import type { HttpResponse } from "../Layers/Server.ts"
import { nextTurn } from "../Layers/Time/NextTurn.ts"
import type { Unavailable } from "./Api.ts"
import { json } from "./JsonResponse.ts"

/**
 * Checks in flight at once, which bounds memory: a check with the longest body is estimated to need 300 KB. With a reputation
 * service that takes 50 ms it allows 20,000 checks a second, more than one thread computes.
 */
export const MAX_IN_FLIGHT = 1024

/**
 * Checks that start in one turn of the event loop; the others wait for the next. Node accepts one connection a turn, so new
 * connections, such as those of health probes, wait as long as a turn takes. 128 checks take some 30 milliseconds.
 */
export const MAX_STARTED_PER_TURN = 128

/** Bulk requests that are running or being sent at once, which bounds the memory of their bodies and responses. */
export const MAX_BULK_IN_FLIGHT = 8

/** Sent in the next turn: busy clients that get it at once send their next request at once, and the turn would not end. */
export const refusal: Effect.Effect<HttpResponse> = Effect.as(
  nextTurn,
  json(503, unavailable satisfies typeof Unavailable.Encoded, { "retry-after": RETRY_AFTER })
)

/** An effect that completes when the check may start: at most `MAX_STARTED_PER_TURN` a turn, in the order of arrival. */
const makeStartSlots = () => {
  const waiting = new Set<() => void>()
  let started = 0
  let isScheduled = false

  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      started = 0
      for (const start of waiting) {
        if (started === MAX_STARTED_PER_TURN) break
        started++
        waiting.delete(start)
        start()
      }
      if (started > 0) schedule()
    })
  }

  return Effect.suspend(() => {
    schedule()
    if (waiting.size === 0 && started < MAX_STARTED_PER_TURN) {
      started++
      return Effect.void
    }
    return Effect.async<void>((resume) => {
      const start = () => resume(Effect.void)
      waiting.add(start)
      return Effect.sync(() => waiting.delete(start))
    })
  })
}

/**
 * Refuses requests with 503 when more checks are in flight than the process has memory for, and keeps the turns of the event
 * loop short. At twice the sustainable rate a health probe on a new connection is answered within 0.9 seconds on Node 20, 22
 * and 24; without turns it waited 11 seconds (`npm run test:load -- overload`).
 */
export class Overload extends Context.Tag("app/Http/Overload")<
  Overload,
  {
    /** Responds 503 instead of running the effect when `MAX_IN_FLIGHT` checks are in flight. */
    readonly refuseWhenFull: (response: Effect.Effect<HttpResponse>) => Effect.Effect<HttpResponse>
    /** A check that is in flight while it waits for its turn and while it runs. */
    readonly inFlight: <A>(check: Effect.Effect<A>) => Effect.Effect<A>
    /** As `refuseWhenFull`; also with `MAX_BULK_IN_FLIGHT` bulk requests in flight. */
    readonly refuseBulkWhenFull: (response: Effect.Effect<HttpResponse>) => Effect.Effect<HttpResponse>
    /** A bulk request in flight, which is one check in flight too. */
    readonly bulkInFlight: <A>(request: Effect.Effect<A>) => Effect.Effect<A>
  }
>() {
  static readonly layer = Layer.sync(Overload, () => {
    const startSlot = makeStartSlots()
    let checksInFlight = 0
    const enter = Effect.sync(() => {
      checksInFlight++
    })
    const leave = () =>
      Effect.sync(() => {
        checksInFlight--
      })
    const inFlight = <A>(check: Effect.Effect<A>) =>
      Effect.acquireUseRelease(enter, () => Effect.zipRight(startSlot, check), leave)
    let bulkRequests = 0
    const enterBulk = Effect.sync(() => {
      bulkRequests++
    })
    const leaveBulk = () =>
      Effect.sync(() => {
        bulkRequests--
      })
    return {
      refuseWhenFull: (response) =>
        Effect.suspend(() => (checksInFlight >= MAX_IN_FLIGHT ? refusal : response)),
      inFlight,
      refuseBulkWhenFull: (response) =>
        Effect.suspend(() =>
          checksInFlight >= MAX_IN_FLIGHT || bulkRequests >= MAX_BULK_IN_FLIGHT ? refusal : response
        ),
      bulkInFlight: (request) => Effect.acquireUseRelease(enterBulk, () => inFlight(request), leaveBulk)
    }
  })
}
