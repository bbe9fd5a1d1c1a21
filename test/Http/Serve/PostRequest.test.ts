import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { MAX_IN_FLIGHT } from "../../../src/Http/Serve/Overload.ts"
import { MAX_COMPUTING } from "../../../src/Http/Serve/PostRequest.ts"
import { MAX_READING } from "../../../src/Http/Serve/ReadingPlaces.ts"
import { MAX_PIPELINED } from "../../../src/Layers/Server/Connections.ts"
import { Metrics } from "../../../src/Layers/Telemetry/Metrics.ts"
import { finding } from "../../fixtures/Findings.ts"
import { collect, type LogLine } from "../../fixtures/LogLines.ts"
import { adjust, nextTurn, turnsUntil } from "../../fixtures/NextTurn.ts"
import { outcomes } from "../../fixtures/Outcomes.ts"
import { postJson, type ReceivedResponse, send } from "../../fixtures/Request.ts"
import { type FakeCheckers, serviceUnderTest } from "../../fixtures/ServiceUnderTest.ts"

const PATH = "/api/checks"
const TOO_SLOW = '{"error":"The body arrives too slowly"}'
/** The beginning of a body. */
const UNREAD = '{"urls":['
const UNAVAILABLE = '{"error":"The service is not available at the moment"}'

const numbers = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${index}`)

/** A request of the n-th client, behind a trusted proxy. */
const postUrls = (port: number, urls: ReadonlyArray<string>, client = 1) =>
  postJson(port, { urls }, { "x-forwarded-for": `192.0.2.${client}` }, PATH)

const statusOf = ({ status }: ReceivedResponse) => status

const remaining = ({ headers }: ReceivedResponse) => /;r=(\d+);/.exec(String(headers.ratelimit))?.[1]

/** Checks that wait for `finish`, and how many were started and interrupted. */
const waiting = Effect.gen(function* () {
  const finish = yield* Deferred.make<void>()
  const seen = { started: 0, interrupted: 0 }
  const checkers: FakeCheckers = {
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

const untilStarted = (seen: { readonly started: number }, count: number) =>
  turnsUntil(`${count} checks have started`, () => seen.started === count)

const quick: FakeCheckers = { checkAll: () => Effect.succeed(outcomes()) }

const PROXY = { RATE_LIMIT: "1000", TRUSTED_PROXIES: "1", MAX_CONNECTIONS_PER_ADDRESS: "0" }

/** A connection that sends this text, and what it has received. */
const connection = (port: number, text: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const received = { text: "", isClosed: false }
      const socket = Net.connect(port, "127.0.0.1")
      socket.setEncoding("latin1").on("data", (piece) => {
        received.text += piece
      })
      socket.on("error", () => undefined)
      socket.on("close", () => {
        received.isClosed = true
      })
      socket.write(text)
      return { socket, received }
    }),
    ({ socket }) => Effect.sync(() => socket.resetAndDestroy())
  )

const headOf = (client: number, bytes: number, more = "") =>
  `POST ${PATH} HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 192.0.2.${client}\r\ncontent-type: application/json\r\n${more}content-length: ${bytes}\r\n\r\n`

/** A single check and a bulk request of the same client, pipelined. */
const singleAndBulk = `${headOf(1, 11).replace(PATH, "/api/check")}{"url":"a"}${headOf(1, 14)}{"urls":["a"]}`

/** Single checks, sent without waiting for responses. */
const sendChecks = (port: number, count: number) =>
  Effect.forEach(numbers(Math.ceil(count / MAX_PIPELINED)), (socket) => {
    const body = '{"url":"x"}'
    const head = `POST /api/check HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    return connection(
      port,
      (head + body).repeat(Math.min(MAX_PIPELINED, count - Number(socket) * MAX_PIPELINED))
    )
  })

const requestLines = (lines: ReadonlyArray<LogLine>) => lines.filter(({ message }) => message === "request")

