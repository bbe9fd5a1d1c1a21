import { createServer, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import { errorCodeOf } from "../../../src/Layers/ErrorCode.ts"
import * as HttpRequest from "../../../src/Layers/Outbound/HttpRequest.ts"
import { lookupPublic, NOT_PUBLIC } from "../../../src/Lists/PublicAddress.ts"
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

const MEBIBYTE = 1024 * 1024

const agents = HttpRequest.makeAgents({ keepAlive: false })

const request = (url: string, options: Partial<HttpRequest.Options> = {}) =>
  Effect.tryPromise({
    try: () =>
      HttpRequest.send(url, {
        agents,
        method: "GET",
        headers: {},
        body: undefined,
        connectTimeoutMs: 10_000,
        lookup: undefined,
        signal: new AbortController().signal,
        ...options
      }),
    catch: (error) => errorCodeOf(error) ?? "no code"
  })

const codeOf = (options: Partial<HttpRequest.Options>) => Effect.flip(request("http://localhost:1/", options))

const bodyOf = (response: AsyncIterable<Buffer>) =>
  Stream.fromAsyncIterable(response, (error) => errorCodeOf(error) ?? "no code")

describe("HttpRequest", () => {
  it.effect("fails with ECONNECTTIMEOUT when the connection takes too long", () =>
    Effect.gen(function* () {
      // A name server that never answers.
      const code = yield* codeOf({ connectTimeoutMs: 20, lookup: () => undefined })
      assert.strictEqual(code, "ECONNECTTIMEOUT")
    })
  )

  it.effect("fails when the lookup rejects the name", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* codeOf({ lookup: lookupPublic }), NOT_PUBLIC)
      assert.strictEqual(yield* codeOf({}), "ECONNREFUSED")
    })
  )

  it.effect("fails with ABORT_ERR when the signal aborts", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* codeOf({ signal: AbortSignal.abort() }), "ABORT_ERR")
    })
  )

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
          const response = yield* request(`http://127.0.0.1:${port}/`)
          if (fitsInBuffers) yield* Deferred.await(closed)
          yield* nextTurn
          const bytes = yield* Stream.runFoldEffect(bodyOf(response), 0, (sum, piece) =>
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
        const response = yield* request(`http://127.0.0.1:${port}/`)
        assert.strictEqual(yield* Effect.flip(Stream.runDrain(bodyOf(response))), "ECONNRESET")
      })
    )

  it.scoped("sends the method and a body with its length", () =>
    Effect.gen(function* () {
      const received = yield* Deferred.make<string>()
      const port = yield* server((socket, request) => {
        Deferred.unsafeDone(received, Effect.succeed(request))
        socket.write("HTTP/1.1 204 No Content\r\n\r\n")
      })
      const response = yield* request(`http://127.0.0.1:${port}/x`, { method: "POST", body: '{"a":1}' })
      assert.strictEqual(response.statusCode, 204)
      const text = yield* Deferred.await(received)
      assert.match(text, /^POST \/x HTTP\/1\.1\r\n/)
      assert.match(text, /\r\ncontent-length: 7\r\n/i)
      assert.match(text, /\r\n\r\n\{"a":1\}$/)
    })
  )

  it.scoped("fails when the response is not HTTP", () =>
    Effect.gen(function* () {
      const port = yield* server((socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"))
      assert.strictEqual(yield* Effect.flip(request(`http://127.0.0.1:${port}/`)), "HPE_INVALID_CONSTANT")
    })
  )

  for (const head of ["600 Six", "000 Zero", "101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x"])
    it.scoped(`fails when the response is ${JSON.stringify(head)}`, () =>
      Effect.gen(function* () {
        const port = yield* server((socket) => socket.write(`HTTP/1.1 ${head}\r\n\r\n`))
        assert.strictEqual(yield* Effect.flip(request(`http://127.0.0.1:${port}/`)), "ENORESPONSE")
      })
    )
})
