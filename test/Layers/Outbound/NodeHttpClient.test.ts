import { createServer, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Stream } from "effect"
import * as NodeHttpClient from "../../../src/Layers/Outbound/NodeHttpClient.ts"

/** A bare server that hands every connection over once a request has come. */
const server = (answer: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.async<{ readonly port: number; readonly close: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      const listening = createServer((socket) => {
        sockets.add(socket.on("error", () => undefined))
        socket.once("data", () => answer(socket))
      })
      listening.listen(0, "127.0.0.1", () => {
        const address = listening.address()
        const port = address === null || typeof address === "string" ? 0 : address.port
        resume(
          Effect.succeed({
            port,
            close: () => {
              for (const socket of sockets) socket.destroy()
              listening.close()
            }
          })
        )
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const client = NodeHttpClient.make({ connectTimeout: Duration.seconds(10) })

const turnOfTheLoop = Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))

const MEBIBYTE = 1024 * 1024

describe("NodeHttpClient", () => {
  for (const size of [64 * 1024, 4 * MEBIBYTE])
    it.scoped(`reads ${size} bytes to the end, however slowly, from a server that closes after them`, () =>
      Effect.gen(function* () {
        const { port } = yield* server((socket) => {
          socket.write("HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\n")
          socket.end(Buffer.alloc(size, 0x61))
        })
        const response = yield* (yield* client).get(`http://127.0.0.1:${port}/`)
        // Time enough for the end of the connection to come before anybody reads.
        for (let turn = 0; turn < 100; turn++) yield* turnOfTheLoop
        const bytes = yield* Stream.runFoldEffect(response.stream, 0, (sum, piece) =>
          Effect.as(turnOfTheLoop, sum + piece.length)
        )
        assert.strictEqual(bytes, size)
      })
    )

  for (const [how, end] of [
    ["is reset", (socket: Socket) => socket.resetAndDestroy()],
    ["is closed before the announced length", (socket: Socket) => socket.end()]
  ] as const)
    it.scoped(`fails the reader, and nobody else, when the connection ${how} in mid-body`, () =>
      Effect.gen(function* () {
        const { port } = yield* server((socket) =>
          socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc", () => end(socket))
        )
        const response = yield* (yield* client).get(`http://127.0.0.1:${port}/`)
        const error = yield* Effect.flip(Stream.runDrain(response.stream))
        assert.strictEqual(error._tag, "ResponseError")
        assert.propertyVal(error.cause, "code", "ECONNRESET")
      })
    )

  it.scoped("fails when the answer is no HTTP", () =>
    Effect.gen(function* () {
      const { port } = yield* server((socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"))
      const error = yield* Effect.flip((yield* client).get(`http://127.0.0.1:${port}/`))
      assert.propertyVal(error.cause, "code", "HPE_INVALID_CONSTANT")
    })
  )

  for (const head of ["600 Six", "000 Zero", "101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x"])
    it.scoped(`fails when the answer is ${JSON.stringify(head)}`, () =>
      Effect.gen(function* () {
        const { port } = yield* server((socket) => socket.write(`HTTP/1.1 ${head}\r\n\r\n`))
        const error = yield* Effect.flip((yield* client).get(`http://127.0.0.1:${port}/`))
        assert.propertyVal(error.cause, "code", "ENORESPONSE")
      })
    )
})