describe("a client at its limit", () => {
  it.scoped("gets 429 from memory: body unread, no place taken, no line in the log, `current` rises", () =>
    Effect.gen(function* () {
      const { checkers, seen, finish } = yield* waiting
      const { lines, layer } = collect()
      const port = yield* Effect.provide(
        serviceUnderTest({ checkers, env: { ...PROXY, RATE_LIMIT: "2" } }),
        layer
      )
      const first = yield* Effect.fork(postUrls(port, ["a", "b"]))
      yield* untilStarted(seen, 2)
      lines.length = 0
      // Bodies that never arrive, more of them than there are places.
      const refused = yield* Effect.forEach(numbers(MAX_READING.max), () => connection(port, headOf(1, 100)))
      yield* turnsUntil("each refused request has its response", () =>
        refused.every(({ received }) => received.text.endsWith("}"))
      )
      const currents = refused.map(({ received }) => Number(/"current":(\d+)/.exec(received.text)?.[1]))
      assert.deepStrictEqual(
        currents.toSorted((a, b) => a - b),
        numbers(MAX_READING.max).map((index) => 3 + Number(index))
      )
      assert.deepStrictEqual(requestLines(lines), [])
      const honest = yield* Effect.fork(postUrls(port, ["a"], 2))
      yield* untilStarted(seen, 3)
      yield* finish
      assert.deepStrictEqual([yield* Fiber.join(first), yield* Fiber.join(honest)].map(statusOf), [200, 200])
    })
  )
})

