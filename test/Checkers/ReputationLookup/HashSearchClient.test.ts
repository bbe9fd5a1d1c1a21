import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted, TestClock } from "effect"
import type { SearchError } from "../../../src/Checkers/ReputationLookup/HashSearchClient.ts"
import * as HashSearchClient from "../../../src/Checkers/ReputationLookup/HashSearchClient.ts"
import type { HashSearchResponse } from "../../../src/Layers/Cache.ts"
import { HttpGet } from "../../../src/Layers/Outbound.ts"
import * as HashSearchAnswer from "../../fixtures/HashSearchAnswer.ts"
import * as HashSearchDouble from "../../fixtures/HashSearchDouble.ts"
import { answer, reply, status } from "../../fixtures/HashSearchDouble.ts"
import { turnsUntil } from "../../fixtures/NextTurn.ts"
import * as SafeBrowsingServer from "../../fixtures/SafeBrowsingServer.ts"

const KEY = "key-that-nobody-may-see"
const PREFIXES = ["1c4fa2f5", "fbffbfff"]

const setup = (respond: HashSearchDouble.Respond, baseUrl = "https://lookup.example") => {
  const { sent, layer } = HashSearchDouble.make(respond)
  return Effect.map(
    Effect.provide(HashSearchClient.make({ key: Redacted.make(KEY), baseUrl: new URL(baseUrl) }), layer),
    (search) => ({ sent, search: search(PREFIXES) })
  )
}

/** What came of a search: the cache duration in seconds, or the reason and the detail of the error. */
const outcome = (search: Effect.Effect<HashSearchResponse, SearchError>) =>
  Effect.merge(
    Effect.mapBoth(search, {
      onFailure: ({ reason, detail }: SearchError) => [reason, detail],
      onSuccess: ({ cacheDuration }) => Duration.toSeconds(cacheDuration)
    })
  )

const protobuf = "application/x-protobuf"
const fiveMinutes = Buffer.from("120308ac02", "hex")

