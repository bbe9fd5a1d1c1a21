import { inspect } from "node:util"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Duration, Effect, Fiber, Layer, Option, Redacted, TestClock } from "effect"
import type { FeedError } from "../../../../src/Checkers/ThreatFeed/FeedError.ts"
import * as FeedDownload from "../../../../src/Checkers/ThreatFeed/Worker/FeedDownload.ts"
import type { Order } from "../../../../src/Checkers/ThreatFeed/Worker/FeedIntake.ts"
import * as FeedWorkerInProcess from "../../../fixtures/FeedWorkerInProcess.ts"
import * as HttpClientDouble from "../../../fixtures/HttpClientDouble.ts"
import { hashKey } from "../../../fixtures/ThreatLists.ts"

const address = "https://feeds.example/list?auth-key=SECRET"

const feed = (url = address): FeedDownload.FeedAddress => ({
  url: new URL(url),
  format: "lines",
  authHeader: Option.none()
})

type BodyInit = ConstructorParameters<typeof Response>[0]

const rows = "http://a.example/\nhttp://b.example/\n"

const answering = (response: () => HttpClientDouble.DoubleAnswer) => HttpClientDouble.make(response)

const order: Order = {
  hashKey,
  stampClock: undefined,
  document: { format: "lines", category: "phishing" },
  earlier: undefined
}

/** The document as text, or the error, or word that nothing has changed. */
const text = (from = feed(), validators = FeedDownload.noValidators) =>
  FeedDownload.download(from, validators).pipe(
    Effect.flatMap((answer) =>
      answer._tag === "NotModified"
        ? Effect.succeed("not modified")
        : Effect.map(answer.make(order), ({ bytes }) => Buffer.from(bytes).toString())
    ),
    Effect.scoped,
    Effect.provide(FeedWorkerInProcess.layerOfDocuments)
  )

