import { HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import { Effect, Exit } from "effect"
import * as MonotonicTime from "../Layers/MonotonicTime.ts"
import { pathOf } from "./ErrorBodies.ts"

/** Enough to recognise a path; a longer one is somebody's probe. */
const MOST_PATH_CHARACTERS = 200

/** Log lines quote what a stranger sent: nothing but printable ASCII, so that none can be forged. */
const printable = (text: string): string => text.slice(0, MOST_PATH_CHARACTERS).replace(/[^\x21-\x7e]/g, "?")

/** The checkers that gave no answer, of a `Checker-Status` header; what the operator switched off is no news. */
const failures = (header: string | undefined): ReadonlyArray<string> =>
  (header ?? "").split(", ").filter((item) => item !== "" && !/=(?:ok|not-configured)$/.test(item))

/** nginx's number for a client that went away before it was answered. */
const CLIENT_CLOSED_REQUEST = 499

/**
 * One structured line a request: method, path, status, milliseconds, and the checkers that gave no answer. Never a
 * query, never the submitted URL, never an address of a client.
 */
export const accessLog = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const clock = yield* Effect.clock
    const start = MonotonicTime.millis(clock)
    return yield* Effect.onExit(app, (exit) => {
      const response = Exit.isSuccess(exit) ? exit.value : undefined
      const failed = failures(response?.headers["checker-status"])
      return Effect.annotateLogs(Effect.logInfo("request"), {
        method: request.method,
        path: printable(pathOf(request.url)),
        status: response?.status ?? CLIENT_CLOSED_REQUEST,
        milliseconds: MonotonicTime.millis(clock) - start,
        ...(failed.length > 0 ? { checkers: failed.join(", ") } : {})
      })
    })
  })
