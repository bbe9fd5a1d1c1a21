import * as Http from "node:http"
import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope, TestClock } from "effect"
import type { Checkers } from "../../../src/Checkers/Checkers.ts"
import { MAX_BULK_IN_FLIGHT, MAX_IN_FLIGHT } from "../../../src/Http/Overload.ts"
import { MAX_PIPELINED } from "../../../src/Layers/Server/Pipelining.ts"
import { MAX_READ_WAIT } from "../../../src/Layers/Server/StreamedBody.ts"
import { finding } from "../../fixtures/Findings.ts"
import { collect, type LogLine } from "../../fixtures/LogLines.ts"
import { nextTurn, turnsUntil } from "../../fixtures/NextTurn.ts"
import { outcomes } from "../../fixtures/Outcomes.ts"
import { postJson, send } from "../../fixtures/Request.ts"
import { serviceUnderTest } from "../../fixtures/ServiceUnderTest.ts"

/** Of `oneByOne`. */
const MAX_URLS_UNDER_WAY = 32

const PATH = "/api/checks"
const LINES = { accept: "application/x-ndjson" }
const JSON_BODY = { "content-type": "application/json" }

const urlsOf = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${index}`)

const postUrls = (port: number, urls: ReadonlyArray<string>, headers: Http.OutgoingHttpHeaders = {}) =>
  postJson(port, { urls }, headers, PATH)

/** Checks that wait for `finish`, and how many were started and interrupted. */
const waiting = Effect.gen(function* () {
  const finish = yield* Deferred.make<void>()
  const seen = { started: 0, interrupted: 0 }
  const checkers: Pick<Checkers["Type"], "checkAll"> = {
    checkAll: () =>
      Effect.suspend(() => {
        seen.started++
        return Effect.as(Deferred.await(finish), outcomes())
      }).pipe(
        Effect.onInterrupt(() =>
          Effect.sync(() => {
            seen.interrupted++
          })
        )
      )
  }
  return { checkers, seen, finish: Deferred.succeed(finish, undefined) }
})

/** The start of a response, as soon as the first bytes of its body are there. The caller reads on, or destroys it. */
const begun = (port: number, urls: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.async<Http.IncomingMessage>((resume) => {
      const body = JSON.stringify({ urls })
      const request = Http.request(
        {
          host: "127.0.0.1",
          port,
          path: PATH,
          method: "POST",
          agent: false,
          headers: { ...JSON_BODY, ...LINES, "content-length": Buffer.byteLength(body) }
        },
        (response) => {
          response.on("error", () => undefined)
          response.once("readable", () => resume(Effect.succeed(response)))
        }
      )
      request.on("error", () => undefined)
      request.end(body)
    }),
    (response) => Effect.sync(() => response.destroy())
  )

/** The metric of bulk requests whose client left, which the tests of this file share. */
const closedByClient = (port: number) =>
  Effect.map(send(port, { method: "GET", path: "/metrics" }), ({ body }) =>
    Number(
      /^threat_scoring_http_requests_total\{route="\/api\/checks",status="499"\} (\d+)$/m.exec(body)?.[1] ?? 0
    )
  )

/** Single checks, sent without waiting for responses. */
const sendChecks = (port: number, count: number) =>
  Effect.forEach(urlsOf(Math.ceil(count / MAX_PIPELINED)), (socket) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const body = '{"url":"x"}'
        const head = `POST /api/check HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
        const client = Net.connect(port, "127.0.0.1").resume()
        client.write((head + body).repeat(Math.min(MAX_PIPELINED, count - Number(socket) * MAX_PIPELINED)))
        return client
      }),
      (client) => Effect.sync(() => client.destroy())
    )
  )

const requestLines = (lines: ReadonlyArray<LogLine>) => lines.filter(({ message }) => message === "request")

