import type { IncomingMessage } from "node:http"
import { Effect, Exit, FiberRef, LogLevel } from "effect"
import type { HttpResponse } from "../../Layers/Server.ts"
import * as MonotonicTime from "../../Layers/Time/MonotonicTime.ts"
import { pathOf } from "../Route.ts"

/** Long enough to recognize any path of ours. */
const MAX_PATH_CHARACTERS = 200

/** Printable ASCII only: the path comes from the client, who must not forge log lines. */
const printable = (text: string): string => text.slice(0, MAX_PATH_CHARACTERS).replace(/[^\x21-\x7e]/g, "?")

/** Of a `Checker-Status` header, the checkers that are neither `ok` nor switched off. */
const failedCheckers = (header: string | undefined): ReadonlyArray<string> =>
  (header ?? "").split(", ").filter((item) => item !== "" && !/=(?:ok|not-configured)$/.test(item))

/** nginx's status for a client that closed the connection before its response. */
export const CLIENT_CLOSED_REQUEST = 499

/** The status of requests that the rate limit refuses. */
const TOO_MANY_REQUESTS = 429

/**
 * Logs one line a request: method, path, status, milliseconds, checkers that are not `ok`. Never a query, the submitted URL
 * or the client's address. Costs nothing if the level is not logged.
 *
 * A request that the rate limit refused has no line: `countRefusal` is called for it. See `RefusalLog`.
 */
export const accessLog = (
  { method, url }: IncomingMessage,
  level: LogLevel.LogLevel,
  response: Effect.Effect<HttpResponse>,
  countRefusal: () => void
): Effect.Effect<HttpResponse> =>
  Effect.withFiberRuntime((fiber) => {
    if (LogLevel.greaterThan(fiber.getFiberRef(FiberRef.currentMinimumLogLevel), level)) return response
    return Effect.clockWith((clock) => {
      const start = MonotonicTime.millis(clock)
      return Effect.onExit(response, (exit) => {
        const sent = Exit.isSuccess(exit) ? exit.value : undefined
        if (sent?.status === TOO_MANY_REQUESTS) return Effect.sync(countRefusal)
        const failed = failedCheckers(sent?.headers["checker-status"])
        return Effect.annotateLogs(Effect.logWithLevel(level, "request"), {
          method,
          path: printable(pathOf(url ?? "")),
          status: sent?.status ?? CLIENT_CLOSED_REQUEST,
          milliseconds: MonotonicTime.millis(clock) - start,
          ...(failed.length > 0 ? { checkers: failed.join(", ") } : {})
        })
      })
    })
  })
