import { Context, Effect, Layer, Option, Runtime } from "effect"
import { FileCalls } from "../Files.ts"

interface RequestCounts {
  /** Requests without a response, including those whose body is still arriving. */
  inFlight: number
  /** Requests whose connection was closed because they took longer than the grace period of the shutdown. */
  cut: number
}

/** Updated by the server, read by `layer`. A server without `layer` uses the default. */
export class RequestsInFlight extends Context.Reference<RequestsInFlight>()(
  "app/Layers/Server/RequestsInFlight",
  { defaultValue: (): RequestCounts => ({ inFlight: 0, cut: 0 }) }
) {}

/** `NodeRuntime.runMain` ends the process on each of them. */
const signals = ["SIGINT", "SIGTERM"] as const

/**
 * Logs the first signal that ends the process, when it arrives, and the end of the shutdown, when every layer that uses this
 * one has been released. A signal that arrives before this layer is built is not logged. The last line says which calls on
 * files hold the process, if there are any: see `Files.teardown`.
 */
export const layer = Layer.scoped(
  RequestsInFlight,
  Effect.gen(function* () {
    const calls = yield* FileCalls
    const requests = { inFlight: 0, cut: 0 }
    const run = Runtime.runSync(yield* Effect.runtime<never>())
    let received = Option.none<NodeJS.Signals>()

    const onSignal = (signal: NodeJS.Signals) => {
      if (Option.isSome(received)) return
      received = Option.some(signal)
      run(
        Effect.annotateLogs(Effect.logInfo("shutting down"), { signal, requestsInFlight: requests.inFlight })
      )
    }
    const logEnd = Effect.suspend(() =>
      Option.match(received, {
        onNone: () => Effect.void,
        onSome: (signal) =>
          Effect.annotateLogs(Effect.logInfo("shut down"), { signal, requestsCut: requests.cut })
      })
    )
    const logCalls = Effect.zipRight(
      calls.end,
      Effect.suspend(() => {
        const paths = calls.paths.map((path) => JSON.stringify(path)).join(" and ")
        return paths === ""
          ? Effect.void
          : Effect.logWarning(`${paths} does not respond and would hold the process, which ends by SIGKILL`)
      })
    )
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        for (const signal of signals) process.on(signal, onSignal)
      }),
      () =>
        Effect.zipRight(
          Effect.zipRight(logEnd, logCalls),
          Effect.sync(() => {
            for (const signal of signals) process.off(signal, onSignal)
          })
        )
    )
    return requests
  })
)
