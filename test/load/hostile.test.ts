import * as Http from "node:http"
import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Hostile from "../fixtures/Hostile.ts"
import { invented } from "../fixtures/InventedAddresses.ts"
import * as LoadedService from "../fixtures/LoadedService.ts"
import type { LogLine } from "../fixtures/LogLines.ts"
import * as OpenLoad from "../fixtures/OpenLoad.ts"
import * as SafeBrowsingServer from "../fixtures/SafeBrowsingServer.ts"

/** Of each measurement. */
const SECONDS = Number(process.env.SECONDS ?? 6)

/** Enough for honest clients, and used up by an attacker within a second. */
const RATE_LIMIT = 1000

const ATTACKER = "127.0.2.1"

const KIB = 1024

const urls = invented(1000)

/** Honest clients: single checks from 20 addresses, bulk requests from 50 others. */
const SINGLE = { connections: 20, perSecond: 100 }
const BULK = { addresses: 50, intervalMs: 200 }

const head = (path: string, length: number, more = "") =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`

/** A whole request. */
const post = (path: string, body: string) => head(path, Buffer.byteLength(body)) + body

/** Invented URLs of so many characters each. */
const urlsOf = (count: number, characters: number) =>
  JSON.stringify({ urls: urls.slice(0, count).map((url) => `${url}?a=`.padEnd(characters, "b")) })

/** About 8 KB in the response. */
const fewUrls = urlsOf(5, 100)

/** 100 KB of one URL, which takes little time to check. */
const longUrls = JSON.stringify({
  urls: Array.from({ length: 25 }, () => "https://a.example/".padEnd(4000, "b"))
})

/** Sends a bulk request in equal pieces, the last one after `millis`. Returns the status of the whole response. */
const upload = (port: number, index: number, body: string, millis: number) =>
  Effect.async<string>((resume) => {
    const request = Http.request(
      {
        port,
        host: "127.0.0.1",
        localAddress: `127.0.1.${1 + (index % BULK.addresses)}`,
        path: "/api/checks",
        method: "POST",
        agent: false,
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
      },
      (response) => {
        response.resume()
        response.on("end", () =>
          resume(Effect.succeed(response.complete ? String(response.statusCode) : "cut"))
        )
        response.on("error", () => resume(Effect.succeed("cut")))
      }
    )
    request.on("error", (error) => resume(Effect.succeed(error.message)))
    const pieces = millis === 0 ? 1 : 5
    const send = (piece: number) => {
      const [from, to] = [piece, piece + 1].map((n) => Math.floor((n * body.length) / pieces))
      request.write(body.slice(from, to))
      if (piece + 1 === pieces) request.end()
      else setTimeout(send, millis / (pieces - 1), piece + 1)
    }
    send(0)
    return Effect.sync(() => request.destroy())
  })

/** The statuses of honest bulk requests at a fixed rate, each on a new connection. */
const bulk = (port: number, body: string, uploadMillis: number) =>
  Effect.gen(function* () {
    const start = performance.now()
    const seen = yield* Effect.forEach(
      Array.from({ length: (SECONDS * 1000) / BULK.intervalMs }, (_, index) => index),
      (index) => Effect.delay(Effect.timed(upload(port, index, body, uploadMillis)), BULK.intervalMs * index),
      { concurrency: "unbounded" }
    )
    const statuses: Record<string, number> = {}
    for (const [, status] of seen) statuses[status] = (statuses[status] ?? 0) + 1
    return { statuses, sent: seen.length, seconds: (performance.now() - start) / 1000 }
  })

interface Honest {
  readonly body?: string
  /** From the first to the last byte of a bulk request. */
  readonly uploadMillis?: number
}

/** Single checks and bulk requests at the same time. All must be answered with 200. */
const honest = (name: string, port: number, { body = fewUrls, uploadMillis = 0 }: Honest = {}) =>
  Effect.gen(function* () {
    const [single, many] = yield* Effect.all(
      [OpenLoad.run({ port, urls, ...SINGLE, seconds: SECONDS }), bulk(port, body, uploadMillis)],
      { concurrency: "unbounded" }
    )
    console.log(
      `  ${name}: single p50 ${single.p50} ms, p99 ${single.p99} ms, ${JSON.stringify(Object.fromEntries(single.statuses))}, ${single.late} late; bulk ${JSON.stringify(many.statuses)} in ${many.seconds.toFixed(1)} s`
    )
    return { single, many }
  })

/** Compared at the end of a test, so that all attacks of it are measured. */
type Measured = Effect.Effect.Success<ReturnType<typeof honest>>

const assertNoneRefused = (measured: ReadonlyArray<readonly [name: string, Measured]>) => {
  for (const [name, { single, many }] of measured) {
    assert.deepStrictEqual(many.statuses, { 200: many.sent }, `bulk requests: ${name}`)
    assert.deepStrictEqual([...single.statuses.keys()], ["200"], `single checks: ${name}`)
  }
}

type AttackOf = Omit<Hostile.Attack, "port" | "address">

/** Measures honest clients during each of the attacks, after a quiet measurement. */
const attacked = (
  port: number,
  attacks: Readonly<Record<string, AttackOf>>,
  clients?: Honest,
  begin: Effect.Effect<unknown> = Effect.void
) =>
  Effect.gen(function* () {
    yield* honest("warm up", port, clients)
    yield* honest("quiet", port, clients)
    yield* begin
    const measured: Array<readonly [string, Measured]> = []
    for (const [name, attack] of Object.entries(attacks))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const seen = yield* Hostile.start({ port, address: ATTACKER, ...attack })
          yield* Effect.sleep("1 second")
          measured.push([name, yield* honest(name, port, clients)])
          console.log(`RESULT ${name}: the attacker saw ${Hostile.describe(yield* seen)}`)
        })
      )
    return measured
  })

/** Sends text from the address, and returns all that the service sends until it closes the connection. */
const exchange = (port: number, text: string, end: (socket: Net.Socket) => void = () => undefined) =>
  Effect.async<string>((resume) => {
    let received = ""
    const socket = Net.connect(
      { port, host: "127.0.0.1", localAddress: ATTACKER, allowHalfOpen: true },
      () => {
        socket.write(text, "latin1")
        end(socket)
      }
    )
    socket.setEncoding("latin1")
    socket.on("data", (piece) => {
      received += piece
    })
    socket.on("end", () => socket.end())
    socket.on("error", () => undefined)
    socket.on("close", () => resume(Effect.succeed(received)))
    return Effect.sync(() => socket.destroy())
  })

const lastRequest = (path: string, body: string) =>
  head(path, Buffer.byteLength(body), "Connection: close\r\n") + body

/** Brings the attacker to its limit. */
const useUpLimit = (port: number) => {
  const body = JSON.stringify({ urls: Array.from({ length: 500 }, () => "a") })
  return Effect.repeat(exchange(port, lastRequest("/api/checks", body)), {
    until: (response) => response.startsWith("HTTP/1.1 429 "),
    times: 10
  })
}

const service = (env: Readonly<Record<string, string>> = {}) =>
  LoadedService.make({ RATE_LIMIT: String(RATE_LIMIT), ...env })

const brackets = (bytes: number): string => post("/api/checks", "[".repeat(bytes))

/**
 * Timings are printed and not asserted: the goal is a p99 of single checks of at most twice the quiet one. In a network
 * namespace in which loopback has an MTU of 1500, less is buffered by the system:
 * `unshare -rn sh -c 'ip link set lo mtu 1500 up && npm run test:load -- hostile'`
 */
describe("an attacker of one address does not affect others", () => {
  it.scopedLive("at its limit", () =>
    Effect.gen(function* () {
      const { port } = yield* service()
      const measured = yield* attacked(
        port,
        {
          "1 MiB of JSON, 1 connection": {
            connections: 1,
            request: brackets(KIB * KIB),
            behaviour: "repeat"
          },
          "1 MiB of JSON, 24 connections": {
            connections: 24,
            request: brackets(KIB * KIB),
            behaviour: "repeat"
          },
          "255 KiB of JSON, 1 connection": {
            connections: 1,
            request: brackets(255 * KIB),
            behaviour: "repeat"
          },
          "255 KiB of JSON, 24 connections": {
            connections: 24,
            request: brackets(255 * KIB),
            behaviour: "repeat"
          },
          "30 bytes, 200 connections": { connections: 200, request: brackets(30), behaviour: "repeat" },
          "30 bytes for one URL, 200 connections": {
            connections: 200,
            request: post("/api/check", "[".repeat(30)),
            behaviour: "repeat"
          }
        },
        {},
        useUpLimit(port)
      )
      assertNoneRefused(measured)
    })
  )

  it.scopedLive("below its limit, which does not read", () =>
    Effect.gen(function* () {
      const { port } = yield* service({ RATE_LIMIT: "1000000" })
      const url = "http://paypal-login.secure.example:8080/verify?next=http://192.0.2.1/".padEnd(480, "a")
      // One URL, and a response of 1 MB.
      const many = post("/api/checks", JSON.stringify({ urls: Array.from({ length: 500 }, () => url) }))
      // The system buffers 3.9 MB of a connection of loopback, or 0.7 MB with an MTU of 1500. A script has 1.8 MB.
      const scripts = "GET /swagger-ui.js HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2)
      const measured = yield* attacked(port, {
        "24 bulk responses unread, filled buffers": {
          connections: 24,
          request: scripts,
          rest: many,
          behaviour: "read nothing"
        },
        "24 bulk responses unread": { connections: 24, request: many, behaviour: "read nothing" }
      })
      assertNoneRefused(measured)
    })
  )

  for (const length of [200_000, 1_000_000])
    it.scopedLive(`which aborts bodies of ${length / 1000} KB, and is counted`, () =>
      Effect.gen(function* () {
        const { port } = yield* service()
        const request = head("/api/checks", length) + "[".repeat(66_000)
        const measured = yield* attacked(
          port,
          {
            [`66 KB of ${length / 1000} KB, 40 connections`]: {
              connections: 40,
              request,
              behaviour: { closeAfterMs: 50 }
            }
          },
          { body: longUrls, uploadMillis: 200 }
        )
        const response = yield* exchange(port, lastRequest("/api/check", '{"url":"a"}'))
        console.log(`RESULT afterwards the attacker gets ${response.split("\r\n", 3).join(", ")}`)
        assertNoneRefused(measured)
        assert.match(response, /^HTTP\/1\.1 429 /)
      })
    )

  it.scopedLive("that reads health and metrics", () =>
    Effect.gen(function* () {
      const { port } = yield* service()
      const get = (path: string): AttackOf => ({
        connections: 64,
        request: `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
        behaviour: "repeat"
      })
      const measured = yield* attacked(port, {
        "/metrics, 64 connections": get("/metrics"),
        "/health/ready, 64 connections": get("/health/ready"),
        "/health/live, 64 connections": get("/health/live")
      })
      assertNoneRefused(measured)
    })
  )
})