describe("a bulk request in flight", () => {
  it.scoped("is one of at most MAX_BULK_IN_FLIGHT; more get 503, and are not counted", () =>
    Effect.gen(function* () {
      const { checkers, seen, finish } = yield* waiting
      const port = yield* serviceUnderTest(checkers, { RATE_LIMIT: "1000" })
      const head = `POST ${PATH} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 14\r\n\r\n`
      const slow = Net.connect(port, "127.0.0.1")
      yield* Effect.addFinalizer(() => Effect.sync(() => slow.destroy()))
      let slowText = ""
      slow.setEncoding("latin1").on("data", (text) => {
        slowText += text
      })
      slow.write(head)
      const running = yield* Effect.forEach(urlsOf(MAX_BULK_IN_FLIGHT - 1), () =>
        Effect.fork(postUrls(port, ["a"]))
      )
      yield* turnsUntil(() => seen.started === MAX_BULK_IN_FLIGHT - 1)
      const last = yield* Effect.fork(postUrls(port, ["a", "b"]))
      yield* turnsUntil(() => seen.started === MAX_BULK_IN_FLIGHT + 1)

      // Before the body is read: this one never ends.
      const refused = yield* Effect.async<Http.IncomingMessage>((resume) => {
        const request = Http.request(
          { host: "127.0.0.1", port, path: PATH, method: "POST", agent: false, headers: JSON_BODY },
          (response) => resume(Effect.succeed(response.resume()))
        )
        request.on("error", () => undefined)
        request.write('{"urls":[')
        return Effect.sync(() => request.destroy())
      })
      assert.strictEqual(refused.statusCode, 503)
      assert.strictEqual(refused.headers["retry-after"], "1")
      assert.isUndefined(refused.headers.ratelimit)
      const whole = yield* postUrls(port, ["a"], LINES)
      assert.deepStrictEqual(
        [whole.status, whole.body],
        [503, '{"error":"The service is not available at the moment"}']
      )
      // After the body was read.
      slow.write('{"urls":["a"]}')
      yield* turnsUntil(() => slowText.endsWith("}"))
      assert.match(slowText, /^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n/s)

      yield* finish
      for (const request of running) assert.strictEqual((yield* Fiber.join(request)).status, 200)
      assert.strictEqual((yield* Fiber.join(last)).status, 200)
      const after = yield* postUrls(port, ["a"])
      assert.strictEqual(after.status, 200)
      assert.include(String(after.headers.ratelimit), `r=${1000 - MAX_BULK_IN_FLIGHT - 2};`)
    })
  )

  it.scoped("is refused while MAX_IN_FLIGHT checks are in flight", () =>
    Effect.gen(function* () {
      const { checkers, seen } = yield* waiting
      const port = yield* serviceUnderTest(checkers, {
        RATE_LIMIT: "10000",
        MAX_CONNECTIONS_PER_ADDRESS: "0"
      })
      yield* sendChecks(port, MAX_IN_FLIGHT)
      yield* turnsUntil(() => seen.started === MAX_IN_FLIGHT)
      assert.strictEqual((yield* postUrls(port, ["a"])).status, 503)
    })
  )

  it.scoped("counts as one check in flight, whatever its number of URLs", () =>
    Effect.gen(function* () {
      const { checkers, seen } = yield* waiting
      const port = yield* serviceUnderTest(checkers, {
        RATE_LIMIT: "10000",
        MAX_CONNECTIONS_PER_ADDRESS: "0"
      })
      for (let bulk = 1; bulk < MAX_BULK_IN_FLIGHT; bulk++)
        yield* Effect.forkScoped(postUrls(port, urlsOf(500)))
      yield* turnsUntil(() => seen.started === (MAX_BULK_IN_FLIGHT - 1) * MAX_URLS_UNDER_WAY)
      const before = seen.started
      const others = MAX_IN_FLIGHT - MAX_BULK_IN_FLIGHT
      yield* sendChecks(port, others)
      yield* turnsUntil(() => seen.started === before + others)
      yield* sendChecks(port, 1)
      yield* turnsUntil(() => seen.started === before + others + 1)
      assert.strictEqual((yield* postJson(port, { url: "a" })).status, 503)
    })
  )

  for (const [form, headers] of [
    ["JSON", {}],
    ["NDJSON", LINES]
  ] as const)
    it.scoped(`ends when its client leaves, as ${form}: all checks are interrupted, none is started`, () =>
      Effect.gen(function* () {
        const { checkers, seen } = yield* waiting
        const { lines, layer } = collect()
        const port = yield* Effect.provide(serviceUnderTest(checkers, { RATE_LIMIT: "1000" }), layer)
        const before = yield* closedByClient(port)
        const request = yield* Effect.fork(postUrls(port, urlsOf(100), headers))
        yield* turnsUntil(() => seen.started === MAX_URLS_UNDER_WAY)
        yield* Fiber.interrupt(request)
        yield* turnsUntil(() => seen.interrupted === MAX_URLS_UNDER_WAY)
        yield* Effect.repeatN(nextTurn, 5)
        assert.deepStrictEqual(seen, { started: MAX_URLS_UNDER_WAY, interrupted: MAX_URLS_UNDER_WAY })
        yield* turnsUntil(() => requestLines(lines).length > 0)
        const [line] = requestLines(lines)
        assert.deepStrictEqual([line?.path, line?.status, line?.urls], [PATH, 499, 100])
        assert.strictEqual((yield* closedByClient(port)) - before, 1)
      })
    )

  it.scoped("sends lines before all checks have ended, and ends when its client leaves then", () =>
    Effect.gen(function* () {
      const { checkers, seen } = yield* waiting
      const port = yield* serviceUnderTest({
        checkAll: (url) => (url === "1" ? Effect.succeed(outcomes()) : checkers.checkAll(url))
      })
      const response = yield* begun(port, ["0", "1", "2"])
      assert.match(String(response.read()), /^\{"index":1,"url":"1",.*\}\n$/)
      response.destroy()
      yield* turnsUntil(() => seen.interrupted === 2)
    })
  )

  it.scoped("has one line in the log, which covers its whole body", () =>
    Effect.gen(function* () {
      const { checkers, finish, seen } = yield* waiting
      const { lines, layer } = collect()
      const port = yield* Effect.provide(
        serviceUnderTest({
          checkAll: (url) => (url === "0" ? Effect.succeed(outcomes()) : checkers.checkAll(url))
        }),
        layer
      )
      const response = yield* begun(port, ["0", "1", "0"])
      yield* turnsUntil(() => seen.started === 1)
      yield* TestClock.adjust("1500 millis")
      assert.deepStrictEqual(requestLines(lines), [])
      yield* finish
      response.resume()
      yield* turnsUntil(() => requestLines(lines).length > 0)
      assert.deepStrictEqual(
        requestLines(lines).map(({ method, path, status, milliseconds, urls }) => [
          method,
          path,
          status,
          milliseconds,
          urls
        ]),
        [["POST", PATH, 200, 1500, 3]]
      )
      const { body } = yield* send(port, { method: "GET", path: "/metrics" })
      assert.match(body, /^threat_scoring_http_request_duration_seconds_sum\{route="\/api\/checks"\} 1.5$/m)
    })
  )

  it.scoped("logs a defect of one URL, and names the request", () =>
    Effect.gen(function* () {
      const { lines, layer } = collect()
      const port = yield* Effect.provide(
        serviceUnderTest({
          checkAll: (url) => (url === "1" ? Effect.die(new Error("bug")) : Effect.succeed(outcomes()))
        }),
        layer
      )
      yield* postUrls(port, ["0", "1"], { ...LINES, "x-request-id": "abc" })
      const logged = lines.filter(({ message }) => message === "A check of a request failed")
      assert.deepStrictEqual(
        logged.map(({ level, requestId }) => [level, requestId]),
        [["error", "abc"]]
      )
    })
  )

  it.scoped("waits for a client that does not read, and cuts its connection after MAX_READ_WAIT", () =>
    Effect.gen(function* () {
      let started = 0
      const reason = "x".repeat(1024 * 1024)
      const { lines, layer } = collect()
      const service = serviceUnderTest(
        {
          checkAll: () =>
            Effect.sync(() => {
              started++
              return outcomes({ heuristics: { findings: [finding("notHttps", { reason })] } })
            })
        },
        { RATE_LIMIT: "1000" }
      )
      const port = yield* Effect.provide(service, layer)
      yield* begun(port, urlsOf(400))
      let before = -1
      while (started > before) {
        before = started
        yield* Effect.repeatN(nextTurn, 200)
      }
      assert.isBelow(started, 100)
      assert.deepStrictEqual(requestLines(lines), [])
      yield* TestClock.adjust(MAX_READ_WAIT)
      yield* turnsUntil(() => requestLines(lines).length > 0)
      assert.strictEqual(requestLines(lines)[0]?.status, 499)
      yield* Effect.repeatN(nextTurn, 5)
      assert.strictEqual(started, before)
    })
  )

  it.effect("gets its response during the grace period of the shutdown, and the connection is closed", () =>
    Effect.gen(function* () {
      const { checkers, seen, finish } = yield* waiting
      const scope = yield* Scope.make()
      const port = yield* Scope.extend(serviceUnderTest(checkers), scope)
      const list = yield* Effect.fork(postUrls(port, ["0", "1"]))
      const lines = yield* Effect.fork(postUrls(port, ["0", "1"], { ...LINES, connection: "keep-alive" }))
      yield* turnsUntil(() => seen.started === 4)
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("5 seconds")
      yield* finish
      for (const request of [list, lines]) {
        const { status, headers, body } = yield* Fiber.join(request)
        assert.deepStrictEqual([status, headers.connection], [200, "close"])
        assert.include(body, '"url":"1"')
      }
      yield* Fiber.join(closing)
    })
  )

  it.effect("is cut after the grace period", () =>
    Effect.gen(function* () {
      const { checkers, seen } = yield* waiting
      const scope = yield* Scope.make()
      const port = yield* Scope.extend(serviceUnderTest(checkers), scope)
      const request = yield* Effect.fork(Effect.either(postUrls(port, ["0", "1"])))
      yield* turnsUntil(() => seen.started === 2)
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("11 seconds")
      assert.strictEqual((yield* Fiber.join(request))._tag, "Left")
      yield* Fiber.join(closing)
      yield* turnsUntil(() => seen.interrupted === 2)
    })
  )
})
