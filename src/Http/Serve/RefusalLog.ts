import { Duration, Effect, type Scope } from "effect"
import * as BackgroundLoop from "../../Layers/Time/BackgroundLoop.ts"

const INTERVAL = Duration.seconds(1)

/**
 * Logs how many requests the rate limit refused, in at most one line a second, so that a client over the limit cannot fill
 * the log. Returns the function that counts one refusal.
 */
export const make: Effect.Effect<() => void, never, Scope.Scope> = Effect.gen(function* () {
  const hasRefused = yield* Effect.makeLatch()
  let refused = 0

  const log = Effect.suspend(() => {
    hasRefused.unsafeClose()
    const requests = refused
    refused = 0
    return requests === 0
      ? Effect.void
      : Effect.annotateLogs(Effect.logInfo("requests refused by the rate limit"), { requests })
  })

  yield* Effect.addFinalizer(() => log)
  yield* BackgroundLoop.fork("refusals", Effect.zipRight(hasRefused.await, Effect.delay(log, INTERVAL)))

  return () => {
    refused++
    hasRefused.unsafeOpen()
  }
})
