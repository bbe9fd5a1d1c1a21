import { type Clock, Context, Duration, Effect, Layer } from "effect"
import * as MonotonicTime from "../Layers/MonotonicTime.ts"
import { RETRY_AFTER, unavailable } from "../Layers/Server/Unavailable.ts"
import type { HttpResponse } from "../Layers/Server.ts"
import type { Unavailable } from "./Api.ts"
import { json } from "./JsonResponse.ts"

/**
 * Checks in flight at once, which bounds memory: a check with the longest body is estimated to need 300 KB. With a reputation
 * service that takes 50 ms it allows 20,000 checks a second, more than one thread computes.
 */
export const MAX_IN_FLIGHT = 1024

/**
 * How long checks are started in one turn of the event loop; the others wait for the next turn. Node accepts one connection
 * a turn, so without a limit new connections wait: 11 seconds for a health probe at twice the sustainable rate on Node 20,
 * where the goal is one second (`npm run test:load -- overload`).
 */
const TURN_BUDGET_MS = Duration.toMillis(Duration.millis(50))

const refusal = Effect.succeed(
  json(503, unavailable satisfies typeof Unavailable.Encoded, { "retry-after": RETRY_AFTER })
)

/** Starts tasks in turns of the event loop, each of which has a time budget. The first task of a turn always starts. */
const makeTurns = (clock: Clock.Clock) => {
  const waiting = new Set<() => void>()
  /** Monotonic milliseconds; undefined between turns. */
  let budgetEndsAt: number | undefined

  const hasBudget = (): boolean => {
    const now = MonotonicTime.millis(clock)
    if (budgetEndsAt === undefined) {
      budgetEndsAt = now + TURN_BUDGET_MS
      setImmediate(nextTurn)
    }
    return now < budgetEndsAt
  }

  const nextTurn = () => {
    budgetEndsAt = undefined
    for (const start of waiting) {
      if (!hasBudget()) return
      waiting.delete(start)
      start()
    }
  }

  /** Completes at once, or in the first turn that has time left. */
  const turn = Effect.suspend(() =>
    waiting.size === 0 && hasBudget()
      ? Effect.void
      : Effect.async<void>((resume) => {
          const start = () => resume(Effect.void)
          waiting.add(start)
          return Effect.sync(() => waiting.delete(start))
        })
  )
  return turn
}

/** Refuses requests with 503 when more checks are in flight than the process has memory for. */
export class Overload extends Context.Tag("app/Http/Overload")<
  Overload,
  {
    /** Responds 503 instead of running the effect when `MAX_IN_FLIGHT` checks are in flight. */
    readonly refuseWhenFull: (response: Effect.Effect<HttpResponse>) => Effect.Effect<HttpResponse>
    /** A check that is in flight while it waits for its turn and while it runs. */
    readonly inFlight: <A>(check: Effect.Effect<A>) => Effect.Effect<A>
  }
>() {
  static readonly layer = Layer.effect(
    Overload,
    Effect.clockWith((clock) =>
      Effect.sync(() => {
        const turn = makeTurns(clock)
        let checksInFlight = 0
        const enter = Effect.sync(() => {
          checksInFlight++
        })
        const leave = () =>
          Effect.sync(() => {
            checksInFlight--
          })
        return {
          refuseWhenFull: (response) =>
            Effect.suspend(() => (checksInFlight >= MAX_IN_FLIGHT ? refusal : response)),
          inFlight: (check) => Effect.acquireUseRelease(enter, () => Effect.zipRight(turn, check), leave)
        }
      })
    )
  )
}
