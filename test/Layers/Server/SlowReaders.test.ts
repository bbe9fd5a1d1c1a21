import { createServer } from "node:http"
import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import * as Connections from "../../../src/Layers/Server/Connections.ts"
import { listeningPort } from "../../fixtures/ListeningPort.ts"
import { adjust, turnsUntil } from "../../fixtures/NextTurn.ts"
import { serviceUnderTest } from "../../fixtures/ServiceUnderTest.ts"

const { MAX_PIPELINED, MAX_READ_IDLE } = Connections

/** More than the buffers of the system hold. */
const LONG_BODY = Buffer.alloc(32 * 1024 * 1024)

/** A server that sends long responses, and its side of the connections. */
const longResponses = Effect.gen(function* () {
  const connections: Array<Net.Socket> = []
  const server = createServer((_, response) => {
    for (let at = 0; at < LONG_BODY.length; at += 2 ** 20)
      response.write(LONG_BODY.subarray(at, at + 2 ** 20))
    response.end()
  })
  server.on("connection", (socket) => connections.push(socket))
  const { POSITIVE_INFINITY } = Number
  const unlimited = { max: POSITIVE_INFINITY, perAddress: POSITIVE_INFINITY, remote: POSITIVE_INFINITY }
  const { admit, resetSlowReaders } = Connections.make(unlimited, () => undefined)
  server.on("connection", admit)
  yield* resetSlowReaders
  const port = yield* Effect.acquireRelease(listeningPort(server), () =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
  )
  return { port, connections }
})

const connect = (port: number) =>
  Effect.acquireRelease(
    Effect.async<Net.Socket>((resume) => {
      const socket = Net.connect(port, "127.0.0.1", () => resume(Effect.succeed(socket)))
      socket.on("error", () => undefined)
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Everything that the socket receives, and whether it is closed. */
const received = (socket: Net.Socket) => {
  const seen = { text: "", isClosed: false }
  socket.on("data", (piece) => {
    seen.text += piece.toString("latin1")
  })
  socket.on("close", () => {
    seen.isClosed = true
  })
  return seen
}

const GET = "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n"

const service = serviceUnderTest()

describe("a client that does not read its responses", () => {
  it.scoped("is reset after two minutes, also if it sends data meanwhile", () =>
    Effect.gen(function* () {
      const { port, connections } = yield* longResponses
      const client = yield* connect(port)
      client.pause()
      client.write(GET)
      yield* turnsUntil("the response waits for its reader", () => (connections[0]?.writableLength ?? 0) > 0)
      yield* adjust(Duration.subtract(MAX_READ_IDLE, "1 second"))
      const before = connections[0]?.bytesRead ?? 0
      client.write("\r\n")
      yield* turnsUntil("the empty line has arrived", () => (connections[0]?.bytesRead ?? 0) > before)
      assert.isFalse(connections[0]?.destroyed)
      yield* adjust("10 seconds")
      assert.isTrue(connections[0]?.destroyed)
    })
  )

  it.scoped("is not reset while it reads", () =>
    Effect.gen(function* () {
      const { port, connections } = yield* longResponses
      const client = yield* connect(port)
      const left = () => connections[0]?.writableLength ?? 0
      for (let times = 0; times < 3; times++) {
        client.pause()
        client.write(GET)
        yield* turnsUntil("the response waits for its reader", () => left() > 0)
        yield* adjust(Duration.subtract(MAX_READ_IDLE, "6 seconds"))
        client.resume()
        yield* turnsUntil("the response is read", () => left() === 0)
      }
      assert.isFalse(connections[0]?.destroyed)
    })
  )

  it.scoped("is reset although it sends empty lines when it has nothing left to read", () =>
    Effect.gen(function* () {
      const client = yield* connect(yield* service)
      const seen = received(client)
      client.write(GET)
      yield* turnsUntil("the first response has arrived", () => seen.text.includes("\r\n\r\n"))
      yield* adjust(Duration.subtract(MAX_READ_IDLE, "1 second"))
      client.write(`\r\n${GET}`)
      yield* turnsUntil("the second response has arrived", () => seen.text.split("HTTP/1.1 200").length === 3)
      yield* adjust(Duration.subtract(MAX_READ_IDLE, "1 second"))
      assert.isFalse(seen.isClosed)
      client.write("\r\n")
      yield* adjust("10 seconds")
      yield* turnsUntil("the connection is closed", () => seen.isClosed)
    })
  )

  it.scoped("may pipeline as many requests as the maximum, and is reset for one more", () =>
    Effect.gen(function* () {
      const port = yield* service
      const most = yield* connect(port)
      const seen = received(most)
      // The first one is not queued behind another.
      const requests = 1 + MAX_PIPELINED
      for (let times = 1; times <= 2; times++) {
        most.write(GET.repeat(requests))
        yield* turnsUntil(
          `${times * requests} responses have arrived`,
          () => seen.text.split("HTTP/1.1 200").length === 1 + times * requests
        )
      }
      assert.isFalse(seen.isClosed)
      const over = yield* connect(port)
      const none = received(over)
      over.write(GET.repeat(requests + 1))
      yield* turnsUntil("the connection is closed", () => none.isClosed)
    })
  )
})
