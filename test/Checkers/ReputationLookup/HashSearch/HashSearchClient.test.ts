import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Redacted, Ref, TestClock } from "effect"
import * as HashSearchClient from "../../../../src/Checkers/ReputationLookup/HashSearch/HashSearchClient.ts"
import type { SearchError } from "../../../../src/Checkers/ReputationLookup/HashSearch/SearchError.ts"
import * as HashSearchDouble from "../../../fixtures/HashSearchDouble.ts"
import { answer, reply, status } from "../../../fixtures/HashSearchDouble.ts"
import * as SafeBrowsingServer from "../../../fixtures/SafeBrowsingServer.ts"

const KEY = "key-that-nobody-may-see"
const PREFIXES = ["1c4fa2f5", "fbffbfff"]

const setup = (respond: HashSearchDouble.Respond, baseUrl = "https://lookup.example") => {
  const { sent, layer } = HashSearchDouble.make(respond)
  return Effect.map(
    Effect.provide(HashSearchClient.make({ key: Redacted.make(KEY), baseUrl: new URL(baseUrl) }), layer),
    (client) => ({ sent, search: client.search(PREFIXES) })
  )
}

/** What came of a search: the cache duration in seconds, or why there is none. */
const outcome = (search: ReturnType<HashSearchClient.HashSearchClient["search"]>) =>
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
        sent.map(({ method, url, headers }) => ({ method, url, headers })),
        [
          {
            method: "GET",
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

  it.effect("reads the response by its Content-Type", () =>
    Effect.gen(function* () {
      const { search } = yield* setup(
        reply('{"cacheDuration":"7s"}', { "content-type": "application/json; charset=UTF-8" })
      )
      assert.strictEqual(yield* outcome(search), 7)
      for (const type of [protobuf, "Application/X-Protobuf ; charset=x", "application/protobuf"]) {
        const { search } = yield* setup(reply(fiveMinutes, { "content-type": type }))
        assert.strictEqual(yield* outcome(search), 300)
      }
    })
  )

  it.effect("fails as Malformed for another type, unreadable bytes and more than 64 KiB", () =>
    Effect.gen(function* () {
      const cases = [
        ["ContentType", fiveMinutes, {}],
        ["ContentType", fiveMinutes, { "content-type": "" }],
        ["ContentType", "<html>", { "content-type": "text/html" }],
        ["ContentType", fiveMinutes, { "content-type": "application/octet-stream" }],
        ["ContentType", fiveMinutes, { "content-type": "text/plain; application/json" }],
        ["Protobuf", fiveMinutes.subarray(0, 4), { "content-type": protobuf }],
        ["Json", "<html>", { "content-type": "application/json" }],
        ["Json", '{"error":"quota"}', { "content-type": "application/json" }],
        ["TooLarge", new Uint8Array(64 * 1024 + 1), { "content-type": protobuf }],
        ["TooLarge", fiveMinutes, { "content-type": protobuf, "content-length": "65537" }]
      ] as const
      for (const [problem, body, headers] of cases) {
        const { search } = yield* setup(reply(body, headers))
        assert.deepStrictEqual(yield* outcome(search), ["reputation_lookup", "Malformed", problem])
      }
    })
  )

  it.effect("reads a response of 64 KiB", () =>
    Effect.gen(function* () {
      const unknownField = Buffer.concat([Buffer.from("1af7ff03", "hex"), Buffer.alloc(65_527)])
      const body = Buffer.concat([fiveMinutes, unknownField])
      assert.strictEqual(body.length, 64 * 1024)
      const { search } = yield* setup(reply(body, { "content-type": protobuf, "content-length": "65536" }))
      assert.strictEqual(yield* outcome(search), 300)
    })
  )

  it.effect("fails as Unavailable for every status but 200, redirects included", () =>
    Effect.gen(function* () {
      for (const code of [201, 204, 206, 301, 302, 307, 400, 401, 403, 404, 429, 500, 502, 503]) {
        const { sent, search } = yield* setup(status(code, { location: "https://elsewhere.example/" }))
        assert.deepStrictEqual(yield* outcome(search), ["reputation_lookup", "Unavailable", `status ${code}`])
        assert.strictEqual(sent.length, 1)
      }
    })
  )

  it.effect("fails as Unavailable on a network error, before the response or in its body", () =>
    Effect.gen(function* () {
      const refused = yield* setup(() => Effect.fail("Transport"))
      assert.deepStrictEqual(yield* outcome(refused.search), [
        "reputation_lookup",
        "Unavailable",
        "RequestError Transport ECONNREFUSED"
      ])
      const body = new ReadableStream({
        start: (controller) => controller.error(Object.assign(new Error("cut"), { code: "ECONNRESET" }))
      })
      const cut = yield* setup(reply(body, { "content-type": protobuf }))
      assert.deepStrictEqual(yield* outcome(cut.search), [
        "reputation_lookup",
        "Unavailable",
        "ResponseError Decode ECONNRESET"
      ])
    })
  )

  it.effect("aborts the request when the response is read, rejected or interrupted", () =>
    Effect.gen(function* () {
      for (const respond of [answer({}), status(500), reply("<html>", { "content-type": "text/html" })]) {
        const { sent, search } = yield* setup(respond)
        yield* outcome(search)
        assert.isTrue(sent[0]?.signal.aborted)
      }
    })
  )

  describe("waiting for Retry-After", () => {
    const waits = (code: number, retryAfter: string | undefined, seconds: number) =>
      Effect.gen(function* () {
        const { sent, search } = yield* setup(
          status(code, retryAfter === undefined ? {} : { "retry-after": retryAfter })
        )
        yield* outcome(search)
        if (seconds > 0) {
          yield* TestClock.adjust(Duration.millis(seconds * 1000 - 1))
          assert.deepStrictEqual(yield* outcome(search), [
            "reputation_lookup",
            "Unavailable",
            "waiting for Retry-After"
          ])
          assert.strictEqual(sent.length, 1)
          yield* TestClock.adjust("1 millis")
        }
        assert.deepStrictEqual(yield* outcome(search), ["reputation_lookup", "Unavailable", `status ${code}`])
        assert.strictEqual(sent.length, 2)
      })

    it.effect("of a 429 or 503, it sends no request before that time, an hour at most", () =>
      Effect.gen(function* () {
        yield* waits(429, "30", 30)
        yield* waits(503, "30", 30)
        yield* waits(429, "86400", 3600)
        yield* waits(503, "9".repeat(400), 3600)
        yield* waits(429, "0", 0)
      })
    )

    it.effect("with a date, it counts from now", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 0, 1, 12, 0, 0))
        yield* waits(429, "Thu, 01 Jan 2026 12:00:45 GMT", 45)
        yield* waits(503, "Thu, 01 Jan 2026 11:00:00 GMT", 0)
      })
    )

    it.effect(
      "by a 429 that does not say how long, it waits 5 seconds; after other statuses it does not wait",
      () =>
        Effect.gen(function* () {
          yield* waits(429, undefined, 5)
          yield* waits(429, "soon", 5)
          yield* waits(503, undefined, 0)
          yield* waits(500, "30", 0)
        })
    )

    it.effect("of two concurrent responses, it waits for the longer one", () =>
      Effect.gen(function* () {
        const second = yield* Deferred.make<void>()
        const answers = [
          status(429, { "retry-after": "30" }),
          (request: HashSearchDouble.SentRequest) =>
            Effect.zipRight(Deferred.await(second), status(429, { "retry-after": "1" })(request))
        ]
        const { sent, search } = yield* setup((question) => (answers.pop() ?? answer({}))(question))
        const slow = yield* Effect.fork(outcome(search))
        yield* Effect.yieldNow()
        assert.deepStrictEqual(yield* outcome(search), ["reputation_lookup", "Unavailable", "status 429"])
        yield* Deferred.succeed(second, undefined)
        yield* Fiber.join(slow)
        yield* TestClock.adjust("29 seconds")
        assert.deepStrictEqual(yield* outcome(search), [
          "reputation_lookup",
          "Unavailable",
          "waiting for Retry-After"
        ])
        yield* TestClock.adjust("1 seconds")
        assert.strictEqual(yield* outcome(search), 300)
        assert.strictEqual(sent.length, 3)
      })
    )

    it.effect("it sends requests again afterwards", () =>
      Effect.gen(function* () {
        const respond = yield* Ref.make(status(429, { "retry-after": "30" }))
        const { search } = yield* setup((request) => Effect.flatMap(Ref.get(respond), (now) => now(request)))
        yield* outcome(search)
        yield* Ref.set(respond, answer({}))
        assert.deepStrictEqual(yield* outcome(search), [
          "reputation_lookup",
          "Unavailable",
          "waiting for Retry-After"
        ])
        yield* TestClock.adjust("30 seconds")
        assert.strictEqual(yield* outcome(search), 300)
      })
    )
  })

  describe("over a socket", () => {
    it.scopedLive("aborts unread bodies, follows no redirect, and reuses its connections", () =>
      Effect.gen(function* () {
        const server = yield* SafeBrowsingServer.make()
        const client = yield* HashSearchClient.make({ key: Redacted.make(KEY), baseUrl: server.url })
        const search = client.search(PREFIXES)
        const reason = Effect.map(Effect.flip(search), ({ reason, cause }) => [reason, cause])
        server.behave({ _tag: "Endless" })
        assert.deepStrictEqual(yield* reason, ["Malformed", "TooLarge"])
        server.behave({ _tag: "Reset" })
        assert.strictEqual((yield* reason)[0], "Unavailable")
        server.behave({ _tag: "Garbage" })
        assert.deepStrictEqual(yield* reason, ["Malformed", "Protobuf"])
        server.behave({ _tag: "Html" })
        assert.deepStrictEqual(yield* reason, ["Malformed", "ContentType"])
        server.behave({ _tag: "Status", status: 302, headers: { location: server.url.href } })
        assert.deepStrictEqual(yield* reason, ["Unavailable", "status 302"])
        assert.strictEqual(server.received.length, 5)
        assert.strictEqual(server.abandoned(), 2)

        server.behave({ _tag: "Protobuf" })
        const before = server.connections()
        for (let round = 0; round < 5; round++) assert.strictEqual(yield* outcome(search), 300)
        assert.isAtMost(server.connections() - before, 2)
      }).pipe(Effect.provide(NodeHttpClient.layerUndici))
    )

    it.scopedLive("fails as Unavailable when nothing listens", () =>
      Effect.gen(function* () {
        const { url } = yield* Effect.scoped(SafeBrowsingServer.make())
        const client = yield* HashSearchClient.make({ key: Redacted.make(KEY), baseUrl: url })
        assert.deepStrictEqual(yield* outcome(client.search(PREFIXES)), [
          "reputation_lookup",
          "Unavailable",
          "RequestError Transport ECONNREFUSED"
        ])
      }).pipe(Effect.provide(NodeHttpClient.layerUndici))
    )
  })
})
