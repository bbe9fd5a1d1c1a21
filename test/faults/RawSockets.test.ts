import * as Net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as WatchedService from "../fixtures/WatchedService.ts"

/** A connection idle for this long counts as open: the service closes an idle one after 65 seconds. */
const IDLE_MS = 1500

interface Exchange {
  /** The status codes of all responses, in order. */
  readonly statuses: ReadonlyArray<number>
  readonly text: string
  /** Whether the service closed the connection; false: it would read another request. */
  readonly isClosed: boolean
}

/** Writes raw bytes on a new connection, and reads until it is closed or idle. */
const exchange = (port: number, bytes: string): Effect.Effect<Exchange> =>
  Effect.async((resume) => {
    const socket = Net.connect(port, "127.0.0.1")
    let text = ""
    const done = (isClosed: boolean) => {
      socket.destroy()
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
      resume(Effect.succeed({ statuses, text, isClosed }))
    }
    socket.setTimeout(IDLE_MS, () => done(false))
    socket.on("data", (piece) => {
      text += piece.toString("latin1")
    })
    socket.on("error", () => undefined)
    socket.on("close", () => done(true))
    socket.write(Buffer.from(bytes, "latin1"))
  })

const body = '{"url":"https://example.com/?q=marked-submission"}'
const post = (headers: string, content: string, target = "/api/check", version = "HTTP/1.1") =>
  `POST ${target} ${version}\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n${content}`
const whole = post(`Content-Length: ${body.length}\r\n`, body)
const chunk = (content: string, extension = "") =>
  `${content.length.toString(16)}${extension}\r\n${content}\r\n`
const chunked = "Transfer-Encoding: chunked\r\n"
/** A request that an attacker tries to smuggle in. Its response is a 200. */
const smuggled = "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n"

interface Shape {
  readonly name: string
  readonly bytes: string
  readonly statuses: ReadonlyArray<number>
  readonly isClosed: boolean
}

const refused = (name: string, bytes: string, status = 400): Shape => ({
  name,
  bytes: bytes + smuggled,
  statuses: [status],
  isClosed: true
})
const answered = (name: string, bytes: string, ...statuses: ReadonlyArray<number>): Shape => ({
  name,
  bytes,
  statuses,
  isClosed: false
})

const length = (value: number | string) => `Content-Length: ${value}\r\n`

