import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, LogLevel, Option, Scope } from "effect"
import { MAX_IN_FLIGHT } from "../../src/Http/Serve/Overload.ts"
import { MAX_PIPELINED } from "../../src/Layers/Server/Connections.ts"
import { forkNow } from "../fixtures/ForkNow.ts"
import * as LogLines from "../fixtures/LogLines.ts"
import { adjust, turnsUntil } from "../fixtures/NextTurn.ts"
import { postJson, send } from "../fixtures/Request.ts"
import { portsUnderTest, type ServiceOptions, serviceUnderTest } from "../fixtures/ServiceUnderTest.ts"

/** The main and the admin port of a service that has both. */
const bothPorts = ({ env, ...options }: ServiceOptions = {}) =>
  Effect.map(portsUnderTest({ ...options, env: { ADMIN_PORT: "0", ...env } }), ({ port, adminPort }) => ({
    main: port,
    admin: Option.getOrThrow(adminPort)
  }))

const get = (port: number, path: string) => send(port, { method: "GET", path })

const forOperators = ["/health/live", "/health/ready", "/metrics"]

describe("ADMIN_PORT", () => {
  it.scoped("serves health and metrics, which the main port does not", () =>
    Effect.gen(function* () {
      const { admin, main } = yield* bothPorts()
      for (const path of forOperators) {
        assert.strictEqual((yield* get(admin, path)).status, 200, path)
        const missing = yield* get(main, path)
        assert.deepStrictEqual([missing.status, missing.body], [404, '{"error":"Not found"}'], path)
      }
      for (const path of ["/", "/openapi.json", "/docs", "/page.css", "/App/icon.svg"]) {
        assert.strictEqual((yield* get(main, path)).status, 200, path)
        assert.strictEqual((yield* get(admin, path)).status, 404, path)
      }
      assert.strictEqual((yield* postJson(admin, { url: "x" })).status, 404)
      assert.strictEqual((yield* postJson(main, { url: "x" })).status, 200)
      assert.strictEqual((yield* send(admin, { path: "/metrics" })).status, 405)
    })
  )

  it.scoped("is in the line that says where the service listens", () =>
    Effect.gen(function* () {
      const { lines, layer } = LogLines.collect()
      const one = yield* Effect.provide(serviceUnderTest(), layer)
      const all = yield* Effect.provide(serviceUnderTest({ env: { HOST: "0.0.0.0" } }), layer)
      const { admin, main } = yield* Effect.provide(bothPorts(), layer)
      assert.deepStrictEqual(
        lines.filter(({ port }) => port !== undefined),
        [
          {
            level: "info",
            message: `Listening on http://127.0.0.1:${one} (page /, API docs /docs, health /health/ready)`,
            port: one
          },
          {
            level: "info",
            message: `Listening on http://localhost:${all} (all interfaces; page /, API docs /docs, health /health/ready)`,
            port: all
          },
          {
            level: "info",
            message: `Listening on http://127.0.0.1:${main} (page /, API docs /docs) and on http://127.0.0.1:${admin} (health /health/ready)`,
            port: main,
            adminPort: admin
          }
        ]
      )
    })
  )

  it.scoped("listens on HOST only, as PORT does", () =>
    Effect.gen(function* () {
      const { admin, main } = yield* bothPorts({ env: { HOST: "127.0.0.1" } })
      for (const port of [main, admin]) {
        const isRefused = yield* Effect.async<boolean>((resume) => {
          const socket = Net.connect(port, "127.0.0.2")
          socket.once("connect", () => resume(Effect.succeed(false)))
          socket.once("error", () => resume(Effect.succeed(true)))
        })
        assert.isTrue(isRefused)
      }
    })
  )

  it.scoped("answers probes while the main port refuses checks for overload", () =>
    Effect.gen(function* () {
      const release = yield* Deferred.make<void>()
      let waiting = 0
      const { admin, main } = yield* bothPorts({
        checkers: {
          checkAll: () => {
            waiting++
            return Effect.as(Deferred.await(release), [])
          }
        },
        env: { RATE_LIMIT: "10000" }
      })
      const body = '{"url":"x"}'
      const check = `POST /api/check HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
      for (let left = MAX_IN_FLIGHT; left > 0; left -= MAX_PIPELINED) {
        const { write } = yield* openConnection(main)
        write(check.repeat(Math.min(left, MAX_PIPELINED)))
      }
      yield* turnsUntil(`${MAX_IN_FLIGHT} checks have started`, () => waiting === MAX_IN_FLIGHT)
      assert.strictEqual((yield* postJson(main, { url: "x" })).status, 503)
      for (const path of forOperators) assert.strictEqual((yield* get(admin, path)).status, 200, path)
      yield* Deferred.succeed(release, undefined)
    })
  )

  it.scoped("logs requests of both ports, those of operators and the files of pages at level debug", () =>
    Effect.gen(function* () {
      const { lines, layer } = LogLines.collect(LogLevel.Debug)
      const { admin, main } = yield* Effect.provide(bothPorts(), layer)
      yield* get(admin, "/health/live")
      yield* get(admin, "/")
      yield* get(admin, "/metrics")
      yield* get(main, "/health/live")
      // For the next ten lines.
      yield* adjust("1 second")
      for (const path of [
        "/",
        "/page.css",
        "/App/icon.svg",
        "/share",
        "/docs",
        "/Docs/docs.browser.js",
        "/openapi.json"
      ])
        yield* get(main, path)
      yield* get(yield* Effect.provide(serviceUnderTest(), layer), "/metrics")
      assert.deepStrictEqual(
        lines.flatMap(({ level, path, status }) => (path === undefined ? [] : [[level, path, status]])),
        [
          ["debug", "/health/live", 200],
          ["info", "/", 404],
          ["debug", "/metrics", 200],
          ["info", "/health/live", 404],
          ["info", "/", 200],
          ["debug", "/page.css", 200],
          ["debug", "/App/icon.svg", 200],
          ["info", "/share", 200],
          ["info", "/docs", 200],
          ["debug", "/Docs/docs.browser.js", 200],
          ["info", "/openapi.json", 200],
          ["debug", "/metrics", 200]
        ]
      )
    })
  )

  it.scoped("is closed with the main port: late requests to both get 503", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const finish = yield* Deferred.make<void>()
      const scope = yield* Scope.make()
      const { admin, main } = yield* Scope.extend(
        bothPorts({
          checkers: {
            checkAll: () =>
              Effect.as(Effect.zipRight(Deferred.succeed(started, undefined), Deferred.await(finish)), [])
          }
        }),
        scope
      )
      const late = [yield* openConnection(main), yield* openConnection(admin)]
      const inFlight = yield* Effect.fork(postJson(main, { url: "x" }))
      yield* Deferred.await(started)
      const shutdown = yield* forkNow(Scope.close(scope, Exit.void))
      for (const { text, write } of late) {
        write("GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n")
        yield* turnsUntil("the response has arrived", () => text().includes("}"))
        assert.match(text(), /^HTTP\/1\.1 503 .*\r\nx-content-type-options: nosniff\r\n/s)
      }
      yield* Deferred.succeed(finish, undefined)
      assert.strictEqual((yield* Fiber.join(inFlight)).status, 200)
      yield* Fiber.join(shutdown)
    })
  )

  for (const [name, requestsInFlight, cut] of [
    ["logs once how many requests the end of the shutdown cuts", 1, ["requests in flight are cut"]],
    ["logs no cut of connections without a request", 0, []]
  ] as const)
    it.scoped(name, () =>
      Effect.gen(function* () {
        const { lines, layer } = LogLines.collect()
        const scope = yield* Scope.make()
        const started = yield* Deferred.make<void>()
        const checkAll = () => Effect.zipRight(Deferred.succeed(started, undefined), Effect.never)
        const { admin, main } = yield* Effect.provide(
          Scope.extend(bothPorts({ checkers: { checkAll } }), scope),
          layer
        )
        // Their responses do not wait for the bodies, without which the connections are not idle.
        for (const { text, write } of [yield* openConnection(main), yield* openConnection(admin)]) {
          write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n")
          yield* turnsUntil("the response has arrived", () => text().includes("}"))
        }
        if (requestsInFlight > 0) {
          yield* Effect.forkScoped(Effect.ignore(postJson(main, { url: "x" })))
          yield* Deferred.await(started)
        }
        const shutdown = yield* Effect.fork(Scope.close(scope, Exit.void))
        yield* adjust("10 seconds")
        yield* Fiber.join(shutdown)
        assert.deepStrictEqual(
          lines
            .filter(({ requestsInFlight }) => requestsInFlight !== undefined)
            .map(({ level, message, requestsInFlight }) => ({ level, message, requestsInFlight })),
          ["shutting down", ...cut].map((message) => ({ level: "info", message, requestsInFlight }))
        )
      })
    )
})

/** A bare connection that stays open. `text` is everything received. */
const openConnection = (port: number) =>
  Effect.acquireRelease(
    Effect.async<{
      readonly text: () => string
      readonly write: (text: string) => void
      readonly close: () => void
    }>((resume) => {
      let received = ""
      const socket = Net.connect(port, "127.0.0.1", () =>
        resume(
          Effect.succeed({
            text: () => received,
            write: (text) => void socket.write(text),
            close: () => void socket.destroy()
          })
        )
      )
      socket.on("data", (piece) => {
        received += piece.toString("latin1")
      })
    }),
    ({ close }) => Effect.sync(close)
  )

describe("what is for operators", () => {
  for (const [name, env] of [
    ["by default", {}],
    ["with one allowed origin", { CORS_ORIGINS: "https://a.example.com" }],
    ["with several", { CORS_ORIGINS: "https://a.example.com,https://b.example.com" }]
  ] as const)
    it.scoped(`cannot be read by a page of another origin, ${name}`, () =>
      Effect.gen(function* () {
        const one = yield* serviceUnderTest({ env })
        const { admin, main } = yield* bothPorts({ env })
        const headers = { origin: "https://a.example.com", "access-control-request-method": "GET" }
        const targets = [one, main, admin].flatMap((port) =>
          forOperators.map((path) => [port, path] as const)
        )
        for (const [port, path] of [...targets, [admin, "/"], [admin, "/nowhere"]] as const)
          for (const method of ["GET", "HEAD", "OPTIONS", "DELETE"]) {
            const answer = yield* send(port, { method, path, headers })
            const found = Object.keys(answer.headers).filter((header) => header.startsWith("access-control-"))
            assert.deepStrictEqual(found, [], `${method} ${path}`)
            if (method === "OPTIONS") assert.strictEqual(answer.status, 204)
          }
      })
    )
})

describe("every response", () => {
  it.scoped("has X-Content-Type-Options: nosniff", () =>
    Effect.gen(function* () {
      const failing = yield* serviceUnderTest({
        checkers: { checkAll: () => Effect.die(new Error("boom")) },
        env: { RATE_LIMIT: "3" }
      })
      const json = { "content-type": "application/json" }
      const { admin, main } = yield* bothPorts()
      const answers = [
        yield* postJson(failing, { url: "x" }),
        yield* send(failing, { headers: json, body: "{}" }),
        yield* send(failing, { headers: { ...json, "content-encoding": "gzip" }, body: "{}" }),
        yield* postJson(failing, { url: "x" }),
        yield* postJson(main, { url: "x" }),
        yield* send(main, { headers: { ...json, "content-length": 70_000 } }),
        yield* get(main, "/nowhere"),
        yield* get(main, "/api/check"),
        yield* get(main, "/docs"),
        yield* get(main, "/openapi.json"),
        yield* send(main, { method: "OPTIONS" }),
        yield* send(admin, { method: "OPTIONS", path: "/metrics" }),
        yield* get(admin, "/metrics"),
        yield* get(admin, "/")
      ]
      assert.deepStrictEqual(
        answers.map(({ status, headers }) => [status, headers["x-content-type-options"]]),
        [500, 400, 415, 429, 200, 413, 404, 405, 200, 200, 204, 204, 200, 404].map((status) => [
          status,
          "nosniff"
        ])
      )
    })
  )
})
