import { createServer, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HttpExchange from "../../../src/Layers/Outbound/HttpExchange.ts"
import { listeningPort } from "../../fixtures/ListeningPort.ts"
import { turnsUntil } from "../../fixtures/NextTurn.ts"

/** More than the buffers of both ends of a connection take. */
const LARGE_BODY = Buffer.alloc(32 * 1024 * 1024)

describe("HttpExchange", () => {
  it.scoped("closes the connection of a response that arrives before the request was read", () =>
    Effect.gen(function* () {
      const sockets = new Set<Socket>()
      const server = createServer({ pauseOnConnect: true }, (socket) => {
        sockets.add(socket.on("error", () => undefined))
        socket.write("HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno")
      })
      const port = yield* Effect.acquireRelease(listeningPort(server), () =>
        Effect.sync(() => {
          server.close()
          for (const socket of sockets) socket.destroy()
        })
      )
      const agents = yield* HttpExchange.scopedAgents()
      const response = yield* HttpExchange.send(`http://127.0.0.1:${port}/`, {
        method: "POST",
        headers: {},
        body: LARGE_BODY,
        agents,
        maxBodyBytes: () => 100
      })
      assert.deepStrictEqual([response.status, Buffer.from(response.body).toString()], [413, "no"])
      yield* turnsUntil(
        "no connection is left",
        () => Object.keys({ ...agents.http.sockets, ...agents.http.freeSockets }).length === 0
      )
    })
  )
})
