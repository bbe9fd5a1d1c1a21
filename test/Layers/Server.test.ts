import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Option, Scope } from "effect"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import * as Server from "../../src/Layers/Server.ts"
import { collect } from "../fixtures/LogLines.ts"
import { adjust, nextTurn, turnsUntil } from "../fixtures/NextTurn.ts"
import { environment, serviceUnderTest } from "../fixtures/ServiceUnderTest.ts"

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
      `HOST "10.0.0.1\u009b" is not an address of this machine (${code}). Set HOST to one, or to nothing to listen on all`
    ]),
    ["EMFILE", "Cannot listen on PORT 80 (EMFILE)"]
  ])("%s names the variable to change", (code, message) => {
    const cause = Object.assign(new Error("x"), { code })
    const host = Option.some("10.0.0.1\u009b")
    const error = new Server.ListenError({ variable: "PORT", port: 80, host, cause })
    assert.strictEqual(error.message, message)
  })
})

describe("the rejection of a request that node accepts", () => {
  const chunked = ["Transfer-Encoding", "chunked"]
  for (const [headers, status] of [
    [["Host", "a"], undefined],
    [[], undefined],
    [["Host", ""], undefined],
    [["Host", "a.example:4000"], undefined],
    [["Host", "a.example:"], undefined],
    [["Host", "192.0.2.1"], undefined],
    [["Host", "[2001:db8::1]:80"], undefined],
    [["Host", "my_service"], undefined],
    [["Host", "%c3%a4"], undefined],
    [["Host", "a", "host", "a"], 400],
    [["Host", "a", "X-A", "b", "HOST", "b"], 400],
    [["Host", "a b"], 400],
    [["Host", "a\tb"], 400],
    [["Host", "a/b"], 400],
    [["Host", "b@a"], 400],
    [["Host", "a:b"], 400],
    [["Host", "a:1:2"], 400],
    [["Host", "[::1"], 400],
    [["Host", "::1"], 400],
    [["Host", "%4"], 400],
    [["Host", "\u00e4"], 400],
    [["Host", "a", ...chunked], undefined],
    [["Host", "a", "transfer-encoding", "CHUNKED"], undefined],
    [["Host", "a b", "Transfer-Encoding", "gzip, chunked"], 400],
    [["Host", "a", "Transfer-Encoding", "gzip, chunked"], 501],
    [["Host", "a", "Transfer-Encoding", "gzip", ...chunked], 501],
    [["Host", "a", "Transfer-Encoding", "identity, chunked"], 501],
    [["Host", "a", ...chunked, ...chunked], 501]
  ] as const)
    it(`is ${status} for ${JSON.stringify(headers)}`, () =>
      assert.strictEqual(Server.rejectionOf(headers), status))

  for (const [what, text, status] of [
    ["two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400 Bad Request"],
    ["an invalid Host", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "400 Bad Request"],
    [
      "a compressed body",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
      "501 Not Implemented"
    ]
  ] as const)
    it.scoped(`has no body and ends the connection: ${what}`, () =>
      Effect.gen(function* () {
        const port = yield* serviceUnderTest()
        const response = yield* exchange(port, text)
        assert.match(
          response,
          new RegExp(`^HTTP/1\\.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n`)
        )
        assert.isTrue(response.endsWith("\r\n\r\n"))
      })
    )
})