/** Lines other than those of requests that were answered or aborted. */
const isOfRefusal = ({ message, status }: LogLine) =>
  message !== "request" || (status !== 200 && status !== 499)

interface Logged {
  readonly name: string
  readonly refused: number
  readonly lines: number
}

/** Counts the requests that are refused with 429 or 503 during an attack, and the lines of the log about refusals. */
const logged = (
  name: string,
  { port, output }: LoadedService.LoadedService,
  attack: AttackOf
): Effect.Effect<Logged> =>
  Effect.scoped(
    Effect.gen(function* () {
      const from = output().length
      const seen = yield* Hostile.start({ port, address: ATTACKER, ...attack })
      yield* Effect.sleep(SECONDS * 1000)
      const { statuses } = yield* seen
      // The last summary.
      yield* Effect.sleep("1500 millis")
      const lines = output()
        .slice(from)
        .split("\n")
        .slice(0, -1)
        .map((line): LogLine => JSON.parse(line))
        .filter(isOfRefusal).length
      console.log(`RESULT ${name}: ${JSON.stringify(statuses)} in ${SECONDS} s, ${lines} lines of the log`)
      return { name, refused: (statuses[429] ?? 0) + (statuses[503] ?? 0), lines }
    })
  )

const assertAtMostOneASecond = (attacks: ReadonlyArray<Logged>) => {
  for (const { name, lines } of attacks) assert.isAtMost(lines, SECONDS + 2, `lines of the log: ${name}`)
  for (const { name, refused } of attacks) assert.isAbove(refused, 100, `refused: ${name}`)
}

