import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, TestClock } from "effect"
import { AppConfig } from "../../../src/Layers/AppConfig.ts"
import { MAX_PIPELINED } from "../../../src/Layers/Server/Connections.ts"
import * as Server from "../../../src/Layers/Server.ts"
import { nextTurn, turnsUntil } from "../../fixtures/NextTurn.ts"
import { environment, noCheckers, serviceUnderTest } from "../../fixtures/ServiceUnderTest.ts"

const { MAX_SEND_TIME } = Server

/** More than the buffers of the system hold. */
const LONG_BODY = new Uint8Array(32 * 1024 * 1024)

/** A server that sends long responses. */
const longResponses = Server.serve({
  main: () => Effect.succeed({ status: 200, headers: {}, body: LONG_BODY }),
  admin: () => Effect.never
}).pipe(
  Effect.map(({ port }) => port),
  Effect.provide(AppConfig.layer),
  Effect.provide(environment({ PORT: "0", HOST: "127.0.0.1" }))
)

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

const service = serviceUnderTest(noCheckers)

describe("a client that does not read its responses", () => {
  it.scoped("is reset after two minutes, also if it sends data meanwhile", () =>
    Effect.gen(function* () {
      const client = yield* connect(yield* longResponses)
      const seen = received(client)
      client.once("data", () => client.pause())
      client.write(GET)
      yield* turnsUntil(() => client.isPaused())
      yield* TestClock.adjust(Duration.subtract(MAX_SEND_TIME, "1 second"))
      client.write("\r\n")
      yield* Effect.repeatN(nextTurn, 20)
      assert.isFalse(seen.isClosed)
      yield* TestClock.adjust("1 second")
      // Paused, a socket does not notice the reset.
      client.resume()
      yield* turnsUntil(() => seen.isClosed)
      assert.isBelow(seen.text.length, LONG_BODY.length)
    })
  )

  it.scoped("is not reset while it reads each response in time", () =>
    Effect.gen(function* () {
      const client = yield* connect(yield* longResponses)
      let bytes = 0
      client.on("data", (piece) => {
        bytes += piece.length
      })
      const seen = { isClosed: false }
      client.on("close", () => {
        seen.isClosed = true
      })
      for (let times = 1; times <= 3; times++) {
        client.once("data", () => client.pause())
        client.write(GET)
        yield* turnsUntil(() => client.isPaused())
        yield* TestClock.adjust(Duration.subtract(MAX_SEND_TIME, "1 second"))
        client.resume()
        yield* turnsUntil(() => bytes > times * LONG_BODY.length)
      }
      assert.isFalse(seen.isClosed)
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
        yield* turnsUntil(() => seen.text.split("HTTP/1.1 200").length === 1 + times * requests)
      }
      assert.isFalse(seen.isClosed)
      const over = yield* connect(port)
      const none = received(over)
      over.write(GET.repeat(requests + 1))
      yield* turnsUntil(() => none.isClosed)
    })
  )
})
