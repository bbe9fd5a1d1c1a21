import type { ServerResponse } from "node:http"
import { Duration, Effect } from "effect"
import * as MonotonicTime from "../Time/MonotonicTime.ts"

/**
 * How long the writes of one response may wait for its client in all. Whoever streams holds memory, and perhaps a place, that
 * a client which reads slowly must not keep.
 */
export const MAX_READ_WAIT = Duration.seconds(60)

/** Sends text, and completes when the client may be sent more. Cuts the connection after `MAX_READ_WAIT`. */
export type Write = (text: string) => Effect.Effect<void>

/** Completes when the system has taken what was written. */
const drained = (response: ServerResponse): Effect.Effect<void> =>
  Effect.async((resume) => {
    const onDrain = () => resume(Effect.void)
    response.once("drain", onDrain)
    return Effect.sync(() => response.off("drain", onDrain))
  })

/** Never completes: the server interrupts the fiber of a connection that is closed. */
const cut = (response: ServerResponse): Effect.Effect<never> =>
  Effect.zipRight(
    Effect.sync(() => response.req.socket.resetAndDestroy()),
    Effect.never
  )

/** The writes of a response, whose head `writeHead` sends with the first of them. */
export const writer = (response: ServerResponse, writeHead: () => void): Write => {
  let leftMillis = Duration.toMillis(MAX_READ_WAIT)
  const wait = Effect.clockWith((clock) => {
    const from = MonotonicTime.millis(clock)
    const onDrained = () => {
      leftMillis = Math.max(1, leftMillis - (MonotonicTime.millis(clock) - from))
      return Effect.void
    }
    return Effect.flatten(
      Effect.timeoutTo(drained(response), {
        duration: leftMillis,
        onSuccess: onDrained,
        onTimeout: () => cut(response)
      })
    )
  })
  return (text) =>
    Effect.suspend(() => {
      if (!response.headersSent) writeHead()
      return response.write(text) ? Effect.void : wait
    })
}
