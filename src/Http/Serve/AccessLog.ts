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

/** Before the rate limit counts the request, or by it: a body that is too slow, too many requests, overload or a shutdown. */
const REFUSED: ReadonlySet<number> = new Set([408, 429, 503])

/** What the log says of a request beside its response. */
interface Logged {
  readonly method: string | undefined
  readonly path: string
  readonly milliseconds: number
}

/** How a request is logged. */
export interface Kind {
  readonly level: LogLevel.LogLevel
  /** The rate limit counts it, which bounds its responses other than 408, 429 and 503. */
  readonly isCounted: boolean
}

/** Lines a second of requests of which a client may send any number. */
export const MAX_LINES_PER_SECOND = 10

const SUMMARY_INTERVAL = Duration.seconds(1)

/**
 * Returns a function that adds to a response its line in the log, at no cost if the level is not logged: method, path, status,
 * milliseconds, checkers that are not `ok`. Never a query, the submitted URL or the client's address.
 *
 * So that clients cannot fill the log, some requests have no line of their own but are in one summary a second, with their number
 * by status: requests that are refused because their body is too slow (408), by the rate limit (429), or for overload or a shutdown
 * (503), except below level info; and of the others that are not counted, or whose client left (499), those after the first
 * `MAX_LINES_PER_SECOND`.
 */
export const make = Effect.gen(function* () {
  let summarized = new Map<number, number>()
  let lines = 0
  const logSummary = Effect.suspend(() => {
    const counts = summarized
    summarized = new Map()
    lines = 0
    if (counts.size === 0) return Effect.void
    const byStatus = Object.fromEntries([...counts].map(([status, count]) => [`status${status}`, count]))
    return Effect.annotateLogs(Effect.logInfo("requests summarized"), byStatus)
  })
  yield* Effect.addFinalizer(() => logSummary)
  yield* BackgroundLoop.fork("log summary", Effect.delay(logSummary, SUMMARY_INTERVAL))
  const minimumLevel = yield* FiberRef.get(FiberRef.currentMinimumLogLevel)

  /** Whether a request has a line of its own, which it then takes. */
  const takesLine = ({ level, isCounted }: Kind, status: number): boolean => {
    if (level === LogLevel.Info && REFUSED.has(status)) return false
    // A client over its limit may leave before its 429.
    if (isCounted && status !== CLIENT_CLOSED_REQUEST) return true
    return lines++ < MAX_LINES_PER_SECOND
  }

  return (
    kind: Kind,
    response: Effect.Effect<HttpResponse>,
    request: () => Logged
  ): Effect.Effect<HttpResponse> => {
    const { level } = kind
    if (LogLevel.greaterThan(minimumLevel, level)) return response
    return Effect.onExit(response, (exit) => {
      const { status, headers } = Exit.isSuccess(exit) ? exit.value : clientClosed
      if (!takesLine(kind, status)) {
        summarized.set(status, (summarized.get(status) ?? 0) + 1)
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
