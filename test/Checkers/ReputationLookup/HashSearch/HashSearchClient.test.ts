import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Logger, Option, Redacted, TestClock } from "effect"
import * as HashSearchClient from "../../../../src/Checkers/ReputationLookup/HashSearch/HashSearchClient.ts"
import type { SearchError } from "../../../../src/Checkers/ReputationLookup/HashSearch/SearchError.ts"
import { HttpGet } from "../../../../src/Layers/Outbound.ts"
import * as HashSearchDouble from "../../../fixtures/HashSearchDouble.ts"
import { answer, reply, status } from "../../../fixtures/HashSearchDouble.ts"
import { turnsUntil } from "../../../fixtures/NextTurn.ts"
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

/** So many prefixes, in order. */
const numbered = (count: number) =>
  Array.from({ length: count }, (_, number) => (number + 1).toString(16).padStart(8, "0"))

const sizes = (sent: ReadonlyArray<HashSearchDouble.SentRequest>) =>
  sent.map(({ prefixes }) => prefixes.length)

/** A service that refuses more prefixes than this in a request, and responds to others by `respond`. */
const limited = (
  max: number,
  {
    code = 414,
    respond = () => answer({})
  }: {
    readonly code?: number
    readonly respond?: (request: HashSearchDouble.SentRequest) => HashSearchDouble.Respond
  } = {}
) =>
  Effect.gen(function* () {
    const logs: Array<string> = []
    const logger = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ logLevel, message }) => void logs.push(`${logLevel.label} ${[message].flat().join()}`))
    )
    const { sent, layer } = HashSearchDouble.make((request) =>
      (request.prefixes.length > max ? status(code) : respond(request))(request)
    )
    const client = yield* Effect.provide(
      HashSearchClient.make({ key: Redacted.make(KEY), baseUrl: new URL("https://lookup.example") }),
      layer
    )
    return {
      sent,
      logs,
      search: (prefixes: ReadonlyArray<string>) => Effect.provide(client.search(prefixes), logger)
    }
  })

