import { Duration, Effect, Exit, FiberRef, LogLevel } from "effect"
import type { HttpResponse } from "../../Layers/Server.ts"
import * as BackgroundLoop from "../../Layers/Time/BackgroundLoop.ts"

/** Long enough to recognize any path of ours. */
const MAX_PATH_CHARACTERS = 200

/** Printable ASCII only: the path comes from the client, who must not forge log lines. */
const printable = (text: string): string => text.slice(0, MAX_PATH_CHARACTERS).replace(/[^\x21-\x7e]/g, "?")

/** Of a `Checker-Status` header, the checkers that are neither `ok` nor switched off. */
const failedCheckers = (header: string | undefined): ReadonlyArray<string> =>
  (header ?? "").split(", ").filter((item) => item !== "" && !/=(?:ok|not-configured)$/.test(item))

/** nginx's status for a client that closed the connection before its response. */
export const CLIENT_CLOSED_REQUEST = 499

const clientClosed: HttpResponse = { status: CLIENT_CLOSED_REQUEST, headers: {}, body: "" }

const TOO_MANY_REQUESTS = 429
const UNAVAILABLE = 503

/** What the log says of a request beside its response. */
interface Logged {
  readonly method: string | undefined
  readonly path: string
  readonly milliseconds: number
}

const REFUSALS_INTERVAL = Duration.seconds(1)

/**
 * Returns a function that adds to a response its line in the log, at no cost if the level is not logged: method, path, status,
 * milliseconds, checkers that are not `ok`. Never a query, the submitted URL or the client's address.
 *
 * Requests that are refused by the rate limit (429), or for overload or a shutdown (503), have no line of their own but one
 * summary a second, so that clients over the limit cannot fill the log. With a level below info, as for operators, each request
 * has a line.
 */
export const make = Effect.gen(function* () {
  let refused = { byRateLimit: 0, byOverload: 0 }
  const logRefused = Effect.suspend(() => {
    const counts = refused
    refused = { byRateLimit: 0, byOverload: 0 }
    return counts.byOverload + counts.byRateLimit === 0
      ? Effect.void
      : Effect.annotateLogs(Effect.logInfo("requests refused"), counts)
  })
  yield* Effect.addFinalizer(() => logRefused)
  yield* BackgroundLoop.fork("refusals", Effect.delay(logRefused, REFUSALS_INTERVAL))
  const minimumLevel = yield* FiberRef.get(FiberRef.currentMinimumLogLevel)

  return (
    level: LogLevel.LogLevel,
    response: Effect.Effect<HttpResponse>,
    request: () => Logged
  ): Effect.Effect<HttpResponse> => {
    if (LogLevel.greaterThan(minimumLevel, level)) return response
    return Effect.onExit(response, (exit) => {
      const { status, headers } = Exit.isSuccess(exit) ? exit.value : clientClosed
      if (level === LogLevel.Info && (status === TOO_MANY_REQUESTS || status === UNAVAILABLE)) {
        refused[status === UNAVAILABLE ? "byOverload" : "byRateLimit"]++
        return Effect.void
      }
      const { method, path, milliseconds } = request()
      const failed = failedCheckers(headers["checker-status"])
      return Effect.annotateLogs(Effect.logWithLevel(level, "request"), {
        method,
        path: printable(path),
        status,
        milliseconds,
        ...(failed.length > 0 && { checkers: failed.join(", ") })
      })
    })
  }
})
