import { Effect, Exit, FiberRef, LogLevel } from "effect"
import * as MonotonicTime from "../../Layers/MonotonicTime.ts"
import { pathOf } from "../ErrorBodies.ts"

/** Enough to recognise a path; a longer one is somebody's probe. */
const MOST_PATH_CHARACTERS = 200

/** Log lines quote what a stranger sent: nothing but printable ASCII, so that none can be forged. */
const printable = (text: string): string => text.slice(0, MOST_PATH_CHARACTERS).replace(/[^\x21-\x7e]/g, "?")

/** The checkers that gave no answer, of a `Checker-Status` header; what the operator switched off is no news. */
const failures = (header: string | undefined): ReadonlyArray<string> =>
  (header ?? "").split(", ").filter((item) => item !== "" && !/=(?:ok|not-configured)$/.test(item))

/** nginx's number for a client that went away before it was answered. */
export const CLIENT_CLOSED_REQUEST = 499

export interface Asked {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
}

/**
 * One structured line a request: method, path, status, milliseconds, and the checkers that gave no answer. Never a
 * query, never the submitted URL, never an address of a client. When nobody listens to the level there is no cost either.
 */
export const accessLog = <A extends Answered, E, R>(
  { method, url }: Asked,
  level: LogLevel.LogLevel,
  app: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((fiber) => {
    if (LogLevel.greaterThan(fiber.getFiberRef(FiberRef.currentMinimumLogLevel), level)) return app
    return Effect.clockWith((clock) => {
      const start = MonotonicTime.millis(clock)
      return Effect.onExit(app, (exit) => {
        const answer = Exit.isSuccess(exit) ? exit.value : undefined
        const failed = failures(answer?.headers["checker-status"])
        return Effect.annotateLogs(Effect.logWithLevel(level, "request"), {
          method,
          path: printable(pathOf(url ?? "")),
          status: answer?.status ?? CLIENT_CLOSED_REQUEST,
          milliseconds: MonotonicTime.millis(clock) - start,
          ...(failed.length > 0 ? { checkers: failed.join(", ") } : {})
        })
      })
    })
  })
