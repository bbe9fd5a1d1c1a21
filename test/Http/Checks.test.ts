import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { finding } from "../fixtures/Findings.ts"
import { outcomes } from "../fixtures/Outcomes.ts"
import { postJson, type ReceivedResponse, send } from "../fixtures/Request.ts"
import { type FakeCheckers, serviceUnderTest } from "../fixtures/ServiceUnderTest.ts"

const PATH = "/api/checks"

const postUrls = (port: number, urls: unknown, headers: Readonly<Record<string, string>> = {}) =>
  postJson(port, { urls }, headers, PATH)

/** Checkers whose only finding quotes the URL. */
const quoting: FakeCheckers = {
  checkAll: (url) =>
    Effect.succeed(
      outcomes({
        heuristics: { findings: [finding("notHttps", { reason: `Found in ${url}` })] },
        feed_b: { status: "unavailable" }
      })
    )
}

const executionTimeMs = {
  heuristics: 0,
  feed_a: 0.125,
  reputation_lookup: 0.25,
  feed_b: 0.375,
  feed_c: 0.5,
  feed_d: 0.625
}

/** What the response has for a URL, with the checkers `quoting`. */
const resultOf = (url: string) => ({
  url,
  score: 10,
  verdict: "safe",
  reasons: [`Found in ${url}`],
  executionTimeMs,
  findings: [{ checker: "heuristics", kind: "notHttps", points: 10, reason: `Found in ${url}`, details: {} }],
  checkers: {
    heuristics: "ok",
    feed_a: "ok",
    reputation_lookup: "ok",
    feed_b: "unavailable",
    feed_c: "ok",
    feed_d: "ok"
  },
  complete: false
})

const urlsOf = (count: number, prefix = "http://example.com/"): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)

/** The remaining requests and, of a 429, its `current`. */
const countOf = ({ status, headers, body }: ReceivedResponse) => ({
  status,
  left: /;r=(\d+);/.exec(String(headers.ratelimit))?.[1],
  ...(status === 429 && { current: JSON.parse(body).current })
})

