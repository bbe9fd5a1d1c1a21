import { readdirSync } from "node:fs"
import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Either, Exit, Fiber, Option, Schema, Scope } from "effect"
import * as Api from "../../src/Http/Api.ts"
import * as Health from "../../src/Http/Health.ts"
import * as MetricsRoute from "../../src/Http/MetricsRoute.ts"
import { MAX_IN_FLIGHT } from "../../src/Http/Serve/Overload.ts"
import { MAX_PIPELINED } from "../../src/Layers/Server/Connections.ts"
import { Metrics } from "../../src/Layers/Telemetry/Metrics.ts"
import { forkNow } from "../fixtures/ForkNow.ts"
import { collect } from "../fixtures/LogLines.ts"
import { adjust, nextTurn, turnsUntil } from "../fixtures/NextTurn.ts"
import { type ReceivedResponse, type SentRequest, send } from "../fixtures/Request.ts"
import { type FakeCheckers, portsUnderTest, type ServiceOptions } from "../fixtures/ServiceUnderTest.ts"

/** The bodies of errors by the contract. */
const schemas: Readonly<Record<number, Schema.Schema.AnyNoContext>> = {
  404: Api.NotFound,
  405: Api.MethodNotAllowed,
  413: Api.PayloadTooLarge,
  429: Api.TooManyRequests,
  500: Api.ServerError,
  503: Api.Unavailable
}

const posts = ["/api/check", "/api/checks"]
const clientGets = ["/", "/page.css", "/docs", "/openapi.json"]
const operatorGets = [Health.LIVE, Health.READY, MetricsRoute.PATH]

interface Port {
  readonly name: string
  readonly env: Readonly<Record<string, string>>
  readonly isAdmin: boolean
  readonly posts: ReadonlyArray<string>
  readonly gets: ReadonlyArray<string>
}

const ports: ReadonlyArray<Port> = [
  { name: "PORT alone", env: {}, isAdmin: false, posts, gets: [...clientGets, ...operatorGets] },
  { name: "PORT", env: { ADMIN_PORT: "0" }, isAdmin: false, posts, gets: clientGets },
  { name: "ADMIN_PORT", env: { ADMIN_PORT: "0" }, isAdmin: true, posts: [], gets: operatorGets }
]

/** Of all files of pages. */
const files = readdirSync(new URL("../../src/Http/Pages/", import.meta.url))
  .filter((name) => !name.endsWith(".ts"))
  .map((name) => (name === "page.html" ? "/" : `/${name.replace(/\.html$/, "")}`))

/** A running service, one of its ports, and what it measures and logs. */
const running = ({ env, isAdmin }: Port, options: ServiceOptions = {}) =>
  Effect.gen(function* () {
    const metrics = yield* Effect.provide(Metrics, Metrics.layer)
    const { lines, layer } = collect()
    const listening = yield* portsUnderTest({ ...options, env: { ...env, ...options.env } }).pipe(
      Effect.provideService(Metrics, metrics),
      Effect.provide(layer)
    )
    const requests = (route: string, status: number): number =>
      Number(
        metrics
          .text()
          .split("\n")
          .find((line) =>
            line.startsWith(`threat_scoring_http_requests_total{route="${route}",status="${status}"} `)
          )
          ?.split(" ")[1] ?? 0
      )
    return { port: isAdmin ? Option.getOrThrow(listening.adminPort) : listening.port, requests, lines }
  })

const ORIGIN = "https://app.example.com"

/** Sends a request, and asserts what every response has: id, headers, metric, and its body by the contract. */
const expectResponse = (
  { port, requests }: Effect.Effect.Success<ReturnType<typeof running>>,
  { isAdmin, gets, posts }: Port,
  sent: SentRequest & { readonly path: string },
  status: number
): Effect.Effect<ReceivedResponse, Error> =>
  Effect.gen(function* () {
    const what = `${sent.method ?? "POST"} ${sent.path}`
    const route = [...gets, ...posts].includes(sent.path) ? sent.path : "other"
    const before = requests(route, status)
    const answer = yield* send(port, {
      ...sent,
      headers: { "x-request-id": "id-1", origin: ORIGIN, ...sent.headers }
    })
    yield* turnsUntil(`the response to ${what} is counted`, () => requests(route, status) > before)
    assert.strictEqual(requests(route, status), before + 1)
    assert.strictEqual(answer.status, status, what)
    assert.strictEqual(answer.headers["x-request-id"], "id-1", what)
    assert.strictEqual(answer.headers["x-content-type-options"], "nosniff", what)
    assert.strictEqual(
      answer.headers["access-control-allow-origin"],
      isAdmin || operatorGets.includes(sent.path) ? undefined : "*",
      what
    )
    const schema = schemas[status]
    if (schema === undefined || sent.method === "HEAD") return answer
    assert.strictEqual(answer.headers["content-type"], "application/json", what)
    assert.strictEqual(answer.headers["content-length"], `${Buffer.byteLength(answer.body)}`, what)
    const decoded = Schema.decodeUnknownEither(Schema.parseJson(schema), {
      onExcessProperty: "error"
    })(answer.body)
    assert.isTrue(Either.isRight(decoded), `${what}: ${answer.body}`)
    return answer
  })