const smuggling: ReadonlyArray<Shape> = [
  refused("content length and transfer encoding", post(length(4) + chunked, "0\r\n\r\n")),
  refused("transfer encoding and content length", post(chunked + length(4), "0\r\n\r\n")),
  refused("two content lengths", post(length(body.length) + length(0), body)),
  refused("two equal content lengths", post(length(body.length) + length(body.length), body)),
  refused("a list of content lengths", post(length(`${body.length}, ${body.length}`), body)),
  refused("a signed content length", post(length(`+${body.length}`), body)),
  refused("a negative content length", post(length("-1"), body)),
  refused("a hexadecimal content length", post(length("0x10"), body)),
  refused("a content length that overflows", post(length("99999999999999999999999"), body)),
  refused("an empty content length", post("Content-Length:\r\n", body)),
  refused("a space before the colon", post(`Content-Length : ${body.length}\r\n`, body)),
  refused(
    "a header folded over lines",
    post(`${length(body.length)}X-A: b\r\n Transfer-Encoding: chunked\r\n`, body)
  ),
  refused("an unknown transfer encoding", post("Transfer-Encoding: xchunked\r\n", chunk(body)), 501),
  refused("chunked before another encoding", post("Transfer-Encoding: chunked, identity\r\n", chunk(body))),
  refused("two transfer encodings", post(`${chunked}Transfer-Encoding: identity\r\n`, chunk(body))),
  refused("a transfer encoding in quotes", post('Transfer-Encoding: "chunked"\r\n', chunk(body)), 501),
  refused("a vertical tab in a transfer encoding", post("Transfer-Encoding: \x0bchunked\r\n", chunk(body))),
  refused("a NUL in a header", post(`${length(body.length)}X-A: a\x00b\r\n`, body)),
  refused("a carriage return alone in a header", post(`${length(body.length)}X-A: a\rb\r\n`, body)),
  refused("line feeds alone", whole.replaceAll("\r\n", "\n")),
  refused("a line feed alone after a header", post(`X-A: b\n${length(body.length)}`, body)),
  refused("a header without a colon", post(`X-A\r\n${length(body.length)}`, body)),
  refused("a header without a name", post(`: b\r\n${length(body.length)}`, body)),
  refused("a space before the first header", whole.replace("Host", " Host")),
  refused(
    "a compressed body in chunks",
    post("Transfer-Encoding: gzip, chunked\r\n", `${chunk(body)}0\r\n\r\n`),
    501
  ),
  refused(
    "a body in chunks of chunks",
    post("Transfer-Encoding: chunked, chunked\r\n", `${chunk(body)}0\r\n\r\n`)
  ),
  refused("no Host", whole.replace("Host: a\r\n", "")),
  refused("two Hosts", whole.replace("Host: a\r\n", "Host: a\r\nhost: b\r\n")),
  refused("two equal Hosts", whole.replace("Host: a\r\n", "Host: a\r\nHost: a\r\n")),
  refused("a space in Host", whole.replace("Host: a", "Host: a b")),
  refused("a path in Host", whole.replace("Host: a", "Host: a/b")),
  refused("another protocol", whole.replace("HTTP/1.1", "HTTQ/1.1")),
  refused("an unknown version", whole.replace("HTTP/1.1", "HTTP/1.9")),
  refused("the beginning of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  refused("a TLS handshake", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
  refused("an unknown method", whole.replace("POST", "SMUGGLE")),
  refused("a method in small letters", whole.replace("POST", "post")),
  refused("a control character in the target", whole.replace("/api/check", "/api/check\x01")),
  refused("a space in the target", whole.replace("/api/check", "/api/check x"))
]

const chunks: ReadonlyArray<Shape> = [
  answered(
    "chunks",
    post(chunked, `${chunk(body.slice(0, 9))}${chunk(body.slice(9))}0\r\n\r\n`) + smuggled,
    200,
    200
  ),
  answered("trailers", post(chunked, `${chunk(body)}0\r\nX-Trailer: a\r\n\r\n`) + smuggled, 200, 200),
  answered("an extension of a chunk", post(chunked, `${chunk(body, ";a=b")}0\r\n\r\n`) + smuggled, 200, 200),
  refused("an invalid chunk size", post(chunked, `g\r\n${body}\r\n0\r\n\r\n`)),
  refused("a chunk size that overflows", post(chunked, `fffffffffffffffff\r\n${body}`)),
  refused("a chunk longer than its size", post(chunked, `2\r\n${body}\r\n0\r\n\r\n`)),
  refused(
    "a line feed alone after a chunk size",
    post(chunked, `${body.length.toString(16)}\n${body}\r\n0\r\n\r\n`)
  ),
  refused("an endless extension", post(chunked, `1;${"a".repeat(20_000)}\r\n`), 413)
]

const sizes: ReadonlyArray<Shape> = [
  refused("a header of 17 KiB", post(`X-A: ${"a".repeat(17 * 1024)}\r\n${length(body.length)}`, body), 431),
  refused("3,000 headers", post(`${"X-A: abcd\r\n".repeat(3000)}${length(body.length)}`, body), 431),
  refused("a target of 17 KiB", post(length(body.length), body, `/api/check?${"a".repeat(17 * 1024)}`), 431),
  answered(
    "many small headers",
    post(`${"X-A: b\r\n".repeat(200)}${length(body.length)}`, body) + smuggled,
    200,
    200
  ),
  answered("a body over 64 KiB, announced", post(length(70_000), "x".repeat(70_000)) + smuggled, 413, 200),
  answered(
    "a body over 64 KiB, in chunks",
    post(chunked, `${chunk("x".repeat(70_000))}0\r\n\r\n`) + smuggled,
    413,
    200
  )
]

const ordinary: ReadonlyArray<Shape> = [
  answered("an absolute target", post(length(body.length), body, "http://other.example/api/check"), 200),
  answered("an absolute target with a user", post(length(body.length), body, "http://a:b@c/api/check"), 200),
  answered("an absolute target without a path", post(length(body.length), body, "http://other.example"), 405),
  answered(
    "an absolute target with a query alone",
    "GET http://other.example?x HTTP/1.1\r\nHost: a\r\n\r\n",
    200
  ),
  answered("an empty Host", whole.replace("Host: a", "Host:"), 200),
  refused("a target that is only a query", post(length(body.length), body, "?a")),
  answered("OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 204),
  answered("three requests at once", whole + smuggled + whole, 200, 200, 200),
  answered("empty lines before a request", `\r\n\r\n${whole}`, 200),
  answered(
    "a body that the service does not read",
    post(length(smuggled.length), smuggled, "/nowhere") + smuggled,
    404,
    200
  ),
  answered(
    "a body of a GET",
    `GET /health/live HTTP/1.1\r\nHost: a\r\n${length(body.length)}\r\n${body}${smuggled}`,
    200,
    200
  ),
  answered("Expect: 100-continue", post(`Expect: 100-continue\r\n${length(body.length)}`, body), 100, 200),
  answered("an unknown expectation", post(`Expect: nothing\r\n${length(body.length)}`, body), 417),
  answered(
    "an upgrade that the service does not support",
    post(`Upgrade: h2c\r\nConnection: Upgrade\r\n${length(body.length)}`, body),
    200
  ),
  {
    name: "Connection: close",
    bytes: post(`Connection: close\r\n${length(body.length)}`, body),
    statuses: [200],
    isClosed: true
  },
  refused("a request after Connection: close", post(`Connection: close\r\n${length(body.length)}`, body)),
  {
    name: "HTTP/1.0",
    bytes: post(length(body.length), body, "/api/check", "HTTP/1.0"),
    statuses: [200],
    isClosed: true
  },
  refused("a request after HTTP/1.0", post(length(body.length), body, "/api/check", "HTTP/1.0")),
  {
    name: "HTTP/1.0 without Host",
    bytes: "GET /health/live HTTP/1.0\r\n\r\n",
    statuses: [200],
    isClosed: true
  },
  {
    name: "CONNECT",
    bytes: "CONNECT other.example:443 HTTP/1.1\r\nHost: a\r\n\r\n",
    statuses: [],
    isClosed: true
  },
  ...["GET", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "QUERY"].map((method) =>
    answered(`${method} of the check`, `${method} /api/check HTTP/1.1\r\nHost: a\r\n\r\n`, 405)
  )
]

describe("raw connections", () => {
  for (const [kind, shapes] of Object.entries({ smuggling, chunks, sizes, ordinary }))
    it.scopedLive(`get the expected responses, and are closed after an invalid request: ${kind}`, () =>
      Effect.gen(function* () {
        const service = yield* WatchedService.make({})
        yield* service.check(WatchedService.submission("example.com"))
        const handles = service.handles().length
        const found = yield* Effect.forEach(
          shapes,
          ({ name, bytes }) =>
            Effect.map(
              exchange(service.port, bytes),
              ({ statuses, isClosed }) => `${name}: ${statuses.join()}${isClosed ? ", closed" : ""}`
            ),
          { concurrency: 8 }
        )
        assert.deepStrictEqual(
          found,
          shapes.map(
            ({ name, statuses, isClosed }) => `${name}: ${statuses.join()}${isClosed ? ", closed" : ""}`
          )
        )
        const last = yield* service.check(WatchedService.submission("example.com"))
        assert.strictEqual(last.status, 200)
        assert.notInclude(service.output(), '"level":"error"')
        assert.isAtMost(service.handles().length, handles + 1)
      })
    )
})
