import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/**
 * Pipelined requests of one connection that may wait for the responses before theirs. Node goes on reading requests and
 * buffers all responses for a client that reads none. Clients that pipeline at all have some ten under way.
 */
export const MAX_PIPELINED = 64

/**
 * Returns the function that notes a request, and returns whether its connection may have that many: false if more than
 * `MAX_PIPELINED` of its requests wait.
 *
 * When a connection closes, it also emits `close` for the responses that wait: node does so only for the response whose turn
 * it is, and the handlers of the others would run on.
 */
export const make = (): ((request: IncomingMessage, response: ServerResponse) => boolean) => {
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
    if (response.socket !== null) return true
    const responses = waitingOn(socket)
    if (responses.size >= MAX_PIPELINED) return false
    responses.add(response)
    response.once("close", () => responses.delete(response))
    return true
  }
}
