import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Duration, Effect, type Scope } from "effect"
import * as BackgroundLoop from "../BackgroundLoop.ts"

/**
 * Pipelined requests of one connection that may wait for the responses before theirs. Node goes on reading requests and
 * buffers all responses for a client that reads none. Clients that pipeline at all have some ten under way.
 */
export const MAX_PIPELINED = 64

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

/**
 * Tells for each request whether its connection has too many pipelined ones; that connection is reset. Also emits `close` for
 * the waiting responses of a connection that closed: node does so only for the response whose turn it is.
 */
export const limitPipelining = (): ((request: IncomingMessage, response: ServerResponse) => boolean) => {
  const waiting = new WeakMap<Socket, Set<ServerResponse>>()

  const waitingOn = (socket: Socket): Set<ServerResponse> => {
    const known = waiting.get(socket)
    if (known !== undefined) return known
    const responses = new Set<ServerResponse>()
    waiting.set(socket, responses)
    socket.once("close", () => {
      for (const response of responses) if (response.socket === null) response.emit("close")
    })
    return responses
  }

  return ({ socket }, response) => {
    // Only the response whose turn it is has the socket.
    if (response.socket !== null) return false
    const responses = waitingOn(socket)
    if (responses.size >= MAX_PIPELINED) {
      socket.resetAndDestroy()
      return true
    }
    responses.add(response)
    response.once("close", () => responses.delete(response))
    return false
  }
}
