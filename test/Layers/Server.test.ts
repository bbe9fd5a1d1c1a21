import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Scope, TestClock } from "effect"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import * as Server from "../../src/Layers/Server.ts"
import { nextTurn, turnsUntil } from "../fixtures/NextTurn.ts"
import { send } from "../fixtures/Request.ts"
import { environment, noCheckers, serviceUnderTest } from "../fixtures/ServiceUnderTest.ts"

/** The response to a raw request, which must have `Connection: close`. */
const exchange = (port: number, bytes: string) =>
  Effect.async<string>((resume) => {
    const socket = Net.connect(port, "127.0.0.1", () => socket.write(bytes))
    let text = ""
    socket.on("data", (piece) => {
      text += piece.toString("latin1")
    })
    socket.on("close", () => resume(Effect.succeed(text)))
  })

describe("the error of a port", () => {
  it.each([
    ["EADDRINUSE", "PORT 80 is in use by another program. Stop that program, or set PORT to another port"],
    [
      "EACCES",
      "PORT 80 needs rights that this process does not have (EACCES). Set PORT to a port from 1024 on"
    ],
    ...["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN", "EINVAL", "EAFNOSUPPORT"].map((code) => [
      code,
      `HOST "10.0.0.1\\u009b" is no address of this machine (${code}). Set HOST to one, or to nothing to listen on all`
    ]),
    ["EMFILE", "Cannot listen on PORT 80 (EMFILE)"]
  ])("%s names the variable to change", (code, message) => {
    const cause = Object.assign(new Error("x"), { code })
    const host = Option.some("10.0.0.1\u009b")
    const error = new Server.ListenError({ variable: "PORT", port: 80, host, cause })
    assert.strictEqual(error.message, message)
  })
})

describe("Server", () => {
  it.scoped("reads the last X-Forwarded-For after 2,000 other headers", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest(noCheckers, { RATE_LIMIT: "2", TRUSTED_PROXIES: "1" })
      const statuses: Array<string> = []
      for (let sent = 1; sent <= 3; sent++) {
        const answer = yield* exchange(
          port,
          `POST /api/check HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Forwarded-For: 198.51.100.${sent}\r\n` +
            `${"a:\r\n".repeat(2000)}X-Forwarded-For: 203.0.113.7\r\n\r\n`
        )
        statuses.push(answer.slice("HTTP/1.1 ".length, "HTTP/1.1 400".length))
      }
      assert.deepStrictEqual(statuses, ["400", "400", "429"])
    })
  )

  for (const target of ["/api/check", "/api/check?x=1"])
    it.scoped(`interrupts all pipelined requests to ${target} when the client resets the connection`, () =>
      Effect.gen(function* () {
        let started = 0
        let interrupted = 0
        const port = yield* serviceUnderTest({
          checkAll: () => {
            started++
            return Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++))
          }
        })
        const body = '{"url":"x"}'
        const request = `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
        const client = Net.connect(port, "127.0.0.1")
        client.write(request.repeat(5))
        yield* turnsUntil(() => started === 5)
        client.resetAndDestroy()
        yield* turnsUntil(() => interrupted === 5)
      })
    )

  it.scoped(
    "sends the rest of a long response after idle connections are closed, then closes its connection",
    () =>
      Effect.gen(function* () {
        const length = 16 * 1024 * 1024
        const scope = yield* Scope.make()
        const port = yield* Scope.extend(
          serving(() => Effect.succeed({ status: 200, headers: {}, body: new Uint8Array(length) })),
          scope
        )
        let received = 0
        let isClosed = false
        const client = Net.connect(port, "127.0.0.1")
        client.on("close", () => {
          isClosed = true
        })
        client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        client.once("data", (piece) => {
          received += piece.length
          client.pause()
        })
        yield* turnsUntil(() => received > 0)
        const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
        yield* TestClock.adjust("1 second")
        client.on("data", (piece) => {
          received += piece.length
        })
        client.resume()
        yield* turnsUntil(() => isClosed || received > length)
        assert.isAbove(received, length)
        for (let second = 2; second < 10 && !isClosed; second++) {
          yield* TestClock.adjust("1 second")
          yield* Effect.repeatN(nextTurn, 50)
        }
        assert.isTrue(isClosed)
        yield* Fiber.join(closing)
      })
  )

  const serving = (handler: Server.Handler) =>
    Server.serve({ main: handler, admin: handler }, { status: 500, headers: {}, body: "defect" }).pipe(
      Effect.map(({ port }) => port),
      Effect.provide(AppConfig.layer),
      Effect.provide(environment({ PORT: "0", HOST: "127.0.0.1" }))
    )

  for (const [what, response] of [
    ["a handler dies", Effect.die(new Error("bug"))],
    ["a handler interrupts itself", Effect.interrupt],
    ["node refuses a header", Effect.succeed({ status: 200, headers: { "x-bad": "a\nb" }, body: "" })]
  ] as const)
    it.scoped(`answers at once, and goes on, when ${what}`, () =>
      Effect.gen(function* () {
        const port = yield* serving(() => response)
        for (let sent = 0; sent < 2; sent++) {
          const answer = yield* send(port, { method: "GET", path: "/" })
          assert.deepStrictEqual([answer.status, answer.body], [500, "defect"])
        }
      })
    )
})
