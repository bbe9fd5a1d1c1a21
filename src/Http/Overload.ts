import { Context, Effect, Layer } from "effect"
import { RETRY_AFTER, unavailable } from "../Layers/Server/Unavailable.ts"
import type { HttpResponse } from "../Layers/Server.ts"
import type { Unavailable } from "./Api.ts"
import { json } from "./JsonResponse.ts"

/**
 * Checks in flight at once, which bounds memory: a check with the longest body is estimated to need 300 KB. With a reputation
 * service that takes 50 ms it allows 20,000 checks a second, more than one thread computes.
 */
export const MAX_IN_FLIGHT = 1024

const refusal = Effect.succeed(
  json(503, unavailable satisfies typeof Unavailable.Encoded, { "retry-after": RETRY_AFTER })
)

/** Refuses requests with 503 when more checks are in flight than the process has memory for. */
export class Overload extends Context.Tag("app/Http/Overload")<
  Overload,
  {
    /** Responds 503 instead of running the effect when `MAX_IN_FLIGHT` checks are in flight. */
    readonly refuseWhenFull: (response: Effect.Effect<HttpResponse>) => Effect.Effect<HttpResponse>
    /** A check that is in flight while it runs. */
    readonly inFlight: <A>(check: Effect.Effect<A>) => Effect.Effect<A>
  }
>() {
  static readonly layer = Layer.sync(Overload, () => {
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
      inFlight: (check) => Effect.acquireUseRelease(enter, () => check, leave)
    }
  })
}