const bodyOf = (path: string) => (path === "/api/checks" ? '{"urls":["x"]}' : '{"url":"x"}')

const post = (path: string) => ({
  method: "POST",
  path,
  headers: { "content-type": "application/json", "content-length": bodyOf(path).length },
  body: bodyOf(path)
})

for (const port of ports)
  describe(port.name, () => {
    it.scoped("responds with 404 to any other path", () =>
      Effect.gen(function* () {
        const service = yield* running(port)
        const others = [...posts, ...clientGets, ...operatorGets].filter(
          (path) => ![...port.posts, ...port.gets].includes(path)
        )
        for (const path of ["/nowhere", ...others])
          for (const method of ["GET", "POST"]) yield* expectResponse(service, port, { method, path }, 404)
      })
    )

    it.scoped("responds to an absolute target without a path as to /", () =>
      Effect.gen(function* () {
        const service = yield* running(port)
        for (const [method, path] of [
          ["GET", "http://a.example"],
          ["GET", "http://a.example?x"],
          ["HEAD", "HTTPS://a.example:80?x"],
          ["POST", "http://a.example"]
        ] as const) {
          const answer = yield* send(service.port, { method, path })
          const expected = port.isAdmin ? 404 : method === "POST" ? 405 : 200
          assert.strictEqual(answer.status, expected, `${method} ${path}`)
          const { etag } = (yield* send(service.port, { method: "GET", path: "/" })).headers
          if (method !== "POST") assert.strictEqual(answer.headers.etag, etag)
        }
      })
    )

    it.scoped("responds with 405 to any other method, and names those of the path", () =>
      Effect.gen(function* () {
        const service = yield* running(port)
        for (const path of port.posts)
          for (const method of ["GET", "HEAD", "PUT", "DELETE"]) {
            const { headers } = yield* expectResponse(service, port, { method, path }, 405)
            assert.strictEqual(headers.allow, "POST, OPTIONS")
          }
        for (const path of port.gets)
          for (const method of ["POST", "DELETE"]) {
            const { headers } = yield* expectResponse(service, port, { method, path }, 405)
            assert.strictEqual(headers.allow, "GET, HEAD, OPTIONS")
          }
      })
    )

    it.scoped("responds with 204 to OPTIONS: a preflight for pages of other origins, or the methods", () =>
      Effect.gen(function* () {
        const service = yield* running(port)
        for (const path of ["/nowhere", ...port.posts, ...port.gets]) {
          const { headers, body } = yield* expectResponse(service, port, { method: "OPTIONS", path }, 204)
          const isPreflight = !port.isAdmin && !operatorGets.includes(path)
          assert.deepStrictEqual(
            [headers["access-control-allow-methods"], headers.allow, headers["content-length"], body],
            isPreflight
              ? ["GET, HEAD, POST", undefined, undefined, ""]
              : [undefined, "GET, HEAD, OPTIONS", undefined, ""],
            path
          )
        }
      })
    )

    it.scoped("responds to HEAD as to GET, without the body, and with 304 to the tag of what it has", () =>
      Effect.gen(function* () {
        const service = yield* running(port)
        const cached: Array<string> = []
        for (const path of port.gets) {
          const status = path === Health.READY ? 503 : 200
          const get =
            status === 503
              ? yield* send(service.port, { method: "GET", path })
              : yield* expectResponse(service, port, { method: "GET", path }, status)
          const head = yield* expectResponse(service, port, { method: "HEAD", path }, get.status)
          const { date: _date, ...headers } = head.headers
          for (const [name, value] of Object.entries(headers))
            if (name !== "x-request-id" && path !== MetricsRoute.PATH)
              assert.strictEqual(value, name.startsWith("access-control") ? value : get.headers[name], name)
          assert.strictEqual(head.body, "")
          const { etag } = get.headers
          if (etag === undefined) continue
          cached.push(path)
          for (const tag of [etag, `W/${etag}`, `"x", ${etag}`]) {
            const same = yield* expectResponse(
              service,
              port,
              { method: "GET", path, headers: { "if-none-match": tag } },
              304
            )
            assert.deepStrictEqual(
              [same.body, same.headers.etag, same.headers["content-type"], same.headers["content-length"]],
              ["", etag, undefined, undefined]
            )
          }
          yield* expectResponse(
            service,
            port,
            { method: "GET", path, headers: { "if-none-match": "*" } },
            304
          )
          yield* expectResponse(
            service,
            port,
            { method: "GET", path, headers: { "if-none-match": '"x"' } },
            200
          )
        }
        assert.deepStrictEqual(cached, port.isAdmin ? [] : ["/", "/page.css", "/docs"])
      })
    )

    if (port.posts.length > 0)
      it.scoped("responds with 413 to a body that is too large, and with 429 over the limit", () =>
        Effect.gen(function* () {
          const service = yield* running(port, { env: { RATE_LIMIT: "2" } })
          const tooLarge = { "content-type": "application/json", "content-length": 300_000 }
          for (const path of port.posts) {
            const sent = { method: "POST", path, headers: tooLarge, body: "x" }
            const { headers } = yield* expectResponse(service, port, sent, 413)
            assert.match(String(headers.ratelimit), /^"default";r=[01];t=900$/)
          }
          for (const path of port.posts) {
            const { headers } = yield* expectResponse(service, port, post(path), 429)
            assert.deepStrictEqual(
              [headers.ratelimit, headers["ratelimit-policy"], headers["retry-after"]],
              ['"default";r=0;t=900', '"default";q=2;w=900', "900"]
            )
          }
          assert.lengthOf(
            service.lines.filter(({ status }) => status === 429),
            0
          )
        })
      )

    it.scoped("has at most ten lines a second in the log for each path and method, except for checks", () =>
      Effect.gen(function* () {
        const sent = 12
        const service = yield* running(port, { env: { RATE_LIMIT: "1000" } })
        const client = yield* Effect.acquireRelease(
          Effect.sync(() => Net.connect(service.port, "127.0.0.1")),
          (client) => Effect.sync(() => client.destroy())
        )
        const statuses: Array<string> = []
        let rest = ""
        client.setEncoding("latin1").on("data", (text) => {
          const received = `${rest}${text}`
          statuses.push(...Array.from(received.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status = ""]) => status))
          rest = received.slice(-"HTTP/1.1 200".length)
        })
        yield* adjust("1 second")
        const paths = new Set(["/nowhere", ...posts, ...clientGets, ...operatorGets, ...files])
        for (const path of paths)
          for (const method of ["GET", "HEAD", "POST", "PUT", "OPTIONS", "PROPFIND"]) {
            service.lines.length = 0
            statuses.length = 0
            const body = method === "POST" ? bodyOf(path) : ""
            client.write(
              `${method} ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`.repeat(
                sent
              )
            )
            yield* turnsUntil("all responses have arrived", () => statuses.length === sent)
            yield* adjust("1 second")
            const what = `${method} ${path}`
            const own = service.lines.filter(({ message }) => message === "request")
            const summaries = service.lines.filter(({ message }) => message === "requests summarized")
            if (method === "POST" && port.posts.includes(path)) {
              const answered = statuses.filter((status) => status === "200").length
              assert.isAbove(answered, 10, what)
              assert.lengthOf(own, answered, what)
              // No place was free for these bodies.
              assert.deepStrictEqual(
                summaries.map(({ status503 }) => status503),
                answered < sent ? [sent - answered] : [],
                what
              )
            } else if (own.length > 0) {
              assert.deepStrictEqual(
                own.map(({ status, path }) => [path, String(status)]),
                statuses.slice(0, 10).map((status) => [path, status]),
                what
              )
              const rest = {
                level: "info",
                message: "requests summarized",
                [`status${statuses[0]}`]: sent - 10
              }
              assert.deepStrictEqual(summaries, [rest], what)
            } else {
              // At level debug.
              assert.deepStrictEqual(service.lines, [], what)
              assert.isTrue(operatorGets.includes(path) || files.includes(path), what)
              assert.isTrue(!/^\/(?:share|docs)?$/.test(path), what)
            }
          }
      })
    )

    it.scoped("responds with 500 to a defect, and logs it with the id of the request", () =>
      Effect.gen(function* () {
        const service = yield* running(port, {
          checkers: { checkAll: () => Effect.die(new RangeError("secret")) },
          feeds: {
            feed_a: Option.some({
              sourceName: "feed.example",
              current: Option.none,
              status: Effect.die(new RangeError("secret"))
            })
          }
        })
        const failing = [
          ...port.posts.map(post),
          ...port.gets
            .filter((path) => path === Health.READY || path === MetricsRoute.PATH)
            .map((path) => ({ method: "GET", path }))
        ]
        for (const sent of failing) {
          const { body } = yield* expectResponse(service, port, sent, 500)
          assert.strictEqual(
            body,
            '{"error":"Server error","detail":"RangeError while answering; the log tells more"}'
          )
        }
        assert.deepStrictEqual(
          service.lines
            .filter(({ message }) => message === "A request failed")
            .map(({ level, requestId }) => [level, requestId]),
          failing.map(() => ["error", "id-1"])
        )
      })
    )

    if (port.posts.length > 0)
      it.scoped("responds with 503 while too many checks are in flight, except to GET", () =>
        Effect.gen(function* () {
          const finish = yield* Deferred.make<void>()
          let waiting = 0
          const checkers: FakeCheckers = {
            checkAll: () => {
              waiting++
              return Effect.as(Deferred.await(finish), [])
            }
          }
          const service = yield* running(port, { checkers, env: { RATE_LIMIT: "100000" } })
          const { headers, body } = post("/api/check")
          const request = `POST /api/check HTTP/1.1\r\nhost: a\r\ncontent-type: ${headers["content-type"]}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
          for (let left = MAX_IN_FLIGHT; left > 0; left -= MAX_PIPELINED)
            yield* Effect.acquireRelease(
              Effect.sync(() => {
                const socket = Net.connect(service.port, "127.0.0.1").resume()
                socket.write(request.repeat(Math.min(left, MAX_PIPELINED)))
                return socket
              }),
              (socket) => Effect.sync(() => socket.resetAndDestroy())
            )
          yield* turnsUntil(`${MAX_IN_FLIGHT} checks have started`, () => waiting === MAX_IN_FLIGHT)
          for (const path of port.posts) {
            const { headers } = yield* expectResponse(service, port, post(path), 503)
            assert.deepStrictEqual([headers["retry-after"], headers.ratelimit], ["1", undefined])
          }
          for (const path of port.gets)
            if (path !== Health.READY) yield* expectResponse(service, port, { method: "GET", path }, 200)
          yield* Deferred.succeed(finish, undefined)
        })
      )

    it.effect("responds with 503 during the shutdown, as to other requests, and closes the connection", () =>
      Effect.gen(function* () {
        for (const sent of [
          ...port.posts.map(post),
          ...["/nowhere", ...port.gets].map((path) => ({ method: "GET", path }))
        ]) {
          const scope = yield* Scope.make()
          const service = yield* Scope.extend(running(port), scope)
          const open = Net.connect(service.port, "127.0.0.1")
          let received = ""
          open.setEncoding("latin1").on("data", (text) => {
            received += text
          })
          const isAnswered = () => received.includes("\r\n\r\n")
          open.write("GET /nowhere HTTP/1.1\r\nhost: a\r\n\r\n")
          yield* turnsUntil("the first response has arrived", isAnswered)
          received = ""
          const closing = yield* forkNow(Scope.close(scope, Exit.void))
          yield* nextTurn
          const body = sent.method === "POST" ? bodyOf(sent.path) : ""
          open.write(
            `${sent.method} ${sent.path} HTTP/1.1\r\nhost: a\r\nx-request-id: id-1\r\norigin: ${ORIGIN}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
          )
          yield* turnsUntil("the response to the late request has arrived", isAnswered)
          assert.match(received, /^HTTP\/1\.1 503 /)
          const isPublic = !port.isAdmin && !operatorGets.includes(sent.path)
          const has = (line: string) => received.toLowerCase().includes(`\r\n${line}\r\n`)
          assert.deepStrictEqual(
            [
              "x-request-id: id-1",
              "x-content-type-options: nosniff",
              "retry-after: 1",
              "connection: close",
              "content-type: application/json"
            ].filter((line) => !has(line)),
            []
          )
          assert.strictEqual(has("access-control-allow-origin: *"), isPublic)
          assert.isTrue(received.endsWith('{"error":"The service is not available at the moment"}'))
          const route = sent.path === "/nowhere" ? "other" : sent.path
          assert.strictEqual(service.requests(route, 503), 1)
          open.destroy()
          yield* Fiber.join(closing)
          const summaries = service.lines.filter(({ message }) => message === "requests summarized")
          const isLogged = sent.path !== "/page.css" && !operatorGets.includes(sent.path)
          assert.lengthOf(summaries, isLogged ? 1 : 0)
        }
      })
    )
  })
