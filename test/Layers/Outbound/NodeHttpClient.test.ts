import { createServer, type Socket } from "node:net"
import { HttpClientRequest } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Stream } from "effect"
import * as NodeHttpClient from "../../../src/Layers/Outbound/NodeHttpClient.ts"
import { listeningPort } from "../../fixtures/ListeningPort.ts"
import { nextTurn } from "../../fixtures/NextTurn.ts"

/** The port of a TCP server that passes each connection to `answer` when the request has arrived. */
const server = (answer: (socket: Socket, request: string) => void) =>
  Effect.suspend(() => {
    const sockets = new Set<Socket>()
    const listening = createServer((socket) => {
      sockets.add(socket.on("error", () => undefined))
      socket.once("data", (request) => answer(socket, request.toString("latin1")))
    })
    return Effect.acquireRelease(listeningPort(listening), () =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        listening.close()
      })
    )
  })

const client = NodeHttpClient.make({ connectTimeout: Duration.seconds(10) })

const MEBIBYTE = 1024 * 1024

describe("NodeHttpClient", () => {
  for (const [size, fitsInBuffers] of [
    [64 * 1024, true],
    [4 * MEBIBYTE, false]
  ] as const)
    it.scoped(
      `reads ${size} bytes to the end slowly from a server that closes the connection after them`,
      () =>
        Effect.gen(function* () {
          const closed = yield* Deferred.make<void>()
          const port = yield* server((socket) => {
            socket.write("HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\n")
            socket.end(Buffer.alloc(size, 0x61), () => Deferred.unsafeDone(closed, Effect.void))
          })
          const response = yield* (yield* client).get(`http://127.0.0.1:${port}/`)
          if (fitsInBuffers) yield* Deferred.await(closed)
          yield* nextTurn
          const bytes = yield* Stream.runFoldEffect(response.stream, 0, (sum, piece) =>
            Effect.as(nextTurn, sum + piece.length)
          )
          assert.strictEqual(bytes, size)
        })
    )

  for (const [how, end] of [
    ["is reset", (socket: Socket) => socket.resetAndDestroy()],
    ["is closed before the announced length", (socket: Socket) => socket.end()]
  ] as const)
    it.scoped(`fails the reader of the body when the connection ${how} in mid-body`, () =>
      Effect.gen(function* () {
        const port = yield* server((socket) =>
          socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc", () => end(socket))
        )
        const response = yield* (yield* client).get(`http://127.0.0.1:${port}/`)
        const error = yield* Effect.flip(Stream.runDrain(response.stream))
        assert.strictEqual(error._tag, "ResponseError")
        assert.propertyVal(error.cause, "code", "ECONNRESET")
      })
    )

  it.scoped("sends the method and a body with its type and length", () =>
    Effect.gen(function* () {
      const received = yield* Deferred.make<string>()
      const port = yield* server((socket, request) => {
        Deferred.unsafeDone(received, Effect.succeed(request))
        socket.write("HTTP/1.1 204 No Content\r\n\r\n")
      })
      const request = HttpClientRequest.bodyUnsafeJson(HttpClientRequest.put(`http://127.0.0.1:${port}/x`), {
        a: 1
      })
      assert.strictEqual((yield* (yield* client).execute(request)).status, 204)
      const text = yield* Deferred.await(received)
      assert.match(text, /^PUT \/x HTTP\/1\.1\r\n/)
      assert.match(text, /\r\ncontent-type: application\/json\r\n/i)
      assert.match(text, /\r\ncontent-length: 7\r\n/i)
      assert.match(text, /\r\n\r\n\{"a":1\}$/)
    })
  )

  it.scoped("fails on a kind of body that it does not send", () =>
    Effect.gen(function* () {
      const request = HttpClientRequest.bodyStream(
        HttpClientRequest.post("http://127.0.0.1:1/"),
        Stream.empty
      )
      const error = yield* Effect.flip((yield* client).execute(request))
      assert.strictEqual(error.reason, "Encode")
    })
  )

  it.scoped("fails when the response is not HTTP", () =>
    Effect.gen(function* () {
      const port = yield* server((socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"))
      const error = yield* Effect.flip((yield* client).get(`http://127.0.0.1:${port}/`))
      assert.propertyVal(error.cause, "code", "HPE_INVALID_CONSTANT")
    })
  )

  for (const head of ["600 Six", "000 Zero", "101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x"])
    it.scoped(`fails when the response is ${JSON.stringify(head)}`, () =>
      Effect.gen(function* () {
        const port = yield* server((socket) => socket.write(`HTTP/1.1 ${head}\r\n\r\n`))
        const error = yield* Effect.flip((yield* client).get(`http://127.0.0.1:${port}/`))
        assert.propertyVal(error.cause, "code", "ENORESPONSE")
      })
    )
})