describe("HashSearchClient", () => {
  it.effect("sends one GET with the key in a header and nothing else", () =>
    Effect.gen(function* () {
      const { sent, search } = yield* setup(answer({}))
      assert.strictEqual(yield* outcome(search), 300)
      assert.deepStrictEqual(
        sent.map(({ url, headers }) => ({ url, headers })),
        [
          {
            url: "https://lookup.example/v5/hashes:search?alt=proto&hashPrefixes=HE%2Bi9Q%3D%3D&hashPrefixes=%2B%2F%2B%2F%2Fw%3D%3D",
            headers: { accept: protobuf, "x-goog-api-key": KEY }
          }
        ]
      )
    })
  )

  it.effect("keeps the path of the configured address and drops its query and fragment", () =>
    Effect.gen(function* () {
      for (const baseUrl of [
        "https://u:p@lookup.example:8443/google",
        "https://lookup.example:8443/google/?x=1#y"
      ]) {
        const { sent, search } = yield* setup(answer({}), baseUrl)
        yield* search
        assert.strictEqual(
          sent[0]?.url.split("&")[0],
          "https://lookup.example:8443/google/v5/hashes:search?alt=proto"
        )
      }
    })
  )

  it.effect("reads protobuf, of either of its Content-Types", () =>
    Effect.gen(function* () {
      for (const type of [protobuf, "Application/X-Protobuf ; charset=x", "application/protobuf"]) {
        const { search } = yield* setup(reply(fiveMinutes, { "content-type": type }))
        assert.strictEqual(yield* outcome(search), 300)
      }
    })
  )

  it.effect("fails as Malformed for another type, unreadable bytes and more than 256 KiB", () =>
    Effect.gen(function* () {
      const cases = [
        ["ContentType", fiveMinutes, {}],
        ["ContentType", fiveMinutes, { "content-type": "" }],
        ["ContentType", "<html>", { "content-type": "text/html" }],
        ["ContentType", fiveMinutes, { "content-type": "application/octet-stream" }],
        ["ContentType", fiveMinutes, { "content-type": "text/plain; application/json" }],
        ["Protobuf", fiveMinutes.subarray(0, 4), { "content-type": protobuf }],
        ["ContentType", '{"cacheDuration":"7s"}', { "content-type": "application/json; charset=UTF-8" }],
        ["TooLarge", new Uint8Array(256 * 1024 + 1), { "content-type": protobuf }]
      ] as const
      for (const [problem, body, headers] of cases) {
        const { search } = yield* setup(reply(body, headers))
        assert.deepStrictEqual(yield* outcome(search), ["Malformed", problem])
      }
    })
  )

  it.effect("reads a response of 256 KiB", () =>
    Effect.gen(function* () {
      const unknownField = Buffer.concat([Buffer.from("1af7ff0f", "hex"), Buffer.alloc(262_135)])
      const body = Buffer.concat([fiveMinutes, unknownField])
      assert.strictEqual(body.length, 256 * 1024)
      const { search } = yield* setup(reply(body, { "content-type": protobuf }))
      assert.strictEqual(yield* outcome(search), 300)
    })
  )

  it.effect("fails as Status for every status but 200, redirects included", () =>
    Effect.gen(function* () {
      for (const code of [201, 204, 206, 301, 302, 307, 404, 413, 414, 429, 431, 500, 502, 503]) {
        const { sent, search } = yield* setup(status(code, { location: "https://elsewhere.example/" }))
        assert.deepStrictEqual(yield* outcome(search), ["Status", String(code)])
        assert.strictEqual(sent.length, 1)
      }
    })
  )

  it.effect("says whether the key or the request is refused", () =>
    Effect.gen(function* () {
      // https://cloud.google.com/apis/design/errors
      const invalidKey = (padding: number) =>
        JSON.stringify({
          error: {
            code: 400,
            message: "x".repeat(padding),
            status: "INVALID_ARGUMENT",
            details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }]
          }
        })
      const ofKey = "Safe Browsing refuses REPUTATION_API_KEY"
      const ofRequest = "Safe Browsing refuses the request"
      for (const [code, body, reason, message] of [
        [401, "", "KeyRefused", `${ofKey} (401)`],
        [403, "", "KeyRefused", `${ofKey} (403)`],
        [400, invalidKey(0), "KeyRefused", `${ofKey} (400)`],
        [400, invalidKey(8000), "KeyRefused", `${ofKey} (400)`],
        [400, invalidKey(8192), "RequestRefused", `${ofRequest} (400)`],
        [400, "", "RequestRefused", `${ofRequest} (400)`],
        [
          400,
          `{"error":{"status":"INVALID_ARGUMENT","message":"${KEY}"}}`,
          "RequestRefused",
          `${ofRequest} (400)`
        ]
      ] as const) {
        const { search } = yield* setup(() => Effect.succeed(new Response(body, { status: code })))
        const error = yield* Effect.flip(search)
        assert.deepStrictEqual([error.reason, error.message], [reason, message])
        assert.notInclude(JSON.stringify(error), KEY)
      }
    })
  )

  it.effect("fails as Unreachable on a network error, before the response or in its body", () =>
    Effect.gen(function* () {
      const refused = yield* setup(() => Effect.fail("Transport"))
      assert.deepStrictEqual(yield* outcome(refused.search), ["Unreachable", "ECONNREFUSED"])
      const body = new ReadableStream({ start: (controller) => controller.error(new Error("cut")) })
      const cut = yield* setup(reply(body, { "content-type": protobuf }))
      assert.deepStrictEqual(yield* outcome(cut.search), ["Unreachable", "ECONNRESET"])
    })
  )

  it.effect("drops hashes whose prefix was not requested", () =>
    Effect.gen(function* () {
      const [first = "", second = ""] = PREFIXES.map((prefix) => prefix.padEnd(64, "0"))
      const listed = (
        [
          [first, "MALWARE"],
          ["73d986e0".padEnd(64, "0"), "MALWARE"],
          [second, "UNWANTED_SOFTWARE"],
          [first, "SOCIAL_ENGINEERING"]
        ] as const
      ).map(([hash, threat]) => ({ hash, threats: [threat] }))
      const { search } = yield* setup(
        reply(HashSearchAnswer.encode(listed, 300), { "content-type": protobuf })
      )
      assert.deepStrictEqual(yield* search, {
        listed: [
          { hash: first, threats: ["MALWARE"] },
          { hash: second, threats: ["UNWANTED_SOFTWARE"] },
          { hash: first, threats: ["SOCIAL_ENGINEERING"] }
        ],
        cacheDuration: Duration.seconds(300)
      })
    })
  )

  it.effect("drops a hash of another expression of the URL whose prefix was not requested", () =>
    Effect.gen(function* () {
      // `unasked_hash_in_answer` of the vectors: 1c4fa2f5 was requested, the answer holds the hash of example.com/.
      const answered = "CiYKIHPZhuAJBl8YLBC8tqRds9btqUmPiTBlSvJlP4qTjNgBEgIIARIDCKwC"
      const { search } = yield* setup(reply(Buffer.from(answered, "base64"), { "content-type": protobuf }))
      assert.deepStrictEqual(yield* search, { listed: [], cacheDuration: Duration.seconds(300) })
    })
  )

  it.effect("reads a response without a duration, as one that is not to be cached", () =>
    Effect.gen(function* () {
      const { search } = yield* setup(reply(new Uint8Array(), { "content-type": protobuf }))
      assert.strictEqual(yield* outcome(search), 0)
    })
  )

  it.effect("says how long a 429 or 503 asks to wait", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 1, 12, 0, 0))
      for (const [code, retryAfter, seconds] of [
        [429, "30", 30],
        [503, "30", 30],
        [429, "Thu, 01 Jan 2026 12:00:45 GMT", 45],
        [503, "Thu, 01 Jan 2026 11:00:00 GMT", 0],
        [429, "0", 0],
        [429, undefined, undefined],
        [429, "soon", undefined],
        [503, undefined, undefined],
        [500, "30", undefined],
        [403, "30", undefined]
      ] as const) {
        const { search } = yield* setup(
          status(code, retryAfter === undefined ? {} : { "retry-after": retryAfter })
        )
        const { retryAfterMs } = yield* Effect.flip(search)
        assert.deepStrictEqual(
          [code, retryAfter, retryAfterMs === undefined ? undefined : retryAfterMs / 1000],
          [code, retryAfter, seconds]
        )
      }
    })
  )

  describe("over a socket", () => {
    it.scopedLive("sends 400 prefixes in one request", () =>
      Effect.gen(function* () {
        const server = yield* SafeBrowsingServer.make()
        const send = yield* HashSearchClient.make({ key: Redacted.make(KEY), baseUrl: server.url })
        // Each byte is escaped in the address: no prefix takes more characters.
        const longest = Array.from({ length: 400 }, () => "fbffbfff")
        assert.strictEqual(yield* outcome(send(longest)), 300)
        assert.deepStrictEqual(
          server.received.map(({ prefixes }) => prefixes),
          [longest]
        )
      }).pipe(Effect.provide(HttpGet.layer))
    )

    it.scopedLive("aborts unread bodies, follows no redirect, and reuses its connections", () =>
      Effect.gen(function* () {
        const server = yield* SafeBrowsingServer.make()
        const send = yield* HashSearchClient.make({ key: Redacted.make(KEY), baseUrl: server.url })
        const search = send(PREFIXES)
        server.behave({ _tag: "Endless" })
        assert.deepStrictEqual(yield* outcome(search), ["Malformed", "TooLarge"])
        server.behave({ _tag: "Reset" })
        assert.deepStrictEqual(yield* outcome(search), ["Unreachable", "ECONNRESET"])
        server.behave({ _tag: "Garbage" })
        assert.deepStrictEqual(yield* outcome(search), ["Malformed", "Protobuf"])
        server.behave({ _tag: "Html" })
        assert.deepStrictEqual(yield* outcome(search), ["Malformed", "ContentType"])
        server.behave({ _tag: "Status", status: 302, headers: { location: server.url.href } })
        assert.deepStrictEqual(yield* outcome(search), ["Status", "302"])
        server.behave({ _tag: "Status", status: 400 })
        assert.deepStrictEqual(yield* outcome(search), ["RequestRefused", "400"])
        assert.strictEqual(server.received.length, 6)
        yield* turnsUntil("two requests are abandoned", () => server.abandoned() === 2)

        server.behave({ _tag: "Protobuf" })
        const before = server.connections()
        for (let round = 0; round < 5; round++) assert.strictEqual(yield* outcome(search), 300)
        assert.isAtMost(server.connections() - before, 2)
      }).pipe(Effect.provide(HttpGet.layer))
    )

    it.scopedLive("fails as Unreachable when nothing listens", () =>
      Effect.gen(function* () {
        const { url } = yield* Effect.scoped(SafeBrowsingServer.make())
        const send = yield* HashSearchClient.make({ key: Redacted.make(KEY), baseUrl: url })
        assert.deepStrictEqual(yield* outcome(send(PREFIXES)), ["Unreachable", "ECONNREFUSED"])
      }).pipe(Effect.provide(HttpGet.layer))
    )
  })
})
