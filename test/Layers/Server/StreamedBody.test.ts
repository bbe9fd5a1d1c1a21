import { IncomingMessage, ServerResponse } from "node:http"
import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Scope, TestClock } from "effect"
import { AppConfig } from "../../../src/Layers/AppConfig.ts"
import { MAX_READ_WAIT, make } from "../../../src/Layers/Server/StreamedBody.ts"
import * as Server from "../../../src/Layers/Server.ts"
import { forkNow } from "../../fixtures/ForkNow.ts"
import { nextTurn, turnsUntil } from "../../fixtures/NextTurn.ts"
import { send } from "../../fixtures/Request.ts"
import { environment } from "../../fixtures/ServiceUnderTest.ts"

const serving = (handler: Server.Handler) =>
  Server.serve({ main: handler, admin: handler }, { status: 500, headers: {}, body: "defect" }).pipe(
    Effect.map(({ port }) => port),
    Effect.provide(AppConfig.layer),
    Effect.provide(environment({ PORT: "0", HOST: "127.0.0.1" }))
  )

const head = { status: 201, headers: { "x-a": "b" } }
const GET = { method: "GET", path: "/" }

/** A connection that reads only when it is told to. */
const connect = (port: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = Net.connect(port, "127.0.0.1").pause()
      socket.on("error", () => undefined)
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

describe("a streamed response", () => {
  it.scoped("has the head and all pieces, and leaves the connection open for the next request", () =>
    Effect.gen(function* () {
      let handled = 0
      const port = yield* serving((_, stream) => {
        handled++
        return stream(head, (write) =>
          Effect.zipRight(write("one "), Effect.zipRight(nextTurn, write("two")))
        )
      })
      const answer = yield* send(port, GET)
      assert.deepStrictEqual([answer.status, answer.headers["x-a"], answer.body], [201, "b", "one two"])
      const socket = (yield* connect(port)).resume()
      let text = ""
      socket.on("data", (piece) => {
        text += piece.toString("latin1")
      })
      yield* turnsUntil(() => text.endsWith("\r\n0\r\n\r\n"))
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      yield* turnsUntil(() => handled === 3 && text.split("\r\n0\r\n\r\n").length === 3)
    })
  )

  it.scoped("is sent piece by piece", () =>
    Effect.gen(function* () {
      const port = yield* serving((_, stream) =>
        stream(head, (write) => Effect.zipRight(write("first"), Effect.never))
      )
      const socket = (yield* connect(port)).resume()
      let text = ""
      socket.on("data", (piece) => {
        text += piece.toString("latin1")
      })
      yield* turnsUntil(() => text.includes("first"))
    })
  )

  it.scoped("goes on after a large piece that the system takes at once", () =>
    Effect.gen(function* () {
      const piece = "x".repeat(64 * 1024)
      const port = yield* serving((_, stream) =>
        stream(head, (write) => Effect.zipRight(write(piece), write("end")))
      )
      assert.strictEqual((yield* send(port, GET)).body, `${piece}end`)
    })
  )

  it.effect("is sent to its end by a server that shuts down meanwhile", () =>
    Effect.gen(function* () {
      let hasWritten = false
      const scope = yield* Scope.make()
      const handler: Server.Handler = ({ socket }, stream) =>
        stream(head, (write) => {
          const fill: Effect.Effect<void> = Effect.suspend(() =>
            socket.writableLength > 0 && hasWritten
              ? Effect.void
              : Effect.zipRight(write("x".repeat(8_000)), Effect.zipRight(nextTurn, fill))
          )
          hasWritten = true
          return fill
        })
      const port = yield* Scope.extend(serving(handler), scope)
      const socket = yield* connect(port)
      yield* Effect.repeatN(nextTurn, 2000)
      const closing = yield* forkNow(Scope.close(scope, Exit.void))
      for (let second = 0; second < 3; second++) yield* TestClock.adjust("1 seconds")
      let text = ""
      let isClosed = false
      socket.on("data", (piece) => {
        text = text.slice(-20) + piece.toString("latin1").slice(-20)
      })
      socket.on("close", () => {
        isClosed = true
      })
      socket.resume()
      yield* turnsUntil(() => isClosed || text.endsWith("\r\n0\r\n\r\n"))
      assert.match(text, /x\r\n0\r\n\r\n$/)
      socket.destroy()
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(closing)
    }).pipe(Effect.scoped)
  )

  it.scoped("is the response to a defect until the first piece", () =>
    Effect.gen(function* () {
      const port = yield* serving((_, stream) => stream(head, () => Effect.die(new Error("bug"))))
      const answer = yield* send(port, GET)
      assert.deepStrictEqual([answer.status, answer.body], [500, "defect"])
    })
  )

  for (const [what, end] of [
    ["a defect", (exit: Exit.Exit<Server.HttpResponse>) => exit],
    ["another response", () => Effect.succeed({ status: 500, headers: {}, body: "late" })]
  ] as const)
    it.scoped(`is cut by ${what} after that`, () =>
      Effect.gen(function* () {
        const port = yield* serving((_, stream) =>
          Effect.flatMap(
            Effect.exit(
              stream(head, (write) => Effect.zipRight(write("first"), Effect.die(new Error("bug"))))
            ),
            end
          )
        )
        assert.isTrue(Exit.isFailure(yield* Effect.exit(send(port, GET))))
      })
    )

  it.effect("waits for its client, and is cut when it has waited for MAX_READ_WAIT in all", () =>
    Effect.gen(function* () {
      const socket = new Net.Socket().on("error", () => undefined)
      const response = new ServerResponse(new IncomingMessage(socket))
      const { write } = make(response, () => void response.writeHead(200))
      const piece = "x".repeat(1024 * 1024)
      const first = yield* forkNow(write(piece))
      yield* TestClock.adjust(Duration.subtract(MAX_READ_WAIT, "1 second"))
      assert.isNull(first.unsafePoll())
      response.emit("drain")
      yield* Fiber.join(first)
      const second = yield* forkNow(write(piece))
      yield* TestClock.adjust("999 millis")
      assert.isFalse(socket.destroyed)
      yield* TestClock.adjust("1 millis")
      assert.isTrue(socket.destroyed)
      assert.isNull(second.unsafePoll())
      yield* Fiber.interrupt(second)
      assert.strictEqual(response.listenerCount("drain"), 0)
    })
  )
})
