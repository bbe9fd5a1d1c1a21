import type { Server } from "node:http"
import type { Socket } from "node:net"
import { Duration, Effect, type Scope } from "effect"
import * as BackgroundLoop from "../Time/BackgroundLoop.ts"

/**
 * How long a connection may stay open while the system takes no more bytes of a response. Longer than node's own limits, and
 * enough for the longest script of a page at 15 KB a second: progress shows only when the whole buffered part is taken.
 */
export const MAX_READ_IDLE = Duration.minutes(2)

/** How often connections are inspected. */
const INSPECTION_INTERVAL = Duration.seconds(5)

/** Inspections are counted, not time: a pause of the whole process must not reset clients. */
const MAX_IDLE_INSPECTIONS = Duration.toMillis(MAX_READ_IDLE) / Duration.toMillis(INSPECTION_INTERVAL)

/** How many response bytes the system had taken, and for how many inspections that has not changed. */
interface Progress {
  readonly bytes: number
  readonly unchanged: number
}

/**
 * Resets connections whose clients do not read their responses, until the scope closes. Node's `timeout` does not: any byte
 * that the client sends restarts it, even an empty line. Nor does it reset: what the system has buffered would wait on.
 */
export const resetIdle = (server: Server): Effect.Effect<void, never, Scope.Scope> =>
  Effect.suspend(() => {
    const open = new Map<Socket, Progress | undefined>()
    server.on("connection", (socket) => {
      open.set(socket, undefined)
      socket.once("close", () => open.delete(socket))
    })
    const inspect = Effect.sync(() => {
      for (const [socket, before] of open) {
        const bytes = socket.bytesWritten - socket.writableLength
        const unchanged = before?.bytes === bytes ? before.unchanged + 1 : 0
        if (unchanged >= MAX_IDLE_INSPECTIONS) socket.resetAndDestroy()
        else open.set(socket, { bytes, unchanged })
      }
    })
    return Effect.asVoid(
      BackgroundLoop.fork("slow readers", Effect.zipRight(inspect, Effect.sleep(INSPECTION_INTERVAL)))
    )
  })