describe("Server", () => {
  it.scoped("reads the last X-Forwarded-For after 2,000 other headers", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ env: { RATE_LIMIT: "2", TRUSTED_PROXIES: "1" } })
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
          checkers: {
            checkAll: () => {
              started++
              return Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++))
            }
          }
        })
        const body = '{"url":"x"}'
        const request = `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
        const client = Net.connect(port, "127.0.0.1")
        client.write(request.repeat(5))
        yield* turnsUntil("5 checks have started", () => started === 5)
        client.resetAndDestroy()
        yield* turnsUntil("5 checks are interrupted", () => interrupted === 5)
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
        yield* turnsUntil("the response has begun to arrive", () => received > 0)
        const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
        yield* adjust("1 second")
        client.on("data", (piece) => {
          received += piece.length
        })
        client.resume()
        yield* turnsUntil(
          "the response is read, or the connection closed",
          () => isClosed || received > length
        )
        assert.isAbove(received, length)
        for (let second = 2; second < 10 && !isClosed; second++) {
          yield* adjust("1 second")
          yield* Effect.repeatN(nextTurn, 50)
        }
        assert.isTrue(isClosed)
        yield* Fiber.join(closing)
      })
  )

  const serving = (handler: Server.Handler) =>
    Server.serve({ main: handler, admin: handler }).pipe(
      Effect.map(({ port }) => port),
      Effect.provide(AppConfig.layer),
      Effect.provide(environment({ PORT: "0", HOST: "127.0.0.1" }))
    )

  it.scoped("ends a connection whose headers are incomplete soon after the shutdown began", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const port = yield* Scope.extend(
        serving(() => Effect.succeed({ status: 200, headers: {}, body: "first" })),
        scope
      )
      let text = ""
      const client = Net.connect(port, "127.0.0.1")
      client.on("data", (piece) => {
        text += piece.toString("latin1")
      })
      client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n")
      yield* turnsUntil("the first request is answered", () => text.includes("first"))
      // By node's own timer, in one or two seconds: the clock of the test stands still.
      const begunAt = performance.now()
      yield* Scope.close(scope, Exit.void)
      yield* turnsUntil("the client has all of it", () => client.closed)
      assert.match(text, /HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n\r\n$/)
      assert.isBelow(performance.now() - begunAt, 8000)
    })
  )

  it.scoped("closes the connection, logs it and goes on when node rejects a header", () =>
    Effect.gen(function* () {
      const { lines, layer } = collect()
      const port = yield* Effect.provide(
        serving(() => Effect.succeed({ status: 200, headers: { "x-bad": "a\nb" }, body: "" })),
        layer
      )
      for (let sent = 0; sent < 2; sent++)
        assert.strictEqual(yield* exchange(port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"), "")
      assert.deepStrictEqual(
        lines.map(({ level, message }) => [level, message]),
        [
          ["error", "A response could not be sent"],
          ["error", "A response could not be sent"]
        ]
      )
    })
  )

  it.scoped("logs no error for requests whose client leaves", () =>
    Effect.gen(function* () {
      const { lines, layer } = collect()
      let interrupted = 0
      let started = 0
      const port = yield* Effect.provide(
        serving(() => {
          started++
          return Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++))
        }),
        layer
      )
      const client = Net.connect(port, "127.0.0.1").on("error", () => undefined)
      client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(16))
      yield* turnsUntil("16 requests have started", () => started === 16)
      // One that only closes its side still gets its answer.
      client.resetAndDestroy()
      yield* Effect.repeatN(nextTurn, 20)
      yield* adjust("1 second")
      yield* turnsUntil("16 requests are interrupted", () => interrupted === 16)
      assert.deepStrictEqual(lines, [])
    })
  )

  const late = Effect.as(Effect.repeatN(nextTurn, 20), {
    status: 200,
    headers: { "content-length": "4" },
    body: "late"
  })

  for (const version of ["1.1", "1.0"])
    it.scoped(`sends the response to a client of HTTP/${version} that closes its side first`, () =>
      Effect.gen(function* () {
        const port = yield* serving(() => late)
        const text = yield* Effect.async<string>((resume) => {
          const socket = Net.connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () =>
            socket.end(`GET / HTTP/${version}\r\nHost: a\r\n\r\n`)
          )
          let text = ""
          socket.on("data", (piece) => {
            text += piece.toString("latin1")
          })
          socket.on("close", () => resume(Effect.succeed(text)))
        })
        assert.isTrue(text.startsWith("HTTP/1.1 200 OK\r\n"), text)
        assert.isTrue(text.endsWith("\r\n\r\nlate"), text)
      })
    )

  it.scoped("resets a connection whose client does not read the response within maxSendTime", () =>
    Effect.gen(function* () {
      let closed = 0
      const port = yield* serving(({ onClose }) => {
        onClose(() => closed++)
        return Effect.succeed({
          status: 200,
          headers: {},
          body: new Uint8Array(16 * 1024 * 1024),
          maxSendTime: Duration.seconds(10)
        })
      })
      const client = Net.connect(port, "127.0.0.1").on("error", () => undefined)
      yield* Effect.addFinalizer(() => Effect.sync(() => client.destroy()))
      let received = 0
      client.once("data", (piece) => {
        received += piece.length
        client.pause()
      })
      client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      yield* turnsUntil("the response has begun to arrive", () => received > 0)
      yield* adjust("9 seconds")
      yield* Effect.repeatN(nextTurn, 20)
      assert.strictEqual(closed, 0)
      yield* adjust("1 seconds")
      yield* turnsUntil("the connection is closed", () => closed === 1)
    })
  )

  for (const [what, writes, expected] of [
    ["reads the body", true, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/],
    ["does not", false, /^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*connection: close\r\n/i]
  ] as const)
    it.scoped(`sends 100 Continue to a client that expects it only if the handler ${what}`, () =>
      Effect.gen(function* () {
        const port = yield* serving(({ request, writeContinue }) => {
          if (writes) writeContinue()
          request.resume()
          return Effect.succeed({ status: 200, headers: {}, body: "" })
        })
        const socket = Net.connect(port, "127.0.0.1")
        yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
        let text = ""
        socket.on("data", (piece) => {
          text += piece.toString("latin1")
        })
        socket.write("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n")
        yield* turnsUntil(
          "the response has arrived",
          () => text.includes("200 OK") && text.endsWith("\r\n\r\n")
        )
        assert.match(text, expected)
      })
    )
})
