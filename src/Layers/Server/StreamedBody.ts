import type { ServerResponse } from "node:http"
import { Duration, Effect } from "effect"
import * as MonotonicTime from "../Time/MonotonicTime.ts"

/**
 * How long the writes of one response may wait for its client in all. A handler that streams holds memory, and perhaps a
 * place among the bulk requests, which a slow reader must not keep.
 */
export const MAX_READ_WAIT = Duration.seconds(60)

/** Sends text, and completes when the client may be sent more. Cuts the connection after `MAX_READ_WAIT`. */
export type Write = (text: string) => Effect.Effect<void>

/** Completes when the system has taken what was written. */
const drained = (response: ServerResponse): Effect.Effect<void> =>
  Effect.async((resume) => {
    // The event may be over: node emits it before the next microtask.
    if (!response.writableNeedDrain && !response.destroyed) return resume(Effect.void)
    const onDrain = () => resume(Effect.void)
    response.once("drain", onDrain)
    return Effect.sync(() => response.off("drain", onDrain))
  })

/** As `drained`, also for a rest that fits into the buffer of the response. */
const taken = (response: ServerResponse): Effect.Effect<void> =>
  Effect.async((resume) => void response.write("", (error) => void (error ?? resume(Effect.void))))

/** Never completes: the server interrupts the fiber of a connection that is closed. */
const cut = (response: ServerResponse): Effect.Effect<never> =>
  Effect.zipRight(
    Effect.sync(() => response.req.socket.resetAndDestroy()),
    Effect.never
  )

export interface StreamedBody {
  readonly write: Write
  /**
   * Ends the response when the system has all of it: `closeIdleConnections` cuts a connection whose response has ended but is
   * not yet sent.
   */
  readonly end: Effect.Effect<void>
}

/** The body of a response, whose head `writeHead` sends with the first write. */
export const make = (response: ServerResponse, writeHead: () => void): StreamedBody => {
  let leftMillis = Duration.toMillis(MAX_READ_WAIT)
  const within = (wait: Effect.Effect<void>) =>
    Effect.clockWith((clock) => {
      const from = MonotonicTime.millis(clock)
      const onSuccess = () => {
        leftMillis = Math.max(1, leftMillis - (MonotonicTime.millis(clock) - from))
        return Effect.void
      }
      return Effect.flatten(
        Effect.timeoutTo(wait, { duration: leftMillis, onSuccess, onTimeout: () => cut(response) })
      )
    })
  const wait = within(drained(response))
  return {
    write: (text) =>
      Effect.suspend(() => {
        if (!response.headersSent) writeHead()
        return response.write(text) ? Effect.void : wait
      }),
    // A response without a socket waits behind that of an earlier request.
    end: Effect.suspend(() =>
      Effect.map(
        response.socket === null || response.writableLength === 0 ? Effect.void : within(taken(response)),
        () => void response.end()
      )
    )
  }
}