describe("the body of a bulk request", () => {
  it.scoped("is one of at most 8 of an address; one more gets 503 and is not counted", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ checkers: quick, env: PROXY })
      const eight = yield* Effect.forEach(numbers(MAX_READING.maxPerAddress), () =>
        connection(port, headOf(1, 14) + UNREAD)
      )
      yield* Effect.repeatN(nextTurn, 50)
      const ninth = yield* postUrls(port, ["a"], 1)
      assert.deepStrictEqual(
        [ninth.status, ninth.body, ninth.headers["retry-after"], ninth.headers.ratelimit],
        [503, UNAVAILABLE, "1", undefined]
      )
      for (const { socket } of eight) socket.write('"a"]}')
      yield* turnsUntil("all have their responses", () =>
        eight.every(({ received }) => received.text.endsWith("}"))
      )
      for (const { received } of eight) assert.match(received.text, /^HTTP\/1\.1 200 /)
      assert.strictEqual(remaining(yield* postUrls(port, ["a"])), "991")
    })
  )

  it.scoped("of eight addresses with eight slow bodies each does not keep others out", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ checkers: quick, env: PROXY })
      const addresses = MAX_READING.max / MAX_READING.maxPerAddress
      const slow: Array<Effect.Effect.Success<ReturnType<typeof connection>>> = []
      for (let client = 1; client <= addresses; client++)
        slow.push(
          ...(yield* Effect.forEach(numbers(MAX_READING.maxPerAddress), () =>
            connection(port, headOf(client, 14) + UNREAD)
          ))
        )
      yield* Effect.repeatN(nextTurn, 50)
      const others = yield* Effect.forEach(numbers(10), (client) =>
        postUrls(port, ["a"], 100 + Number(client))
      )
      assert.deepStrictEqual(
        others.map(statusOf),
        others.map(() => 200)
      )
      // One for the first of the others, whose place was free for the next one.
      yield* turnsUntil("a slow body is closed", () => slow.some(({ received }) => received.isClosed))
      const closed = slow.filter(({ received }) => received.isClosed)
      assert.lengthOf(closed, 1)
      for (const { received } of closed) {
        assert.match(received.text, /^HTTP\/1\.1 408 /)
        assert.match(received.text, /\r\nratelimit: "default";r=999;t=\d+\r\n/)
        assert.match(received.text, /\r\nconnection: close\r\n/i)
        assert.isTrue(received.text.endsWith(`\r\n\r\n${TOO_SLOW}`))
      }
      const { body } = yield* send(port, { method: "GET", path: "/metrics" })
      assert.match(body, /^threat_scoring_bodies_closed_total\{reason="full"\} 1$/m)
      assert.match(body, /^threat_scoring_bodies_closed_total\{reason="slow"\} 0$/m)
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("gets 408 at less than 1 KiB a second after the first second, counts as one, and is closed", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ checkers: quick, env: PROXY })
      const { received } = yield* connection(port, headOf(1, 2048) + " ".repeat(1024))
      yield* Effect.repeatN(nextTurn, 20)
      yield* adjust("1999 millis")
      yield* Effect.repeatN(nextTurn, 20)
      assert.strictEqual(received.text, "")
      yield* adjust("1 millis")
      yield* turnsUntil("the connection is closed", () => received.isClosed)
      assert.match(received.text, /^HTTP\/1\.1 408 /)
      assert.match(received.text, /\r\nratelimit: "default";r=999;t=\d+\r\n/)
      assert.match(received.text, /\r\nconnection: close\r\n/i)
      assert.isTrue(received.text.endsWith(`\r\n\r\n${TOO_SLOW}`))
      assert.strictEqual(remaining(yield* postUrls(port, ["a"])), "998")
      const { body } = yield* send(port, { method: "GET", path: "/metrics" })
      assert.match(body, /^threat_scoring_bodies_closed_total\{reason="slow"\} 1$/m)
    }).pipe(Effect.provide(Metrics.layer))
  )

  it.scoped("gets 408 after 10 seconds at any rate", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ checkers: quick, env: PROXY })
      const { received } = yield* connection(port, headOf(1, 60_000) + " ".repeat(50_000))
      yield* Effect.repeatN(nextTurn, 20)
      yield* adjust("9999 millis")
      yield* Effect.repeatN(nextTurn, 20)
      assert.strictEqual(received.text, "")
      yield* adjust("1 millis")
      yield* turnsUntil("the connection is closed", () => received.isClosed)
      assert.match(received.text, /^HTTP\/1\.1 408 /)
    })
  )

  it.scoped("counts as one if the client leaves before its end", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ checkers: quick, env: PROXY })
      for (let sent = 0; sent < 3; sent++) {
        const { socket } = yield* connection(port, `${headOf(1, 14)}{"urls"`)
        yield* Effect.repeatN(nextTurn, 20)
        socket.destroy()
        yield* Effect.repeatN(nextTurn, 20)
      }
      assert.strictEqual(remaining(yield* postUrls(port, ["a"])), "996")
    })
  )

  it.scoped("counts as one if the client leaves while it waits for a place", () =>
    Effect.gen(function* () {
      const { checkers, seen, finish } = yield* waiting
      const port = yield* serviceUnderTest({ checkers, env: PROXY })
      const running = yield* Effect.forEach(numbers(MAX_COMPUTING.maxPerAddress), () =>
        Effect.fork(postUrls(port, ["a"]))
      )
      yield* untilStarted(seen, MAX_COMPUTING.maxPerAddress)
      const body = '{"urls":["a","b"]}'
      for (let sent = 0; sent < 3; sent++) {
        const { socket } = yield* connection(port, headOf(1, body.length) + body)
        yield* Effect.repeatN(nextTurn, 20)
        socket.resetAndDestroy()
        yield* Effect.repeatN(nextTurn, 20)
      }
      yield* finish
      for (const request of running) yield* Fiber.join(request)
      assert.strictEqual(
        remaining(yield* postUrls(port, ["a"])),
        `${1000 - MAX_COMPUTING.maxPerAddress - 3 - 1}`
      )
    })
  )

  for (const [what, path, limit] of [
    ["bulk", PATH, 262_144],
    ["single", "/api/check", 65_536]
  ] as const)
    it.scoped(`that is too large gets 413 without 100 Continue: ${what}`, () =>
      Effect.gen(function* () {
        const port = yield* serviceUnderTest({ checkers: quick, env: PROXY })
        const head = (bytes: number) => headOf(1, bytes, "expect: 100-continue\r\n").replace(PATH, path)
        const tooLarge = yield* connection(port, head(limit + 1))
        yield* turnsUntil("the connection is closed", () => tooLarge.received.isClosed)
        assert.match(tooLarge.received.text, /^HTTP\/1\.1 413 /)
        const fits = yield* connection(port, head(limit))
        yield* turnsUntil("100 Continue has arrived", () => fits.received.text !== "")
        assert.strictEqual(fits.received.text, "HTTP/1.1 100 Continue\r\n\r\n")
      })
    )
})