describe("refusals are at most one line of the log a second", () => {
  it.scopedLive("of a client with too many bodies, and at its limit", () =>
    Effect.gen(function* () {
      const loaded = yield* service({ LOG_LEVEL: "info" })
      const body = "[".repeat(300)
      const half: AttackOf = {
        connections: 100,
        request: head("/api/checks", body.length) + body.slice(0, 30),
        rest: body.slice(30),
        behaviour: "repeat"
      }
      const repeat = { connections: 200, behaviour: "repeat" } as const
      const bulk = (body: string): AttackOf => ({ ...repeat, request: post("/api/checks", body) })
      const single: AttackOf = { ...repeat, request: post("/api/check", '{"url":"a"}') }
      const halves = yield* logged("half a bulk request", loaded, half)
      yield* useUpLimit(loaded.port)
      assertAtMostOneASecond([
        halves,
        yield* logged("single checks", loaded, single),
        yield* logged("bulk requests", loaded, bulk('{"urls":["a"]}')),
        yield* logged("bulk requests of 1 MiB", loaded, bulk("[".repeat(KIB * KIB)))
      ])
    })
  )

  it.scopedLive("with 503", () =>
    Effect.gen(function* () {
      const google = yield* SafeBrowsingServer.make()
      google.behave({ _tag: "Hang" })
      const loaded = yield* service({
        LOG_LEVEL: "info",
        RATE_LIMIT: "1000000000",
        MAX_CONNECTIONS_PER_ADDRESS: "4096",
        REPUTATION_API_URL: google.url.href,
        REPUTATION_API_KEY: "key",
        REPUTATION_MODE: "no-storage"
      })
      const attack: AttackOf = {
        connections: 1500,
        request: post("/api/check", '{"url":"https://new.example/"}'),
        behaviour: "repeat"
      }
      assertAtMostOneASecond([yield* logged("1,500 checks at once", loaded, attack)])
    })
  )
})

