import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Logger, LogLevel, Ref, Scope } from "effect"
import type { Outcome } from "../../src/Checkers/Checker.ts"
import { forkNow } from "../fixtures/ForkNow.ts"
import { collect } from "../fixtures/LogLines.ts"
import { adjust, turnsUntil } from "../fixtures/NextTurn.ts"
import { postJson, send } from "../fixtures/Request.ts"
import { serviceUnderTest } from "../fixtures/ServiceUnderTest.ts"

describe("the server", () => {
  const notFound: ReadonlyArray<string> = [
    "/api",
    "/api/check/",
    "/API/check",
    "//api/check",
    "/health",
    "/x?url=1",
    "/%61pi/check"
  ]
  for (const path of notFound)
    it.scoped(`responds with 404 to ${path}`, () =>
      Effect.gen(function* () {
        const port = yield* serviceUnderTest()
        for (const method of ["GET", "POST"]) {
          const answer = yield* send(port, { method, path })
          assert.strictEqual(answer.status, 404)
          assert.strictEqual(answer.body, '{"error":"Not found"}')
          assert.strictEqual(answer.headers["content-type"], "application/json")
        }
      })
    )

  for (const [method, path, allow] of [
    ["GET", "/api/check", "POST, OPTIONS"],
    ["PUT", "/api/check?x=1", "POST, OPTIONS"],
    ["DELETE", "/api/check", "POST, OPTIONS"],
    ["TRACE", "/api/check", "POST, OPTIONS"],
    ["GET", "http://host/api/check?x=1", "POST, OPTIONS"],
    ["POST", "/health/live", "GET, HEAD, OPTIONS"],
    ["POST", "/health/ready", "GET, HEAD, OPTIONS"]
  ] as const)
    it.scoped(`responds with 405 to ${method} ${path} and does not count it`, () =>
      Effect.gen(function* () {
        const port = yield* serviceUnderTest()
        const answer = yield* send(port, { method, path })
        assert.strictEqual(answer.status, 405)
        assert.strictEqual(answer.body, '{"error":"Method not allowed"}')
        assert.strictEqual(answer.headers.allow, allow)
        assert.strictEqual((yield* postJson(port, { url: "x" })).headers.ratelimit, '"default";r=99;t=900')
      })
    )

  it.scoped("responds to GET and HEAD of /health/live with 200, and does not count them", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest()
      const answer = yield* send(port, { method: "GET", path: "/health/live" })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.body, '{"status":"live"}')
      assert.notProperty(answer.headers, "ratelimit")
      const head = yield* send(port, { method: "HEAD", path: "/health/live" })
      assert.strictEqual(head.status, 200)
      assert.strictEqual(head.body, "")
    })
  )

  it.scoped("allows any origin to call and read the headers by default, and does not count a preflight", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest()
      const preflight = yield* send(port, {
        method: "OPTIONS",
        headers: {
          origin: "https://app.example.com",
          "access-control-request-method": "POST",
          "access-control-request-headers": "b3,content-type,traceparent"
        }
      })
      assert.strictEqual(preflight.status, 204)
      assert.strictEqual(preflight.headers["access-control-allow-origin"], "*")
      assert.strictEqual(preflight.headers["access-control-allow-methods"], "GET, HEAD, POST")
      assert.strictEqual(
        preflight.headers["access-control-allow-headers"],
        "content-type, traceparent, tracestate, b3"
      )
      assert.strictEqual(preflight.headers["access-control-max-age"], "7200")
      const answer = yield* postJson(port, { url: "x" }, { origin: "https://app.example.com" })
      assert.strictEqual(answer.headers["access-control-allow-origin"], "*")
      assert.strictEqual(
        answer.headers["access-control-expose-headers"],
        "checker-status,list-override,retry-after,ratelimit,ratelimit-policy,x-request-id"
      )
      assert.strictEqual(answer.headers.ratelimit, '"default";r=99;t=900')
    })
  )

  for (const origins of ["https://b.example.com", "https://a.example.com,https://b.example.com"])
    it.scoped(`allows only the origins of CORS_ORIGINS=${origins} to read, also errors`, () =>
      Effect.gen(function* () {
        const port = yield* serviceUnderTest({ env: { CORS_ORIGINS: origins } })
        const allowed = (origin: string) =>
          Effect.map(
            send(port, { headers: { origin }, body: "{}" }),
            ({ headers, status }) => [status, headers["access-control-allow-origin"], headers.vary] as const
          )
        assert.deepStrictEqual(yield* allowed("https://b.example.com"), [
          400,
          "https://b.example.com",
          "Origin"
        ])
        assert.deepStrictEqual(yield* allowed("https://c.example.com"), [400, undefined, "Origin"])
      })
    )

  it.scoped("responds with 500 to a defect of the log, with id and CORS headers", () =>
    Effect.gen(function* () {
      const broken = Logger.make(({ message }) => {
        if (String(message) === "request") throw new RangeError("broken")
      })
      const port = yield* Effect.provide(serviceUnderTest(), Logger.replace(Logger.defaultLogger, broken))
      const { headers, status } = yield* postJson(port, { url: "x" }, { "x-request-id": "id-1" })
      assert.deepStrictEqual(
        [status, headers["x-request-id"], headers["access-control-allow-origin"]],
        [500, "id-1", "*"]
      )
    })
  )

  it.scoped("names the origin of CORS_ORIGINS also on 404 and 500", () =>
    Effect.gen(function* () {
      const origin = "https://a.example.com"
      const port = yield* serviceUnderTest({
        checkers: { checkAll: () => Effect.die(new Error("boom")) },
        env: { CORS_ORIGINS: origin }
      })
      const missing = yield* send(port, { path: "/nowhere", headers: { origin } })
      assert.strictEqual(missing.headers["access-control-allow-origin"], origin)
      const failed = yield* postJson(port, { url: "x" }, { origin })
      assert.strictEqual(failed.status, 500)
      assert.strictEqual(failed.headers["access-control-allow-origin"], origin)
    })
  )

  it.scoped("logs one line for each request, without the submitted URL or control characters", () =>
    Effect.gen(function* () {
      const { lines, layer } = collect()
      const port = yield* Effect.provide(
        serviceUnderTest({
          checkers: {
            checkAll: () =>
              Effect.succeed<ReadonlyArray<Outcome>>([
                { checker: "feed_a", status: "timeout", findings: [], elapsed: 1 },
                { checker: "feed_b", status: "not-configured", findings: [], elapsed: 1 },
                { checker: "feed_c", status: "ok", findings: [], elapsed: 1 }
              ])
          }
        }),
        layer
      )
      yield* postJson(
        port,
        { url: "https://user:secret@example.com/?token=secret" },
        { "x-request-id": "check-1" }
      )
      yield* send(port, {
        path: "http://user:secret@host/nowhere/%0Ax?token=secret",
        headers: { "x-request-id": "nowhere-2" }
      })
      const aborted = yield* openConnection(port)
      yield* aborted.send(
        "POST /api/check HTTP/1.1\r\nhost: x\r\nx-request-id: left-3\r\ncontent-length: 9\r\n\r\nhalf"
      )
      yield* aborted.abort
      const requests = () => lines.filter(({ message }) => message === "request")
      yield* turnsUntil("three requests are logged", () => requests().length === 3)
      assert.deepStrictEqual(requests(), [
        {
          level: "info",
          message: "request",
          requestId: "check-1",
          method: "POST",
          path: "/api/check",
          status: 200,
          milliseconds: 0,
          checkers: "feed_a=timeout"
        },
        {
          level: "info",
          message: "request",
          requestId: "nowhere-2",
          method: "POST",
          path: "/nowhere/%0Ax",
          status: 404,
          milliseconds: 0
        },
        {
          level: "info",
          message: "request",
          requestId: "left-3",
          method: "POST",
          path: "/api/check",
          status: 499,
          milliseconds: 0
        }
      ])
    })
  )

  it.scoped("logs requests of probes and scrapers at debug, and others at info", () =>
    Effect.gen(function* () {
      const levels = (level: LogLevel.LogLevel) =>
        Effect.gen(function* () {
          const { lines, layer } = collect(level)
          const port = yield* Effect.provide(serviceUnderTest(), layer)
          for (const path of ["/health/live", "/health/ready?x", "/metrics", "/health/dead"])
            yield* send(port, { method: "GET", path })
          return lines.flatMap(({ level, path }) => (path === undefined ? [] : [[path, level]]))
        })
      assert.deepStrictEqual(yield* levels(LogLevel.Info), [["/health/dead", "info"]])
      assert.deepStrictEqual(yield* levels(LogLevel.Debug), [
        ["/health/live", "debug"],
        ["/health/ready", "debug"],
        ["/metrics", "debug"],
        ["/health/dead", "info"]
      ])
    })
  )

  it.effect(
    "finishes requests in flight on shutdown, responds to late ones with 503, and then releases the services",
    () =>
      Effect.gen(function* () {
        const events = yield* Ref.make<ReadonlyArray<string>>([])
        const note = (event: string) => Ref.update(events, (seen) => [...seen, event])
        const started = yield* Deferred.make<void>()
        const finish = yield* Deferred.make<void>()
        const scope = yield* Scope.make()
        yield* Scope.addFinalizer(scope, note("services released"))
        const port = yield* Scope.extend(
          serviceUnderTest({
            checkers: {
              checkAll: () =>
                Deferred.succeed(started, undefined).pipe(
                  Effect.zipRight(Deferred.await(finish)),
                  Effect.zipRight(note("answered")),
                  Effect.as([])
                )
            }
          }),
          scope
        )
        const late = yield* openConnection(port)
        yield* late.send(live)
        yield* late.receiveUntil('{"status":"live"}')
        const inFlight = yield* openConnection(port)
        yield* inFlight.send(
          'POST /api/check HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"url":"x"}'
        )
        yield* Deferred.await(started)
        const shutdown = yield* forkNow(Scope.close(scope, Exit.void))
        yield* late.send(live)
        const lateAnswer = yield* late.receiveAll
        assert.match(lateAnswer, /HTTP\/1\.1 503 .*\r\nconnection: close\r\n/s)
        assert.match(lateAnswer, /\{"error":"The service is not available at the moment"\}/)
        yield* Deferred.succeed(finish, undefined)
        assert.match(yield* inFlight.receiveAll, /^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/s)
        yield* Fiber.join(shutdown)
        assert.deepStrictEqual(yield* Ref.get(events), ["answered", "services released"])
      })
  )

  it.effect("closes idle connections a second after the shutdown began", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const port = yield* Scope.extend(serviceUnderTest(), scope)
      const connection = yield* openConnection(port)
      yield* connection.send(live)
      yield* connection.receiveUntil('{"status":"live"}')
      const shutdown = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* adjust("999 millis")
      assert.isNull(shutdown.unsafePoll())
      yield* adjust("1 millis")
      yield* Fiber.join(shutdown)
    })
  )

  it.effect("closes all connections ten seconds after the shutdown began", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const scope = yield* Scope.make()
      const port = yield* Scope.extend(
        serviceUnderTest({
          checkers: {
            checkAll: () => Effect.zipRight(Deferred.succeed(started, undefined), Effect.never)
          }
        }),
        scope
      )
      const stuck = yield* Effect.fork(Effect.flip(postJson(port, { url: "x" })))
      yield* Deferred.await(started)
      const shutdown = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* adjust("9 seconds")
      assert.isNull(shutdown.unsafePoll())
      yield* adjust("1 seconds")
      yield* Fiber.join(shutdown)
      assert.strictEqual((yield* Fiber.join(stuck)).message, "socket hang up")
    })
  )
})

const live = "GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n"

/** A bare connection, for what an HTTP client would not send. */
const openConnection = (port: number) =>
  Effect.async<{
    readonly send: (text: string) => Effect.Effect<void>
    readonly abort: Effect.Effect<void>
    readonly receiveUntil: (end: string) => Effect.Effect<void>
    /** Everything from the beginning to the end of the connection. */
    readonly receiveAll: Effect.Effect<string>
  }>((resume) => {
    const socket = Net.connect(port, "127.0.0.1")
    let received = ""
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1")
    })
    socket.on("connect", () =>
      resume(
        Effect.succeed({
          send: (text) => Effect.async((sent) => void socket.write(text, () => sent(Effect.void))),
          abort: Effect.sync(() => void socket.resetAndDestroy()),
          receiveUntil: (end) =>
            Effect.async((done) => {
              const look = () => (received.endsWith(end) ? done(Effect.void) : undefined)
              socket.on("data", look)
              look()
            }),
          receiveAll: Effect.async((done) => {
            socket.on("close", () => done(Effect.succeed(received)))
          })
        })
      )
    )
  })