/** The message of the error with which a download ends. */
const failure = <A, R>(effect: Effect.Effect<A, FeedError, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

const textOf = (body: BodyInit, headers: Record<string, string> = {}) =>
  Effect.provide(text(), answering(() => new Response(body, { headers })).layer)

const failureOf = (body: BodyInit, headers: Record<string, string> = {}) => failure(textOf(body, headers))

describe("FeedDownload", () => {
  describe("the request", () => {
    it.effect("says who asks, takes gzip, and is unconditional the first time", () =>
      Effect.gen(function* () {
        const { sent, layer } = answering(() => new Response(rows))
        assert.strictEqual(yield* Effect.provide(text(), layer), rows)
        const [{ url, headers } = { url: "", headers: {} }] = sent
        assert.strictEqual(sent.length, 1)
        assert.strictEqual(url, address)
        assert.strictEqual(headers["accept-encoding"], "gzip")
        assert.strictEqual(headers["user-agent"], "url-threat-scoring/0.1.0")
        assert.isUndefined(headers["if-none-match"])
        assert.isUndefined(headers["if-modified-since"])
      })
    )

    it.effect("introduces itself to PhishTank in PhishTank's form", () =>
      Effect.gen(function* () {
        const { sent, layer } = answering(() => new Response(rows))
        yield* Effect.provide(text({ ...feed(), format: "phishtank-csv" }), layer)
        assert.strictEqual(sent[0]?.headers["user-agent"], "phishtank/url-threat-scoring/0.1.0")
      })
    )

    it.effect("sends the validators of the document that is held, and hears that it still holds", () =>
      Effect.gen(function* () {
        const { sent, layer } = answering(() => new Response(null, { status: 304 }))
        const validators = { etag: '"x"', lastModified: "Sat, 21 Nov 2026 09:00:00 GMT" }
        assert.strictEqual(yield* Effect.provide(text(feed(), validators), layer), "not modified")
        assert.strictEqual(sent[0]?.headers["if-none-match"], '"x"')
        assert.strictEqual(sent[0]?.headers["if-modified-since"], "Sat, 21 Nov 2026 09:00:00 GMT")
      })
    )

    it.effect("leaves a signed address as it is", () =>
      Effect.gen(function* () {
        const signed = "https://feeds.example/a%2Fb?Signature=a~b-c_%2F%2B+d%20e&Expires=1&x"
        const { sent, layer } = answering(() => new Response(rows))
        yield* Effect.provide(text(feed(`${signed}#fragment`)), layer)
        assert.strictEqual(sent[0]?.url, signed)
      })
    )
  })

  describe("a redirect", () => {
    const through = (from: string, hops: Readonly<Record<string, string>>, auth = false) => {
      const double = HttpClientDouble.make(({ url }) => {
        const location = hops[url]
        return location === undefined
          ? new Response(rows, { headers: { etag: `"of ${url}"` } })
          : new Response("moved", { status: 302, headers: { location } })
      })
      const authHeader = auth
        ? Option.some({ name: "auth-key", value: Redacted.make("SECRET") })
        : Option.none()
      return {
        sent: double.sent,
        run: Effect.provide(text({ ...feed(from), authHeader }), double.layer)
      }
    }

    it.effect("is followed, also a relative one", () =>
      Effect.gen(function* () {
        const { sent, run } = through("https://a.example/list", {
          "https://a.example/list": "/other?x=1",
          "https://a.example/other?x=1": "https://cdn.example/signed?Signature=~"
        })
        assert.strictEqual(yield* run, rows)
        deepStrictEqual(
          sent.map(({ url }) => url),
          ["https://a.example/list", "https://a.example/other?x=1", "https://cdn.example/signed?Signature=~"]
        )
      })
    )

    it.effect("is followed five times, not six", () =>
      Effect.gen(function* () {
        const hops = (count: number) =>
          Object.fromEntries(
            Array.from({ length: count }, (_, i) => [`https://a.example/${i}`, `https://a.example/${i + 1}`])
          )
        assert.strictEqual(yield* through("https://a.example/0", hops(5)).run, rows)
        const six = through("https://a.example/0", hops(6))
        assert.strictEqual(yield* failure(six.run), "TooManyRedirects")
        assert.strictEqual(six.sent.length, 6)
        assert.strictEqual(
          yield* failure(through("https://a.example/", { "https://a.example/": "https://a.example/" }).run),
          "TooManyRedirects"
        )
      })
    )

    it.effect("takes the validators of the final answer", () =>
      Effect.gen(function* () {
        const { layer } = HttpClientDouble.make(({ url }) =>
          url === "https://a.example/"
            ? new Response(null, {
                status: 302,
                headers: { location: "https://b.example/", etag: '"redirect"' }
              })
            : new Response(rows, { headers: { etag: '"final"', "last-modified": "then" } })
        )
        const answer = yield* Effect.provide(
          Effect.scoped(FeedDownload.download(feed("https://a.example/"), FeedDownload.noValidators)),
          Layer.provide(FeedWorkerInProcess.layer, layer)
        )
        assert.deepInclude(answer, { validators: { etag: '"final"', lastModified: "then" } })
      })
    )

    it.effect("to another origin leaves the auth header behind for good", () =>
      Effect.gen(function* () {
        const { sent, run } = through(
          "https://a.example/1",
          {
            "https://a.example/1": "https://a.example/2",
            "https://a.example/2": "https://b.example/3",
            "https://b.example/3": "https://a.example/4"
          },
          true
        )
        assert.strictEqual(yield* run, rows)
        deepStrictEqual(
          sent.map(({ headers }) => headers["auth-key"]),
          ["SECRET", "SECRET", undefined, undefined]
        )
      })
    )

    it.effect("to where it must not lead is refused, and not asked", () =>
      Effect.gen(function* () {
        const { sent, run } = through("https://a.example/", { "https://a.example/": "https://127.0.0.1/" })
        assert.strictEqual(yield* failure(run), "ForbiddenRedirect")
        assert.strictEqual(sent.length, 1)
      })
    )

    it.effect("without a target is an answer like any other that is no document", () =>
      Effect.gen(function* () {
        const { layer } = answering(() => new Response(null, { status: 302 }))
        assert.strictEqual(yield* failure(Effect.provide(text(), layer)), "Status (302)")
      })
    )
  })

  describe("an answer", () => {
    it.effect("that is no document is told by its number, with how long to stay away", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 10, 21, 9))
        const refused = (status: number, retryAfter?: string) =>
          text().pipe(
            Effect.provide(
              answering(
                () =>
                  new Response("no", {
                    status,
                    ...(retryAfter !== undefined && { headers: { "retry-after": retryAfter } })
                  })
              ).layer
            ),
            Effect.flip,
            Effect.map(({ message, retryAfter = Option.none() }) => [
              message,
              Option.getOrUndefined(Option.map(retryAfter, Duration.toSeconds))
            ])
          )
        for (const status of [201, 204, 300, 401, 403, 404, 429, 500, 503, 509])
          if (status !== 204) deepStrictEqual(yield* refused(status), [`Status (${status})`, undefined])
        deepStrictEqual(yield* refused(429, "120"), ["Status (429)", 120])
        deepStrictEqual(yield* refused(503, "Sat, 21 Nov 2026 09:10:00 GMT"), ["Status (503)", 600])
        deepStrictEqual(yield* refused(509, "soon"), ["Status (509)", undefined])
      })
    )

    it.effect("that never begins is given up after 40 seconds", () =>
      Effect.gen(function* () {
        const { layer } = answering(() => "silence")
        const fiber = yield* Effect.fork(failure(Effect.provide(text(), layer)))
        yield* TestClock.adjust("39 seconds")
        assert.isNull(fiber.unsafePoll())
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* Fiber.join(fiber), "Timeout (no answer)")
      })
    )

    it.effect("is not waited for when there is no connection", () =>
      Effect.gen(function* () {
        for (const [code, message] of [
          ["ECONNREFUSED", "Unreachable (ECONNREFUSED)"],
          ["ENOTFOUND", "Unreachable (ENOTFOUND)"],
          ["CERT_HAS_EXPIRED", "Unreachable (CERT_HAS_EXPIRED)"],
          ["ECONNECTTIMEOUT", "Timeout (ECONNECTTIMEOUT)"]
        ] as const)
          assert.strictEqual(
            yield* failure(Effect.provide(text(), answering(() => ({ code })).layer)),
            message
          )
      })
    )

    it.effect("that fails tells nothing of the address", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(
          Effect.provide(text(), answering(() => ({ code: "ECONNREFUSED" })).layer)
        )
        assert.notInclude(inspect(error, { depth: 10 }), "SECRET")
        assert.notInclude(JSON.stringify(error), "SECRET")
      })
    )
  })

  describe("a body", () => {
    it.effect("is decompressed by what its bytes show, once or twice", () =>
      Effect.gen(function* () {
        const once = gzipSync(rows)
        assert.strictEqual(yield* textOf(once), rows)
        assert.strictEqual(yield* textOf(once, { "content-encoding": "gzip" }), rows)
        assert.strictEqual(yield* textOf(gzipSync(once), { "content-encoding": "gzip" }), rows)
        assert.strictEqual(yield* textOf(Buffer.concat([once, gzipSync("more")])), `${rows}more`)
        assert.strictEqual(yield* failureOf(gzipSync(gzipSync(once))), "NotAFeed (gzip)")
      })
    )

    it.effect("is read in pieces of any size", () =>
      Effect.gen(function* () {
        for (const bytes of [Buffer.from(rows), gzipSync(rows), gzipSync(gzipSync(rows))])
          for (const size of [1, 2, 9, 11]) {
            const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
              bytes.subarray(i * size, (i + 1) * size)
            )
            assert.strictEqual(yield* textOf(ReadableStream.from(pieces) as BodyInit), rows)
          }
      })
    )

    it.effect("of another kind is refused", () =>
      Effect.gen(function* () {
        const html = "<!doctype html><title>Are you a robot?</title>"
        for (const body of [
          html,
          `\n\t  ${html}`,
          `\ufeff${html}`,
          `\ufeff \n${html}`,
          " ".repeat(900) + html
        ])
          assert.strictEqual(yield* failureOf(body), "NotAFeed (HTML)")
        assert.strictEqual(yield* failureOf(gzipSync(html)), "NotAFeed (HTML)")
        for (const type of ["text/html", "Text/HTML; charset=utf-8"])
          assert.strictEqual(yield* failureOf(rows, { "content-type": type }), "NotAFeed (HTML)")
        assert.strictEqual(yield* failureOf("BZh91AY&SYinvented"), "NotAFeed (bzip2)")
        assert.strictEqual(yield* failureOf("PK\x03\x04invented bytes"), "NotAFeed (zip)")
        assert.strictEqual(yield* failureOf(gzipSync("PK\x03\x04invented bytes")), "NotAFeed (zip)")
      })
    )

    it.effect("that only begins like another kind is read", () =>
      Effect.gen(function* () {
        for (const body of ["PKO.example/", "BZh9.example/", "", "\n", "x"])
          assert.strictEqual(yield* textOf(body), body)
      })
    )

    it.effect("that is cut off is corrupt", () =>
      Effect.gen(function* () {
        const compressed = gzipSync(rows.repeat(1000))
        for (const length of [12, 20, compressed.length - 9, compressed.length - 1])
          assert.strictEqual(yield* failureOf(compressed.subarray(0, length)), "Corrupt (gzip)")
        const broken = Buffer.from(compressed)
        broken.fill(0x55, 30, 40)
        assert.strictEqual(yield* failureOf(broken), "Corrupt (gzip)")
        for (const announced of [rows.length + 1, rows.length - 1])
          assert.strictEqual(
            yield* failureOf(rows, { "content-length": String(announced) }),
            "Corrupt (not of the announced length)"
          )
        assert.strictEqual(yield* textOf(rows, { "content-length": String(rows.length) }), rows)
      })
    )

    it.effect("of more than 256 MiB is given up, compressed or not", () =>
      Effect.gen(function* () {
        const piece = Buffer.alloc(1 << 20, "http://a.example/\n")
        const counted = (pieces: number) => {
          let sent = 0
          const body = ReadableStream.from(
            (function* () {
              for (; sent < pieces; sent++) yield piece
            })()
          )
          return { body: body as BodyInit, sent: () => sent }
        }
        const drained = (body: BodyInit) =>
          FeedDownload.download(feed(), FeedDownload.noValidators).pipe(
            Effect.flatMap((answer) => (answer._tag === "Document" ? answer.make(order) : Effect.void)),
            Effect.scoped,
            Effect.provide(FeedWorkerInProcess.layerOfNothing),
            Effect.provide(answering(() => new Response(body)).layer)
          )
        const allowed = counted(256)
        yield* drained(allowed.body)
        const endless = counted(10_000)
        assert.strictEqual(yield* failure(drained(endless.body)), "TooLarge")
        assert.isBelow(endless.sent(), 260)
        const member = gzipSync(Buffer.alloc(1 << 20))
        const bomb = Buffer.concat(Array.from({ length: 300 }, () => member))
        assert.isBelow(bomb.length, 1 << 20)
        assert.strictEqual(yield* failure(drained(bomb)), "TooLarge")
      })
    )

    it.effect("that stops coming is given up after 30 seconds, and not before", () =>
      Effect.gen(function* () {
        const body = (bytes: Uint8Array) =>
          new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(bytes) })
        for (const bytes of [Buffer.from(rows), gzipSync(rows).subarray(0, 20)]) {
          const { layer } = answering(() => new Response(body(bytes)))
          const fiber = yield* Effect.fork(failure(Effect.provide(text(), layer)))
          for (let i = 0; i < 20; i++) yield* Effect.promise(() => new Promise(setImmediate))
          yield* TestClock.adjust("29 seconds")
          assert.isNull(fiber.unsafePoll())
          yield* TestClock.adjust("1 second")
          assert.strictEqual(yield* Fiber.join(fiber), "Timeout (no byte for 30 seconds)")
        }
      })
    )
  })
})
