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

/** An effect that completes at most `max` times in one turn, in the order of arrival. */
const makeSlots = (max: number) => {
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
        if (started === max) break
        started++
        waiting.delete(start)
        start()
      }
      if (started > 0) schedule()
    })
  }

  return Effect.suspend(() => {
    schedule()
    if (waiting.size === 0 && started < max) {
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
 * loop short (`npm run test:load -- overload`).
 */
interface Overload {
  /** Completes when a client over its limit may be answered. */
  readonly refusalSlot: Effect.Effect<void>
  /** Refuses instead of running the effect when `MAX_IN_FLIGHT` checks are in flight. */
  readonly refuseWhenFull: <A>(effect: Effect.Effect<A, Refusal>) => Effect.Effect<A, Refusal>
  /** As `refuseWhenFull`, and the effect is a check in flight while it waits for its turn and while it runs. */
  readonly inFlight: <A>(check: Effect.Effect<A, Refusal>) => Effect.Effect<A, Refusal>
}

export const make: Effect.Effect<Overload> = Effect.sync(() => {
  const startSlot = makeSlots(MAX_STARTED_PER_TURN)
  let inFlight = 0
  const refuseWhenFull: Overload["refuseWhenFull"] = (effect) =>
    Effect.suspend(() => (inFlight >= MAX_IN_FLIGHT ? unavailable : effect))
  const enter = Effect.sync(() => {
    inFlight++
  })
  const leave = () =>
    Effect.sync(() => {
      inFlight--
    })
  return {
    refusalSlot: makeSlots(MAX_REFUSED_PER_TURN),
    refuseWhenFull,
    inFlight: (check) =>
      refuseWhenFull(Effect.acquireUseRelease(enter, () => Effect.zipRight(startSlot, check), leave))
  }
})