describe("POST /api/checks", () => {
  it.scoped("responds with the result of each URL in order, equal ones too, which are checked once", () =>
    Effect.gen(function* () {
      const checked: Array<string> = []
      const port = yield* serviceUnderTest({
        checkers: {
          checkAll: (url) => {
            checked.push(url)
            return quoting.checkAll(url)
          }
        }
      })
      const urls = ["http://b.example/\u{1F600}\ud800", " a ", "http://b.example/\u{1F600}\ud800", "c"]
      const answer = yield* postUrls(port, urls)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.body, JSON.stringify({ results: urls.map(resultOf) }))
      assert.strictEqual(answer.headers["content-type"], "application/json")
      assert.strictEqual(answer.headers["content-length"], String(Buffer.byteLength(answer.body)))
      assert.deepStrictEqual(countOf(answer), { status: 200, left: "96" })
      assert.deepStrictEqual(checked, [urls[0], urls[1], urls[3]])
    })
  )

  for (const [what, rateLimit, max] of [
    ["500", "100000", 500],
    ["the rate limit, if that is lower", "7", 7]
  ] as const)
    it.scoped(`takes 1 to as many URLs as ${what}`, () =>
      Effect.gen(function* () {
        const service = () => serviceUnderTest({ checkers: quoting, env: { RATE_LIMIT: rateLimit } })
        for (const count of [1, max]) {
          const answer = yield* postUrls(yield* service(), urlsOf(count))
          assert.lengthOf(JSON.parse(answer.body).results, count)
        }
        const port = yield* service()
        const answer = yield* postUrls(port, urlsOf(max + 1))
        assert.strictEqual(answer.status, 400)
        assert.strictEqual(answer.body, `{"error":"'urls' must be a list of 1 to ${max} strings"}`)
        assert.strictEqual(answer.headers["content-type"], "application/json")
        assert.isUndefined(answer.headers["accept-post"])
      })
    )

  for (const [what, body] of [
    ["an empty list", '{"urls":[]}'],
    ["an empty string", '{"urls":["a",""]}'],
    ["a number", '{"urls":["a",1]}'],
    ["null", '{"urls":[null]}'],
    ["no list", '{"urls":"a"}'],
    ["no urls", '{"url":"a"}'],
    ["another value", "[]"],
    ["no JSON", '{"urls":["a"]'],
    ["nothing", ""],
    ["bytes that are no UTF-8", Buffer.from('{"urls":["\xff"]}', "latin1")]
  ] as const)
    it.scoped(`responds with 400 to ${what}, checks nothing and counts 1`, () =>
      Effect.gen(function* () {
        const port = yield* serviceUnderTest({ checkers: { checkAll: () => Effect.dieMessage("checked") } })
        const answer = yield* send(port, {
          path: PATH,
          headers: { "content-type": "application/json; charset=utf-8" },
          body
        })
        assert.strictEqual(answer.body, `{"error":"'urls' must be a list of 1 to 100 strings"}`)
        assert.deepStrictEqual(countOf(answer), { status: 400, left: "99" })
      })
    )

  it.scoped("responds with 400 and Accept-Post to another content type", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ checkers: quoting })
      const answer = yield* postUrls(port, ["a"], { "content-type": "text/plain" })
      assert.strictEqual(answer.body, `{"error":"'urls' must be a list of 1 to 100 strings"}`)
      assert.strictEqual(answer.headers["accept-post"], "application/json")
      assert.deepStrictEqual(countOf(answer), { status: 400, left: "99" })
    })
  )

  it.scoped("responds with 415 to a compressed body", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ checkers: quoting })
      const answer = yield* postUrls(port, ["a"], { "content-encoding": "gzip" })
      assert.strictEqual(answer.body, '{"error":"Content-Encoding is not supported"}')
      assert.strictEqual(answer.headers["accept-encoding"], "identity")
      assert.deepStrictEqual(countOf(answer), { status: 415, left: "99" })
    })
  )

  it.scoped("responds with JSON to any Accept", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ checkers: quoting })
      for (const accept of ["application/x-ndjson", "text/plain"]) {
        const answer = yield* postUrls(port, ["a"], { accept })
        assert.strictEqual(answer.body, JSON.stringify({ results: [resultOf("a")] }))
        assert.strictEqual(answer.headers["content-type"], "application/json")
      }
    })
  )

  it.scoped("takes a body of 256 KiB, and responds with 413 to a longer one, declared or chunked", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ checkers: quoting, env: { RATE_LIMIT: "100000" } })
      const bodyOf = (bytes: number) => `{"urls":["a"]${" ".repeat(bytes - '{"urls":["a"]}'.length)}}`
      const json = { "content-type": "application/json" }
      const largest = bodyOf(262_144)
      const fits = yield* send(port, {
        path: PATH,
        headers: { ...json, "content-length": largest.length },
        body: largest
      })
      assert.strictEqual(fits.body, JSON.stringify({ results: [resultOf("a")] }))

      const tooLarge = bodyOf(262_145)
      const pieces = Array.from({ length: 100 }, (_, index) =>
        tooLarge.slice(index * 2_622, (index + 1) * 2_622)
      )
      assert.strictEqual(pieces.join(""), tooLarge)
      for (const [left, sent] of [
        ["99998", { path: PATH, headers: { ...json, "content-length": tooLarge.length }, body: tooLarge }],
        ["99997", { path: PATH, headers: json, body: pieces }]
      ] as const) {
        const answer = yield* send(port, sent)
        assert.strictEqual(answer.body, '{"error":"The body is larger than 262144 bytes"}')
        assert.deepStrictEqual(countOf(answer), { status: 413, left })
      }
    })
  )

  it.scoped("takes a URL of 64 KiB as a JSON string in UTF-8, and responds with 413 to a longer one", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ checkers: quoting, env: { RATE_LIMIT: "100000" } })
      for (const [character, bytes] of [
        ["a", 1],
        ["\u00e9", 2],
        ["\u{1F600}", 4],
        ["\u0001", 6],
        ['"', 2]
      ] as const) {
        const count = Math.floor((65_536 - 2) / bytes)
        const largest = character.repeat(count) + "a".repeat(65_536 - 2 - bytes * count)
        const fits = yield* postUrls(port, ["b", largest])
        assert.strictEqual(fits.status, 200, character)
        const answer = yield* postUrls(port, ["b", `${largest}a`])
        assert.strictEqual(answer.status, 413)
        assert.strictEqual(answer.body, '{"error":"A URL is larger than 65536 bytes"}')
        const left = (answer: ReceivedResponse) => Number(countOf(answer).left)
        assert.strictEqual(left(fits) - left(answer), 1)
      }
    })
  )

  it.scoped("counts each string, refuses what does not fit as 1, and takes what fits after that", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ checkers: quoting, env: { RATE_LIMIT: "10" } })
      const count = (urls: ReadonlyArray<string>) => Effect.map(postUrls(port, urls), countOf)
      assert.deepStrictEqual(yield* count(["a", "a", "a", "b"]), { status: 200, left: "6" })
      const refused = yield* postUrls(port, urlsOf(7))
      assert.strictEqual(
        refused.body,
        '{"error":"Too many requests from this IP, please try again later.","limit":10,"current":11}'
      )
      assert.deepStrictEqual(countOf(refused), { status: 429, left: "5", current: 11 })
      assert.strictEqual(refused.headers["content-type"], "application/json")
      assert.strictEqual(refused.headers["retry-after"], "900")
      assert.strictEqual(refused.headers["ratelimit-policy"], '"default";q=10;w=900')
      assert.deepStrictEqual(yield* count(urlsOf(5)), { status: 200, left: "0" })
      assert.deepStrictEqual(yield* count(["a"]), { status: 429, left: "0", current: 11 })
      assert.strictEqual(
        (yield* postUrls(port, ["a"])).body,
        '{"error":"Too many requests from this IP, please try again later.","limit":10,"current":12}'
      )
      assert.strictEqual(
        (yield* postJson(port, { url: "a" })).body,
        '{"error":"Too many requests from this IP, please try again later.","limit":10,"current":13}'
      )
    })
  )

  it.scoped("takes 500 URLs of a client of RATE_LIMIT_EXEMPT, whatever the limit, again and again", () =>
    Effect.gen(function* () {
      const env = { RATE_LIMIT: "10", RATE_LIMIT_EXEMPT: "127.0.0.1" }
      const port = yield* serviceUnderTest({ checkers: quoting, env })
      for (let times = 0; times < 2; times++) {
        const { headers, status } = yield* postUrls(port, urlsOf(500))
        assert.deepStrictEqual([status, headers.ratelimit], [200, undefined])
      }
      assert.strictEqual(
        (yield* postUrls(port, urlsOf(501))).body,
        `{"error":"'urls' must be a list of 1 to 500 strings"}`
      )
    })
  )

  it.scoped("counts beside single checks", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ checkers: quoting, env: { RATE_LIMIT: "10" } })
      yield* postJson(port, { url: "a" })
      assert.deepStrictEqual(countOf(yield* postUrls(port, urlsOf(9))), { status: 200, left: "0" })
    })
  )

  const failingAt =
    (bad: string): FakeCheckers["checkAll"] =>
    (url) =>
      url === bad ? Effect.die(new TypeError("secret")) : quoting.checkAll(url)

  it.scoped("responds with 500 to a defect of one URL", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ checkers: { checkAll: failingAt("a") } })
      const answer = yield* postUrls(port, ["a", "b"])
      assert.strictEqual(answer.status, 500)
      assert.strictEqual(
        answer.body,
        '{"error":"Server error","detail":"TypeError while answering; the log tells more"}'
      )
      assert.strictEqual((yield* postUrls(port, ["b", "a"])).status, 500)
    })
  )

  it.scoped("has the CORS headers, the preflight and the 405 of a check", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ checkers: quoting })
      const answer = yield* postUrls(port, ["a"], { origin: "https://a.example" })
      assert.strictEqual(answer.headers["access-control-allow-origin"], "*")
      assert.strictEqual(answer.headers["x-content-type-options"], "nosniff")
      assert.match(String(answer.headers["x-request-id"]), /^[\w-]{36}$/)
      const preflight = yield* send(port, { method: "OPTIONS", path: PATH })
      assert.deepStrictEqual(
        [preflight.status, preflight.headers["access-control-allow-methods"]],
        [204, "GET, HEAD, POST"]
      )
      for (const method of ["GET", "HEAD"]) {
        const answer = yield* send(port, { method, path: PATH })
        assert.deepStrictEqual([answer.status, answer.headers.allow], [405, "POST, OPTIONS"])
      }
    })
  )
})
