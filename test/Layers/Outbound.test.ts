import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { type GetRequest, HttpGet } from "../../src/Layers/Outbound.ts"
import { Tracing } from "../../src/Layers/Tracing.ts"
import { expiredCertificate } from "../fixtures/ExpiredCertificate.ts"
import * as FeedServer from "../fixtures/FeedServer.ts"
import { listeningPort } from "../fixtures/ListeningPort.ts"
import { turnsUntil } from "../fixtures/NextTurn.ts"

const get = (url: URL, request: Partial<GetRequest> = {}) =>
  Effect.flatMap(HttpGet, ({ get }) =>
    get({ url: url.href, headers: {}, maxBodyBytes: () => 100, ...request })
  )

/** The code of the error that a request fails with. */
const codeOf = (url: URL) => Effect.map(Effect.flip(get(url)), ({ code }) => code)

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

describe("HttpGet", () => {
  it.scoped("sends our user agent, the given headers and no others of its own", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      server.serve("/a?x=1", FeedServer.document("body", { headers: { "retry-after": "7" } }))
      const { status, headers, body, isWhole } = yield* Effect.withSpan(
        get(server.url("/a?x=1"), { headers: { "x-goog-api-key": "KEY" } }),
        "a span"
      )
      assert.deepStrictEqual([status, headers["retry-after"], text(body), isWhole], [200, "7", "body", true])
      const [received] = server.received
      assert.deepStrictEqual([received?.method, received?.path], ["GET", "/a?x=1"])
      assert.deepStrictEqual(received?.headers, {
        host: server.url("/").host,
        connection: "keep-alive",
        "user-agent": "url-threat-scoring/0.1.0",
        "x-goog-api-key": "KEY"
      })
    }).pipe(Effect.provide(HttpGet.layer))
  )

  it.scoped("follows no redirects and decodes nothing", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      server.serve("/redirect", FeedServer.redirect("/list"))
      const redirect = yield* get(server.url("/redirect"))
      assert.deepStrictEqual([redirect.status, redirect.headers.location], [302, "/list"])
      assert.lengthOf(server.received, 1)

      const compressed = FeedServer.gzip("body")
      server.serve("/gzip", FeedServer.document(compressed, { headers: { "content-encoding": "gzip" } }))
      const { body } = yield* get(server.url("/gzip"))
      assert.isTrue(Buffer.from(compressed).equals(body))
    }).pipe(Effect.provide(HttpGet.layer))
  )

  it.scoped("reads a body up to the limit of its status, and closes the connection of a longer one", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      server.serve("/whole", FeedServer.document("x".repeat(100), { chunked: true }))
      server.serve("/longer", FeedServer.document("x".repeat(101), { chunked: true }))
      server.serve("/endless", { _tag: "Endless", piece: "x".repeat(1000) })
      server.serve("/stall", { _tag: "Stall", body: "x" })
      server.serve("/head", { _tag: "Stall", body: "" })
      for (const [path, bytes, expected] of [
        ["/whole", 100, true],
        ["/longer", 100, false],
        ["/endless", 100, false],
        ["/stall", 0, false],
        ["/head", 0, false]
      ] as const) {
        const maxBodyBytes = (status: number) => (status === 200 ? bytes : 1)
        const { body, isWhole } = yield* get(server.url(path), { maxBodyBytes })
        assert.deepStrictEqual([path, body.length, isWhole], [path, bytes, expected])
      }
      yield* turnsUntil("two responses are abandoned", () => server.abandoned() >= 2)
    }).pipe(Effect.provide(HttpGet.layer))
  )

  it.scoped("fails with the code when there is no response or its body breaks off", () =>
    Effect.gen(function* () {
      const closed = yield* Effect.scoped(Effect.map(FeedServer.make(), (server) => server.url("/")))
      assert.strictEqual(yield* codeOf(closed), "ECONNREFUSED")
      assert.include(["ENOTFOUND", "EAI_AGAIN"], yield* codeOf(new URL("http://no-such-name.invalid/")))
      const server = yield* FeedServer.make()
      server.serve("/reset", { _tag: "Reset", body: "x" })
      server.serve("/short", { _tag: "Short", body: "x", announced: 2 })
      server.serve("/status", { _tag: "Status", status: 700 })
      assert.strictEqual(yield* codeOf(server.url("/reset")), "ECONNRESET")
      assert.strictEqual(yield* codeOf(server.url("/short")), "ECONNRESET")
      assert.strictEqual(yield* codeOf(server.url("/status")), "ENORESPONSE")
    }).pipe(Effect.provide(HttpGet.layer))
  )

  it.scoped("fails when the certificate is invalid, and sends nothing", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make(expiredCertificate)
      assert.include(["DEPTH_ZERO_SELF_SIGNED_CERT", "CERT_HAS_EXPIRED"], yield* codeOf(server.url("/")))
      assert.deepStrictEqual(server.received, [])
    }).pipe(Effect.provide(HttpGet.layer))
  )

  it.scoped("closes the connection when it is interrupted, before the response or in its body", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      server.serve("/silence", { _tag: "Silence" })
      server.serve("/stall", { _tag: "Stall", body: "x" })
      for (const [at, path] of ["/silence", "/stall"].entries()) {
        const request = yield* Effect.fork(get(server.url(path)))
        yield* turnsUntil("the request has arrived", () => server.received.length > at)
        yield* Fiber.interrupt(request)
        yield* turnsUntil("its connection is closed", () => server.abandoned() > at)
      }
    }).pipe(Effect.provide(HttpGet.layer))
  )

  it.scoped("uses a connection again, and closes all of them with its scope", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      server.serve("/", FeedServer.document("body"))
      server.serve("/silence", { _tag: "Silence" })
      yield* Effect.gen(function* () {
        for (let at = 0; at < 5; at++) yield* get(server.url("/"))
        assert.strictEqual(server.connections(), 1)
        yield* Effect.fork(get(server.url("/silence")))
        yield* turnsUntil("6 requests have arrived", () => server.received.length === 6)
        assert.strictEqual(server.abandoned(), 0)
      }).pipe(Effect.provide(HttpGet.layer), Effect.scoped)
      yield* turnsUntil("the open request is abandoned", () => server.abandoned() === 1)
    })
  )

  /** A server that answers the first request of each connection and resets the connection at the next; counts requests. */
  const resetting = (answersFirst: boolean) =>
    Effect.gen(function* () {
      const received: Array<number> = []
      const used = new Set<unknown>()
      const server = createServer(({ socket }, response) => {
        received.push(used.has(socket) ? 2 : 1)
        if (!answersFirst || used.has(socket)) return socket.resetAndDestroy()
        used.add(socket)
        return response.end("body")
      })
      const port = yield* Effect.acquireRelease(listeningPort(server), () =>
        Effect.sync(() => server.close().closeAllConnections())
      )
      return { url: new URL(`http://127.0.0.1:${port}/`), received }
    })

  it.scoped(
    "is sent again on another connection when one that was used before is closed without a response",
    () =>
      Effect.gen(function* () {
        const { url, received } = yield* resetting(true)
        yield* Effect.all([get(url), get(url), get(url)], { concurrency: "unbounded" })
        assert.deepStrictEqual(received, [1, 1, 1])
        assert.strictEqual(text((yield* get(url)).body), "body")
        assert.deepStrictEqual(received, [1, 1, 1, 2, 2, 2, 1])
      }).pipe(Effect.provide(HttpGet.layer))
  )

  it.scoped("is not sent again when a new connection is closed without a response", () =>
    Effect.gen(function* () {
      const { url, received } = yield* resetting(false)
      assert.strictEqual(yield* codeOf(url), "ECONNRESET")
      assert.deepStrictEqual(received, [1])
    }).pipe(Effect.provide(HttpGet.layer))
  )

  it.scoped("closes the connection of the request that was sent again when it is interrupted", () =>
    Effect.gen(function* () {
      let requests = 0
      const server = createServer(({ socket }, response) => {
        requests++
        if (requests === 1) return response.end("body")
        if (requests === 2) return socket.resetAndDestroy()
        return response.on("close", () => requests++)
      })
      const port = yield* Effect.acquireRelease(listeningPort(server), () =>
        Effect.sync(() => server.close().closeAllConnections())
      )
      const url = new URL(`http://127.0.0.1:${port}/`)
      yield* get(url)
      const second = yield* Effect.fork(get(url))
      yield* turnsUntil("the request is sent again", () => requests === 3)
      yield* Fiber.interrupt(second)
      yield* turnsUntil("its connection is closed", () => requests === 4)
    }).pipe(Effect.provide(HttpGet.layer))
  )

  it.scoped("does not send a request again that is interrupted on a connection that was used before", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      server.serve("/", FeedServer.document("body"))
      server.serve("/silence", { _tag: "Silence" })
      yield* get(server.url("/"))
      const second = yield* Effect.fork(get(server.url("/silence")))
      yield* turnsUntil("two requests have arrived", () => server.received.length === 2)
      yield* Fiber.interrupt(second)
      yield* turnsUntil("the open request is abandoned", () => server.abandoned() === 1)
      yield* get(server.url("/"))
      assert.deepStrictEqual(
        server.received.map(({ path }) => path),
        ["/", "/silence", "/"]
      )
    }).pipe(Effect.provide(HttpGet.layer))
  )

  it.scoped("makes a span with the host only, if traces are on", () =>
    Effect.gen(function* () {
      const server = yield* FeedServer.make()
      const spans: Array<unknown> = []
      const tracing = Layer.succeed(Tracing, {
        isOn: true,
        span: (name, options) => (effect) => {
          spans.push([name, options])
          return effect
        }
      })
      yield* Effect.provide(
        get(server.url("/a?key=SECRET"), { headers: { "x-goog-api-key": "SECRET" } }),
        Layer.provide(HttpGet.layer, tracing)
      )
      assert.deepStrictEqual(spans, [
        [
          "GET",
          {
            kind: "client",
            attributes: { "http.request.method": "GET", "server.address": "127.0.0.1" }
          }
        ]
      ])
    })
  )
})
