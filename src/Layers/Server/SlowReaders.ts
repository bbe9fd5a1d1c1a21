import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Duration, Effect, Schedule, type Scope } from "effect"

/**
 * Requests of one connection that may wait for the answers to those before them. Node reads on and keeps all answers for
 * who sends requests and takes no answer. Programs that pipeline at all have some ten under way.
 */
export const MOST_PIPELINED = 64

/**
 * How long a connection may stay open on which the system takes no more of any answer: more than node's own limits and the
 * longest answer together, and enough for the longest script of a page at 15 KB a second, since what waits is seen to be
 * taken only when all of it is.
 */
export const LONGEST_IDLE = Duration.minutes(2)

/** How often it is looked. Looks are counted and not time: who was kept waiting while the process was stopped is not reset. */
const EVERY = Duration.seconds(5)

/** What the system has taken of the answers, and at how many looks it was as much before. */
interface Progress {
  readonly bytes: number
  readonly looks: number
}

/**
 * Resets the connections of a server whose clients do not take their answers, until the scope closes. Node's `timeout`
 * does not: it begins anew whenever the client sends a byte, also an empty line, which is no request. Nor does it reset:
 * what the system holds would wait on.
 */
export const reset = (server: Server): Effect.Effect<void, never, Scope.Scope> =>
  Effect.suspend(() => {
    const open = new Map<Socket, Progress | undefined>()
    server.on("connection", (socket) => {
      open.set(socket, undefined)
      socket.once("close", () => open.delete(socket))
    })
    const look = Effect.sync(() => {
      for (const [socket, before] of open) {
        const bytes = socket.bytesWritten - socket.writableLength
        const looks = before?.bytes === bytes ? before.looks + 1 : 0
        if (looks * Duration.toMillis(EVERY) >= Duration.toMillis(LONGEST_IDLE)) socket.resetAndDestroy()
        else open.set(socket, { bytes, looks })
      }
    })
    return Effect.asVoid(Effect.forkScoped(Effect.repeat(look, Schedule.spaced(EVERY))))
  })

/**
 * Tells of each request whether it is one too many on its connection, which is reset then. When a connection closes, its
 * responses that wait for others are told: node tells only the one whose turn it is.
 */
export const refusal = (): ((request: IncomingMessage, response: ServerResponse) => boolean) => {
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
    // Only a response that does not wait for another has the socket.
    if (response.socket !== null) return false
    const responses = waitingOn(socket)
    if (responses.size >= MOST_PIPELINED) {
      socket.resetAndDestroy()
      return true
    }
    responses.add(response)
    response.once("close", () => responses.delete(response))
    return false
  }
}
