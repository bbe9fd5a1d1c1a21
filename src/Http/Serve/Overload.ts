import { Effect } from "effect"
import { nextTurn } from "../../Layers/Time/Slices.ts"
import { type Refusal, refusal } from "../Response.ts"

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

/**
 * Requests of clients over their limit that are answered in one turn; the others wait for the next. Without it 200 connections
 * that send such requests one after the other take each turn for themselves. 8 take about a millisecond.
 */
export const MAX_REFUSED_PER_TURN = 8

/** Sent in the next turn: busy clients that get it at once send their next request at once, and the turn would not end. */
export const unavailable: Effect.Effect<never, Refusal> = Effect.zipRight(
  nextTurn,
  Effect.suspend(() => refusal("Unavailable"))
)

/** Starts at most `max` effects in one turn, in the order of arrival. */
const makeSlots = (max: number) => {
  const waiting = new Set<() => void>()
  let free = max

  const beginTurn = () => {
    free = max
    for (const start of waiting) {
      if (free === 0) break
      free--
      waiting.delete(start)
      start()
    }
    if (free < max) setImmediate(beginTurn)
  }

  const nextFree = Effect.async<void>((resume) => {
    const start = () => resume(Effect.void)
    waiting.add(start)
    return Effect.sync(() => waiting.delete(start))
  })

  return <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      if (free === max) setImmediate(beginTurn)
      // While a slot is free nobody waits for one, so this effect overtakes none.
      if (free === 0) return Effect.zipRight(nextFree, effect)
      free--
      return effect
    })
}

/**
 * Refuses requests with 503 when more checks are in flight than the process has memory for, and keeps the turns of the event
 * loop short (`npm run test:load -- overload`).
 */
export const make = Effect.sync(() => {
  const startInSlot = makeSlots(MAX_STARTED_PER_TURN)
  let checks = 0
  const isFull = () => checks >= MAX_IN_FLIGHT
  return {
    /** Runs the effect when a client over its limit may be answered. */
    refuseInSlot: makeSlots(MAX_REFUSED_PER_TURN),
    /** Refuses instead of responding when `MAX_IN_FLIGHT` checks are in flight. */
    refuseWhenFull: <A>(respond: () => Effect.Effect<A, Refusal>): Effect.Effect<A, Refusal> =>
      Effect.suspend(() => (isFull() ? unavailable : respond())),
    /** As `refuseWhenFull`, and the request is a check in flight, while it waits for its turn too, until its fiber ends. */
    inFlight: <A>(check: Effect.Effect<A, Refusal>): Effect.Effect<A, Refusal> =>
      Effect.withFiberRuntime((fiber) => {
        if (isFull()) return unavailable
        checks++
        fiber.addObserver(() => {
          checks--
        })
        return startInSlot(check)
      })
  }
})