describe("the response is whole", () => {
  for (const [path, length] of [
    ["/api/check", 64 * KIB + 1],
    ["/api/checks", KIB * KIB + 1]
  ] as const)
    it.scopedLive(`413 without 100 for a body of ${path} that is announced as too large`, () =>
      Effect.gen(function* () {
        const { port } = yield* service()
        // Sends no body: only a response ends the exchange before the timeouts of the service do.
        const received = yield* Effect.timeoutOption(
          exchange(port, head(path, length, "Expect: 100-continue\r\nConnection: close\r\n")),
          "5 seconds"
        )
        const [statusLine] = Option.getOrElse(received, () => "nothing").split("\r\n")
        assert.strictEqual(statusLine, "HTTP/1.1 413 Payload Too Large")
      })
    )

  for (const [path, body] of [
    ["/api/check", '{"url":"https://new.example/"}'],
    ["/api/checks", '{"urls":["https://new.example/","https://other.example/"]}']
  ] as const)
    it.scopedLive(`of ${path} for a client that half-closes its connection while a checker waits`, () =>
      Effect.gen(function* () {
        const google = yield* SafeBrowsingServer.make({ delay: 500 })
        const { port } = yield* service({
          REPUTATION_API_URL: google.url.href,
          REPUTATION_API_KEY: "key",
          REPUTATION_MODE: "no-storage"
        })
        const received = yield* exchange(port, post(path, body), (socket) => socket.end())
        assert.match(received, /^(?:HTTP\/1\.1 100 Continue\r\n\r\n)*HTTP\/1\.1 200 /)
        const [, json = ""] = received.split("\r\n\r\n")
        assert.strictEqual(json.length, Number(/\r\ncontent-length: (\d+)\r\n/i.exec(received)?.[1]))
        assert.include(received, path === "/api/check" ? "reputation_lookup=ok" : '"reputation_lookup":"ok"')
      })
    )
})