describe("a bulk request", () => {
  it.scoped("waits for a place while its address has 4, or all are taken, and is served in turn", () =>
    Effect.gen(function* () {
      const { checkers, seen, finish } = yield* waiting
      const port = yield* serviceUnderTest({ checkers, env: PROXY })
      const ofOne = yield* Effect.forEach(numbers(MAX_READING.maxPerAddress), () =>
        Effect.fork(postUrls(port, ["a"]))
      )
      yield* untilStarted(seen, MAX_COMPUTING.maxPerAddress)
      yield* Effect.repeatN(nextTurn, 50)
      assert.strictEqual(seen.started, MAX_COMPUTING.maxPerAddress)
      const ofOthers = yield* Effect.forEach(numbers(MAX_COMPUTING.max), (client) =>
        Effect.fork(postUrls(port, ["a"], 2 + Number(client)))
      )
      yield* untilStarted(seen, MAX_COMPUTING.max)
      yield* Effect.repeatN(nextTurn, 50)
      assert.strictEqual(seen.started, MAX_COMPUTING.max)
      yield* finish
      for (const request of [...ofOne, ...ofOthers])
        assert.strictEqual((yield* Fiber.join(request)).status, 200)
    })
  )

  it.scoped("gets 503 after 10 seconds without a place, and is not counted", () =>
    Effect.gen(function* () {
      const { checkers, seen, finish } = yield* waiting
      const port = yield* serviceUnderTest({ checkers, env: PROXY })
      const running = yield* Effect.forEach(numbers(MAX_COMPUTING.maxPerAddress), () =>
        Effect.fork(postUrls(port, ["a"]))
      )
      yield* untilStarted(seen, MAX_COMPUTING.maxPerAddress)
      const late = yield* Effect.fork(postUrls(port, ["a", "b"]))
      yield* Effect.repeatN(nextTurn, 50)
      yield* adjust("10 seconds")
      const refused = yield* Fiber.join(late)
      assert.deepStrictEqual(
        [refused.status, refused.body, refused.headers["retry-after"], refused.headers.ratelimit],
        [503, UNAVAILABLE, "1", undefined]
      )
      yield* finish
      for (const request of running) yield* Fiber.join(request)
      assert.strictEqual(remaining(yield* postUrls(port, ["a"])), `${1000 - MAX_COMPUTING.maxPerAddress - 1}`)
    })
  )

  it.scoped("has its place until the client has read the response, for at most 10 seconds", () =>
    Effect.gen(function* () {
      const reason = "x".repeat(8 * 1024 * 1024)
      let started = 0
      const port = yield* serviceUnderTest({
        checkers: {
          checkAll: () =>
            Effect.sync(() => {
              started++
              return outcomes({ heuristics: { findings: [finding("notHttps", { reason })] } })
            })
        },
        env: PROXY
      })
      const body = '{"urls":["a"]}'
      const slow = yield* Effect.forEach(numbers(MAX_COMPUTING.maxPerAddress), () =>
        Effect.map(connection(port, headOf(1, body.length) + body), (connection) => {
          connection.socket.pause()
          return connection
        })
      )
      yield* turnsUntil(
        `${MAX_COMPUTING.maxPerAddress} checks have started`,
        () => started === MAX_COMPUTING.maxPerAddress
      )
      // Its own wait for a place ends later.
      yield* Effect.repeatN(nextTurn, 100)
      yield* adjust("1 seconds")
      const next = yield* Effect.fork(postUrls(port, ["b"]))
      yield* Effect.repeatN(nextTurn, 100)
      assert.strictEqual(started, MAX_COMPUTING.maxPerAddress)
      yield* adjust("8 seconds")
      yield* Effect.repeatN(nextTurn, 50)
      assert.strictEqual(started, MAX_COMPUTING.maxPerAddress)
      yield* adjust("1 seconds")
      assert.strictEqual((yield* Fiber.join(next)).status, 200)
      for (const { socket } of slow) socket.resume()
      yield* turnsUntil("all connections are closed", () => slow.every(({ received }) => received.isClosed))
      assert.strictEqual((yield* postUrls(port, ["c"])).status, 200)
    })
  )

  it.scoped("whose wait for a place is over keeps none, though its 503 waits behind another response", () =>
    Effect.gen(function* () {
      const { checkers, seen, finish } = yield* waiting
      const port = yield* serviceUnderTest({ checkers, env: PROXY })
      const running = yield* Effect.forEach(numbers(MAX_COMPUTING.maxPerAddress), () =>
        Effect.fork(postUrls(port, ["a"]))
      )
      yield* untilStarted(seen, MAX_COMPUTING.maxPerAddress)
      const refused = yield* Effect.forEach(numbers(MAX_READING.maxPerAddress), () =>
        connection(port, singleAndBulk)
      )
      yield* untilStarted(seen, MAX_COMPUTING.maxPerAddress + MAX_READING.maxPerAddress)
      yield* Effect.repeatN(nextTurn, 50)
      yield* adjust("10 seconds")
      yield* Effect.repeatN(nextTurn, 50)
      assert.deepStrictEqual(
        refused.map(({ received }) => received.text),
        refused.map(() => "")
      )
      const next = yield* Effect.fork(postUrls(port, ["b"]))
      yield* Effect.repeatN(nextTurn, 50)
      yield* finish
      for (const request of [...running, next]) assert.strictEqual((yield* Fiber.join(request)).status, 200)
      yield* turnsUntil("each refused request has its 503", () =>
        refused.every(({ received }) => received.text.includes("HTTP/1.1 503 "))
      )
    })
  )

  it.scoped("whose 503 waits behind another response has 10 seconds to send it too", () =>
    Effect.gen(function* () {
      const { checkers, seen, finish } = yield* waiting
      const port = yield* serviceUnderTest({ checkers, env: PROXY })
      yield* Effect.forEach(numbers(MAX_COMPUTING.maxPerAddress), () =>
        Effect.forkScoped(postUrls(port, ["a"]))
      )
      yield* untilStarted(seen, MAX_COMPUTING.maxPerAddress)
      const { received } = yield* connection(port, singleAndBulk)
      yield* untilStarted(seen, MAX_COMPUTING.maxPerAddress + 1)
      yield* Effect.repeatN(nextTurn, 50)
      yield* adjust("10 seconds")
      yield* Effect.repeatN(nextTurn, 50)
      assert.isFalse(received.isClosed)
      yield* adjust("10 seconds")
      yield* turnsUntil("the connection is closed", () => received.isClosed)
      assert.strictEqual(received.text, "")
      yield* finish
    })
  )

  it.scoped("is refused while MAX_IN_FLIGHT checks are in flight, and counts as one of them", () =>
    Effect.gen(function* () {
      const { checkers, seen, finish } = yield* waiting
      const port = yield* serviceUnderTest({ checkers, env: { ...PROXY, RATE_LIMIT: "10000" } })
      yield* Effect.forkScoped(postUrls(port, numbers(500)))
      yield* untilStarted(seen, 500)
      yield* sendChecks(port, MAX_IN_FLIGHT - 1)
      yield* untilStarted(seen, 500 + MAX_IN_FLIGHT - 1)
      assert.strictEqual((yield* postJson(port, { url: "a" })).status, 503)
      assert.strictEqual((yield* postUrls(port, ["a"])).status, 503)
      yield* finish
    })
  )

  it.scoped("ends when its client resets the connection: all checks are interrupted", () =>
    Effect.gen(function* () {
      const { checkers, seen } = yield* waiting
      const { lines, layer } = collect()
      const port = yield* Effect.provide(serviceUnderTest({ checkers, env: PROXY }), layer)
      const body = JSON.stringify({ urls: numbers(100) })
      const { socket } = yield* connection(port, headOf(1, body.length) + body)
      yield* untilStarted(seen, 100)
      socket.resetAndDestroy()
      yield* turnsUntil("100 checks are interrupted", () => seen.interrupted === 100)
      yield* turnsUntil("the request is logged", () => requestLines(lines).length > 0)
      const [line] = requestLines(lines)
      assert.deepStrictEqual([line?.path, line?.status, line?.urls], [PATH, 499, 100])
    })
  )

  it.scoped("is answered to a client that has closed its side", () =>
    Effect.gen(function* () {
      const { checkers, seen, finish } = yield* waiting
      const port = yield* serviceUnderTest({ checkers, env: PROXY })
      const body = '{"urls":["a"]}'
      const received = yield* Effect.fork(
        Effect.async<string>((resume) => {
          const socket = Net.connect({ port, host: "127.0.0.1", allowHalfOpen: true })
          let text = ""
          socket.on("data", (piece) => {
            text += piece.toString("latin1")
          })
          socket.on("close", () => resume(Effect.succeed(text)))
          socket.end(headOf(1, body.length) + body)
        })
      )
      yield* untilStarted(seen, 1)
      yield* Effect.repeatN(nextTurn, 20)
      yield* finish
      assert.match(yield* Fiber.join(received), /HTTP\/1\.1 200 OK\r\n.*"url":"a"/s)
    })
  )

  it.scoped("has one line in the log, with the number of its URLs and the time to its end", () =>
    Effect.gen(function* () {
      const { checkers, finish, seen } = yield* waiting
      const { lines, layer } = collect()
      const port = yield* Effect.provide(serviceUnderTest({ checkers }), layer)
      const request = yield* Effect.fork(postUrls(port, ["0", "1", "0"]))
      yield* untilStarted(seen, 2)
      yield* adjust("1500 millis")
      assert.deepStrictEqual(requestLines(lines), [])
      yield* finish
      yield* Fiber.join(request)
      yield* turnsUntil("the request is logged", () => requestLines(lines).length > 0)
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

  it.scoped("is measured to its response, not until the client has read it", () =>
    Effect.gen(function* () {
      const reason = "x".repeat(8 * 1024 * 1024)
      const found = outcomes({ heuristics: { findings: [finding("notHttps", { reason })] } })
      const port = yield* serviceUnderTest({
        checkers: { checkAll: () => Effect.succeed(found) },
        env: PROXY
      })
      const { received, socket } = yield* connection(
        port,
        singleAndBulk.slice(singleAndBulk.lastIndexOf("POST"))
      )
      yield* turnsUntil("the response has begun to arrive", () => received.text !== "")
      socket.pause()
      yield* Effect.repeatN(nextTurn, 50)
      yield* adjust("10 seconds")
      socket.resume()
      yield* turnsUntil("the connection is closed", () => received.isClosed)
      const { body } = yield* send(port, { method: "GET", path: "/metrics" })
      assert.match(body, /^threat_scoring_http_request_duration_seconds_sum\{route="\/api\/checks"\} 0$/m)
    })
  )

  it.effect("gets its response during the grace period of the shutdown, and the connection is closed", () =>
    Effect.gen(function* () {
      const { checkers, seen, finish } = yield* waiting
      const scope = yield* Scope.make()
      const port = yield* Scope.extend(serviceUnderTest({ checkers }), scope)
      const request = yield* Effect.fork(postUrls(port, ["0", "1"]))
      yield* untilStarted(seen, 2)
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* adjust("5 seconds")
      yield* finish
      const { status, headers, body } = yield* Fiber.join(request)
      assert.deepStrictEqual([status, headers.connection], [200, "close"])
      assert.include(body, '"url":"1"')
      yield* Fiber.join(closing)
    })
  )

  it.effect("is cut after the grace period", () =>
    Effect.gen(function* () {
      const { checkers, seen } = yield* waiting
      const scope = yield* Scope.make()
      const port = yield* Scope.extend(serviceUnderTest({ checkers }), scope)
      const request = yield* Effect.fork(Effect.either(postUrls(port, ["0", "1"])))
      yield* untilStarted(seen, 2)
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* adjust("11 seconds")
      assert.strictEqual((yield* Fiber.join(request))._tag, "Left")
      yield* Fiber.join(closing)
      yield* turnsUntil("two checks are interrupted", () => seen.interrupted === 2)
    })
  )
})