/** What came of a search: the cache duration in seconds, or the reason and the detail of the error. */
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

  it.effect("fails as Malformed for another type, unreadable bytes and more than 256 KiB", () =>
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
      for (const code of [201, 204, 206, 301, 302, 307, 404, 429, 500, 502, 503]) {
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

  it.effect("drops hashes whose prefix was not requested, and merges those that are listed twice", () =>
    Effect.gen(function* () {
      const [first = "", second = ""] = PREFIXES.map((prefix) => prefix.padEnd(64, "0"))
      const fullHashes = [
        [first, "MALWARE"],
        ["73d986e0".padEnd(64, "0"), "MALWARE"],
        [second, "UNWANTED_SOFTWARE"],
        [first, "SOCIAL_ENGINEERING"],
        [first, "MALWARE"]
      ].map(([hash = "", threatType]) => ({
        fullHash: Buffer.from(hash, "hex").toString("base64"),
        fullHashDetails: [{ threatType }, { threatType }]
      }))
      const { search } = yield* setup(
        reply(JSON.stringify({ fullHashes, cacheDuration: "300s" }), { "content-type": "application/json" })
      )
      assert.deepStrictEqual(yield* search, {
        listed: [
          { hash: first, threats: ["MALWARE", "SOCIAL_ENGINEERING"] },
          { hash: second, threats: ["UNWANTED_SOFTWARE"] }
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

  it.effect("says how long a 429 or 503 asks to wait, after a 429 that does not say it 5 seconds", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 1, 12, 0, 0))
      for (const [code, retryAfter, seconds] of [
        [429, "30", 30],
        [503, "30", 30],
        [429, "Thu, 01 Jan 2026 12:00:45 GMT", 45],
        [503, "Thu, 01 Jan 2026 11:00:00 GMT", 0],
        [429, "0", 0],
        [429, undefined, 5],
        [429, "soon", 5],
        [503, undefined, undefined],
        [500, "30", undefined],
        [403, "30", undefined]
      ] as const) {
        const { search } = yield* setup(
          status(code, retryAfter === undefined ? {} : { "retry-after": retryAfter })
        )
        const { wait } = yield* Effect.flip(search)
        assert.deepStrictEqual(
          [code, retryAfter, Option.getOrUndefined(Option.map(wait, Duration.toSeconds))],
          [code, retryAfter, seconds]
        )
      }
    })
  )

  describe("a request that is refused for its size", () => {
    it.effect("is sent again in halves, and later searches are sent in such parts from the start", () =>
      Effect.gen(function* () {
        for (const code of [413, 414, 431]) {
          const { sent, logs, search } = yield* limited(150, { code })
          assert.strictEqual(yield* outcome(search(numbered(400))), 300)
          // Both halves are refused at once, which halves the number once.
          assert.deepStrictEqual(sizes(sent), [400, 200, 200, 100, 100, 100, 100])
          assert.deepStrictEqual(logs, [
            `INFO Safe Browsing refuses 400 prefixes in a request (${code}): sending at most 200`,
            `INFO Safe Browsing refuses 200 prefixes in a request (${code}): sending at most 100`
          ])
          sent.length = 0
          assert.strictEqual(yield* outcome(search(numbered(250))), 300)
          assert.deepStrictEqual(
            sent.map(({ prefixes }) => prefixes),
            [numbered(250).slice(0, 100), numbered(250).slice(100, 200), numbered(250).slice(200)]
          )
          assert.lengthOf(logs, 2)
        }
      })
    )

    it.effect("is halved until its number is less than the refused one, once for the process", () =>
      Effect.gen(function* () {
        const { sent, search, logs } = yield* limited(60)
        assert.strictEqual(yield* outcome(search(numbered(120))), 300)
        assert.deepStrictEqual(sizes(sent), [120, 100, 20, 50, 50])
        sent.length = 0
        yield* search(numbered(50))
        assert.deepStrictEqual(sizes(sent), [50])
        assert.lengthOf(logs, 2)
      })
    )

    it.effect("fails when 30 prefixes are refused, and so does one that never had more", () =>
      Effect.gen(function* () {
        const { sent, search, logs } = yield* limited(0)
        assert.deepStrictEqual(yield* outcome(search(numbered(61))), ["Status", "414"])
        assert.deepStrictEqual(sizes(sent).slice(0, 3), [61, 50, 11])
        assert.includeMembers(sizes(sent), [30])
        assert.isAtLeast(Math.min(...sizes(sent)), 11)
        sent.length = 0
        const before = logs.length
        assert.deepStrictEqual(yield* outcome(search(numbered(30))), ["Status", "414"])
        assert.deepStrictEqual(sizes(sent), [30])
        assert.lengthOf(logs, before)
      })
    )

    it.effect("has parts of at least 30", () =>
      Effect.gen(function* () {
        const { sent, search, logs } = yield* limited(30)
        assert.strictEqual(yield* outcome(search(numbered(400))), 300)
        sent.length = 0
        assert.strictEqual(yield* outcome(search(numbered(400))), 300)
        assert.deepStrictEqual(sizes(sent), [...Array(13).fill(30), 10])
        assert.deepStrictEqual(
          logs.map((line) => line.slice(line.indexOf("at most"))),
          ["at most 200", "at most 100", "at most 50", "at most 30"]
        )
      })
    )

    it.effect("has all listed hashes of its parts, and the shortest duration", () =>
      Effect.gen(function* () {
        const [first = "", last = ""] = [numbered(60)[0], numbered(60)[59]]
        const hash = (prefix: string) => prefix.padEnd(64, "0")
        const { search } = yield* limited(30, {
          respond: ({ prefixes }) =>
            reply(
              JSON.stringify({
                fullHashes: [first, last]
                  .filter((prefix) => prefixes.includes(prefix))
                  .map((prefix) => ({
                    fullHash: Buffer.from(hash(prefix), "hex").toString("base64"),
                    fullHashDetails: [{ threatType: "MALWARE" }]
                  })),
                cacheDuration: prefixes.includes(last) ? "7s" : "300s"
              }),
              { "content-type": "application/json" }
            )
        })
        assert.deepStrictEqual(yield* search(numbered(60)), {
          listed: [
            { hash: hash(first), threats: ["MALWARE"] },
            { hash: hash(last), threats: ["MALWARE"] }
          ],
          cacheDuration: Duration.seconds(7)
        })
      })
    )

    it.effect("fails when one of its parts fails, and aborts the others", () =>
      Effect.gen(function* () {
        const [last = ""] = numbered(400).slice(-1)
        const { sent, search } = yield* limited(200, {
          respond: ({ prefixes }) => (prefixes.includes(last) ? status(503) : () => Effect.never)
        })
        assert.deepStrictEqual(yield* outcome(search(numbered(400))), ["Status", "503"])
        assert.deepStrictEqual(
          sent.map(({ prefixes, signal }) => [prefixes.length, signal.aborted]),
          [
            [400, false],
            [200, true],
            [200, false]
          ]
        )
      })
    )
  })

  describe("over a socket", () => {
    it.scopedLive("sends 400 prefixes in one request", () =>
      Effect.gen(function* () {
        const server = yield* SafeBrowsingServer.make()
        const client = yield* HashSearchClient.make({ key: Redacted.make(KEY), baseUrl: server.url })
        // Each byte is escaped in the address: no prefix takes more characters.
        const longest = Array.from({ length: 400 }, () => "fbffbfff")
        assert.strictEqual(yield* outcome(client.search(longest)), 300)
        assert.deepStrictEqual(
          server.received.map(({ prefixes }) => prefixes),
          [longest]
        )
      }).pipe(Effect.provide(HttpGet.layer))
    )

    it.scopedLive("aborts unread bodies, follows no redirect, and reuses its connections", () =>
      Effect.gen(function* () {
        const server = yield* SafeBrowsingServer.make()
        const client = yield* HashSearchClient.make({ key: Redacted.make(KEY), baseUrl: server.url })
        const search = client.search(PREFIXES)
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
        yield* turnsUntil(() => server.abandoned() === 2)

        server.behave({ _tag: "Protobuf" })
        const before = server.connections()
        for (let round = 0; round < 5; round++) assert.strictEqual(yield* outcome(search), 300)
        assert.isAtMost(server.connections() - before, 2)
      }).pipe(Effect.provide(HttpGet.layer))
    )

    it.scopedLive("fails as Unreachable when nothing listens", () =>
      Effect.gen(function* () {
        const { url } = yield* Effect.scoped(SafeBrowsingServer.make())
        const client = yield* HashSearchClient.make({ key: Redacted.make(KEY), baseUrl: url })
        assert.deepStrictEqual(yield* outcome(client.search(PREFIXES)), ["Unreachable", "ECONNREFUSED"])
      }).pipe(Effect.provide(HttpGet.layer))
    )
  })
})
