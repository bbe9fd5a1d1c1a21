import { writeFileSync } from "node:fs"
import * as Net from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer, Schema } from "effect"
import { type CheckerId, checkerIds } from "../../src/Checkers/Checker/CheckerNames.ts"
import type { Finding } from "../../src/Checkers/Checker.ts"
import { type Checker, CheckerError, nothingFound, type Outcome } from "../../src/Checkers/Checker.ts"
import { Checkers } from "../../src/Checkers/Checkers.ts"
import * as Api from "../../src/Http/Api.ts"
import { MAX_IN_FLIGHT } from "../../src/Http/Serve/Overload.ts"
import { RateLimiter } from "../../src/Layers/RateLimiter.ts"
import { MAX_PIPELINED } from "../../src/Layers/Server/Connections.ts"
import { Metrics } from "../../src/Layers/Telemetry/Metrics.ts"
import { finding } from "../fixtures/Findings.ts"
import { collect } from "../fixtures/LogLines.ts"
import { adjust, nextTurn, turnsUntil } from "../fixtures/NextTurn.ts"
import { outcomes } from "../fixtures/Outcomes.ts"
import { postJson, send } from "../fixtures/Request.ts"
import { temporaryFolder } from "../fixtures/ServiceProcess.ts"
import { type FakeCheckers, serviceUnderTest } from "../fixtures/ServiceUnderTest.ts"

/** Checkers with these outcomes for every URL. */
const yielding = (all: ReadonlyArray<Outcome>): FakeCheckers => ({
  checkAll: () => Effect.succeed(all)
})

const found = (kind: Finding["kind"], reason: string): Partial<Outcome> => ({
  findings: [finding(kind, { reason })]
})

const missingUrl = `{"error":"Missing 'url' in body"}`

describe("POST /api/check", () => {
  it.scoped("responds with the fields of ScanResult only, and the URL as submitted", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({
        checkers: yielding(
          outcomes({
            heuristics: found("notHttps", "URL is not HTTPS"),
            feed_d: { ...found("listedPage", "Listed"), status: "stale" },
            feed_a: { status: "unavailable" },
            reputation_lookup: { status: "not-configured" }
          })
        )
      })
      const url = "  HTTP://Example.com/\u{1F600}?q=\ud800#x "
      const answer = yield* postJson(port, { url })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers["content-type"], "application/json")
      assert.strictEqual(
        answer.body,
        JSON.stringify({
          url,
          score: 70,
          verdict: "phishing",
          reasons: ["Listed", "URL is not HTTPS"],
          executionTimeMs: {
            heuristics: 0,
            feed_a: 0.125,
            reputation_lookup: 0.25,
            feed_b: 0.375,
            feed_c: 0.5,
            feed_d: 0.625
          }
        })
      )
      assert.strictEqual(
        answer.headers["checker-status"],
        "heuristics=ok, feed_a=unavailable, reputation_lookup=not-configured, feed_b=ok, feed_c=ok, feed_d=stale"
      )
      Schema.decodeUnknownSync(Schema.parseJson(Api.ScanResult))(answer.body)
    })
  )

  it.scoped(
    "adds the findings behind the reasons, in their order, and the checkers only if the query asks for them",
    () =>
      Effect.gen(function* () {
        const listed = {
          checker: "feed_d",
          source: "feed.example",
          reason: "Listed",
          details: { host: "example.com" }
        } as const
        const port = yield* serviceUnderTest({
          checkers: yielding(
            outcomes({
              heuristics: found("notHttps", "URL is not HTTPS"),
              feed_d: { findings: [finding("listedPage", { ...listed, addressIndex: 0 })] }
            })
          )
        })
        const fields = (path: string) =>
          Effect.map(postJson(port, { url: "http://example.com/" }, {}, path), ({ body }) => JSON.parse(body))
        const { checkers, complete, findings, override, reasons } = yield* fields(
          "/api/check?a=b&findings=true"
        )
        assert.isUndefined(override)
        assert.isTrue(complete)
        for (const query of ["?findings", "?findings=", "?findings=1&a=b"])
          assert.property(yield* fields(`/api/check${query}`), "findings", query)
        assert.deepStrictEqual(checkers, {
          heuristics: "ok",
          feed_a: "ok",
          reputation_lookup: "ok",
          feed_b: "ok",
          feed_c: "ok",
          feed_d: "ok"
        })
        assert.deepStrictEqual(reasons, ["Listed", "URL is not HTTPS"])
        assert.deepStrictEqual(findings, [
          {
            checker: "feed_d",
            kind: "listedPage",
            points: 70,
            source: "feed.example",
            reason: "Listed",
            details: { host: "example.com" }
          },
          { checker: "heuristics", kind: "notHttps", points: 10, reason: "URL is not HTTPS", details: {} }
        ])
        for (const query of [
          "?findings=false",
          "?findings=0",
          "?findings=TRUE",
          "?x=findings=true",
          "#?findings=true"
        ])
          assert.hasAllKeys(
            yield* fields(`/api/check${query}`),
            ["url", "score", "verdict", "reasons", "executionTimeMs"],
            query
          )
      })
  )

  it.scoped("times the checkers by the Clock", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const takes =
        (millis: number): Checker["check"] =>
        () =>
          Effect.as(Effect.sleep(Duration.millis(millis)), nothingFound)
      const checks: Record<CheckerId, Checker["check"]> = {
        heuristics: () => Effect.succeed(nothingFound),
        feed_a: takes(250),
        reputation_lookup: takes(1500),
        feed_b: () => Effect.fail(new CheckerError({ checker: "feed_b", reason: "Unavailable" })),
        feed_c: () => Effect.never,
        feed_d: () => Effect.as(Deferred.succeed(started, undefined), nothingFound)
      }
      const port = yield* serviceUnderTest({
        checkers: Checkers.make(
          checkerIds.map((id) => ({ id, budget: Duration.seconds(2), check: checks[id] }))
        )
      })
      const request = yield* Effect.fork(postJson(port, { url: "https://example.com/" }))
      yield* Deferred.await(started)
      yield* adjust("2 seconds")
      const answer = yield* Fiber.join(request)
      assert.deepStrictEqual(JSON.parse(answer.body).executionTimeMs, {
        heuristics: 0,
        feed_a: 250,
        reputation_lookup: 1500,
        feed_b: 0,
        feed_c: 2000,
        feed_d: 0
      })
      assert.strictEqual(
        answer.headers["checker-status"],
        "heuristics=ok, feed_a=ok, reputation_lookup=ok, feed_b=unavailable, feed_c=timeout, feed_d=ok"
      )
    })
  )

  const verdicts: ReadonlyArray<readonly [Finding["kind"] | undefined, number, string]> = [
    [undefined, 0, "safe"],
    ["notHttps", 10, "safe"],
    ["unwantedSoftware", 40, "suspicious"],
    ["listedPage", 70, "phishing"],
    ["listedUrl", 100, "phishing"]
  ]
  for (const [kind, score, verdict] of verdicts)
    it.scoped(`has the verdict ${verdict} for a score of ${score}`, () =>
      Effect.gen(function* () {
        const port = yield* serviceUnderTest({
          checkers: yielding(outcomes(kind === undefined ? {} : { feed_a: found(kind, "why") }))
        })
        const { body } = yield* postJson(port, { url: "https://example.com/" })
        const result = JSON.parse(body)
        assert.strictEqual(result.score, score)
        assert.strictEqual(result.verdict, verdict)
        assert.deepStrictEqual(result.reasons, kind === undefined ? [] : ["why"])
      })
    )

  it.scoped("lets the operator's lists decide, and says so in List-Override and with the findings", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const allow = join(folder, "allow.txt")
      const block = join(folder, "block.txt")
      writeFileSync(allow, "example.com\nexample.net/page\n")
      writeFileSync(block, "login.example.com\nexample.net/page?x=1\n")
      const port = yield* serviceUnderTest({
        checkers: yielding(
          outcomes({
            heuristics: found("notHttps", "URL is not HTTPS"),
            feed_a: found("listedHost", "Listed")
          })
        ),
        env: { ALLOW_LIST: allow, BLOCK_LIST: block }
      })
      const allowed = ["allow", 10, "safe", ["URL is not HTTPS"]]
      const blocked = (host: string) => [
        "block",
        100,
        "phishing",
        [`The address ${host} is blocked by the operator of this service`, "Listed", "URL is not HTTPS"]
      ]
      const listed = [undefined, 80, "phishing", ["Listed", "URL is not HTTPS"]]
      const expected: ReadonlyArray<readonly [url: string, answer: ReadonlyArray<unknown>]> = [
        ["http://example.com/", allowed],
        ["HTTP://WWW.Example.com:8080/x?y", allowed],
        ["http://login.example.com/", blocked("login.example.com")],
        ["http://example.net/page?x=2", allowed],
        ["http://example.net/page?x=1", blocked("example.net")],
        ["http://example.net/", listed],
        ["mailto:somebody@example.com", listed]
      ]
      for (const [url, answer] of expected) {
        const { body, headers } = yield* postJson(port, { url })
        const { override: none, score, verdict, reasons } = JSON.parse(body)
        assert.deepStrictEqual([headers["list-override"], score, verdict, reasons], answer, url)
        assert.isUndefined(none)
        const withFindings = yield* postJson(port, { url }, {}, "/api/check?findings=true")
        const { override } = JSON.parse(withFindings.body)
        assert.strictEqual(override, answer[0], url)
        const many = yield* postJson(port, { urls: [url] }, {}, "/api/checks")
        assert.deepStrictEqual(JSON.parse(many.body).results, [JSON.parse(withFindings.body)])
      }
    })
  )

  it.scoped("caps the score at 100", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({
        checkers: yielding(outcomes({ feed_a: found("listedUrl", "a"), feed_b: found("listedUrl", "b") }))
      })
      assert.strictEqual(JSON.parse((yield* postJson(port, { url: "x" })).body).score, 100)
    })
  )

  const json = { "content-type": "application/json" }
  const bad: ReadonlyArray<readonly [string, Parameters<typeof send>[1]]> = [
    ["no url", { headers: json, body: "{}" }],
    ["a url that is a number", { headers: json, body: '{"url":1}' }],
    ["a url that is null", { headers: json, body: '{"url":null}' }],
    ["a url that is an array", { headers: json, body: '{"url":["https://example.com"]}' }],
    ["the empty string", { headers: json, body: '{"url":""}' }],
    ["an array", { headers: json, body: '["url"]' }],
    ["a string", { headers: json, body: '"url"' }],
    ["null", { headers: json, body: "null" }],
    ["no body", { headers: json }],
    ["not JSON", { headers: json, body: "{url:1}" }],
    ["two byte order marks", { headers: json, body: '\ufeff\ufeff{"url":"x"}' }],
    ["a byte order mark of UTF-16", { headers: json, body: Buffer.from('\ufeff{"url":"x"}', "utf16le") }],
    ["bytes that are not UTF-8", { headers: json, body: Buffer.from('{"url":"\xff"}', "latin1") }],
    ["a url of the prototype only", { headers: json, body: '{"__proto__":{"url":"https://example.com"}}' }],
    ["another content type", { headers: { "content-type": "text/plain" }, body: '{"url":"x"}' }],
    ["a form", { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "url=x" }],
    ["a multipart form", { headers: { "content-type": "multipart/form-data; boundary=b" }, body: "--b--" }],
    [
      "a type that only begins like JSON",
      { headers: { "content-type": "application/jsonp" }, body: '{"url":"x"}' }
    ],
    ["no content type", { body: '{"url":"x"}' }]
  ]
  for (const [name, sent] of bad)
    it.scoped(`responds with 400 to ${name}`, () =>
      Effect.gen(function* () {
        const port = yield* serviceUnderTest({ checkers: yielding(outcomes()) })
        const answer = yield* send(port, sent)
        assert.strictEqual(answer.status, 400)
        assert.strictEqual(answer.body, missingUrl)
        assert.strictEqual(answer.headers["content-type"], "application/json")
        assert.strictEqual(answer.headers["ratelimit-policy"], '"default";q=100;w=900')
        assert.strictEqual(answer.headers.ratelimit, '"default";r=99;t=900')
        const isJson = sent.headers === json
        assert.strictEqual(answer.headers["accept-post"], isJson ? undefined : "application/json")
      })
    )

  for (const encoding of ["gzip", "br", "deflate, identity", "identity, gzip", "x", "identityx"])
    it.scoped(
      `responds with 415 to the Content-Encoding ${encoding}, without reading the body, and counts it`,
      () =>
        Effect.gen(function* () {
          const port = yield* serviceUnderTest({ checkers: yielding(outcomes()), env: { RATE_LIMIT: "1" } })
          const compressed = {
            headers: { ...json, "content-encoding": encoding, "content-length": 100 },
            body: "x"
          }
          const answer = yield* send(port, compressed)
          assert.strictEqual(answer.status, 415)
          assert.strictEqual(answer.body, '{"error":"Content-Encoding is not supported"}')
          assert.strictEqual(answer.headers["content-type"], "application/json")
          assert.strictEqual(answer.headers["accept-encoding"], "identity")
          assert.strictEqual(answer.headers.ratelimit, '"default";r=0;t=900')
          assert.strictEqual((yield* send(port, compressed)).status, 429)
        })
    )

  const good: ReadonlyArray<readonly [string, Parameters<typeof send>[1]]> = [
    ["a charset", { headers: { "content-type": "application/json; charset=utf-8" }, body: '{"url":"x"}' }],
    ["capitals in the type", { headers: { "content-type": "Application/JSON" }, body: '{"url":"x"}' }],
    ["other fields beside url", { headers: json, body: '{"a":1,"url":"x"}' }],
    ["the last of two urls", { headers: json, body: '{"url":"y","url":"x"}' }],
    ["a chunked body", { headers: json, body: ['{"u', 'rl":"', 'x"}'] }],
    ["a byte order mark", { headers: json, body: '\ufeff{"url":"x"}' }],
    [
      "a body that says that it is not compressed",
      { headers: { ...json, "content-encoding": "Identity" }, body: '{"url":"x"}' }
    ],
    ["an empty Content-Encoding", { headers: { ...json, "content-encoding": "" }, body: '{"url":"x"}' }],
    ["a query in the target", { headers: json, path: "/api/check?x=1", body: '{"url":"x"}' }]
  ]
  for (const [name, sent] of good)
    it.scoped(`accepts ${name}`, () =>
      Effect.gen(function* () {
        const port = yield* serviceUnderTest({ checkers: yielding(outcomes()) })
        const answer = yield* send(port, sent)
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(JSON.parse(answer.body).url, "x")
      })
    )

  it.scoped("responds at once with 413 to a content-length above 64 KiB, and counts the request", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ checkers: yielding(outcomes()) })
      const answer = yield* send(port, {
        headers: { ...json, "content-length": 65_537 },
        body: "x"
      })
      assert.strictEqual(answer.status, 413)
      assert.strictEqual(answer.body, '{"error":"The body is larger than 65536 bytes"}')
      assert.strictEqual(answer.headers.ratelimit, '"default";r=99;t=900')
      assert.strictEqual((yield* postJson(port, { url: "x" })).headers.ratelimit, '"default";r=98;t=900')
    })
  )

  it.scoped("responds with 413 to a chunked body above 64 KiB, and reads one of exactly 64 KiB", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ checkers: yielding(outcomes()) })
      const padded = (bytes: number) => ['{"url":"x"', " ".repeat(bytes - 11), "}"]
      const over = yield* send(port, { headers: json, body: padded(65_537) })
      assert.strictEqual(over.status, 413)
      assert.strictEqual(over.body, '{"error":"The body is larger than 65536 bytes"}')
      assert.strictEqual((yield* send(port, { headers: json, body: padded(65_536) })).status, 200)
    })
  )

  it.scoped(
    "responds with 429 to the 101st request of a window, counts rejected requests, and starts again after the window",
    () =>
      Effect.gen(function* () {
        const port = yield* serviceUnderTest({ checkers: yielding(outcomes()) })
        yield* send(port, { headers: json, body: "{}" })
        yield* adjust("1 minute")
        for (let sent = 2; sent <= 100; sent++)
          assert.strictEqual((yield* postJson(port, { url: "x" })).status, 200)
        for (const current of [101, 102]) {
          const answer = yield* postJson(port, { url: "x" })
          assert.strictEqual(answer.status, 429)
          assert.strictEqual(
            answer.body,
            `{"error":"Too many requests from this IP, please try again later.","limit":100,"current":${current}}`
          )
          assert.strictEqual(answer.headers["retry-after"], "840")
          assert.strictEqual(answer.headers["ratelimit-policy"], '"default";q=100;w=900')
          assert.strictEqual(answer.headers.ratelimit, '"default";r=0;t=840')
          assert.notProperty(answer.headers, "checker-status")
        }
        yield* adjust("14 minutes")
        const answer = yield* postJson(port, { url: "x" })
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers.ratelimit, '"default";r=99;t=900')
      })
  )

  it.scoped("takes limit and window from the configuration", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({
        checkers: yielding(outcomes()),
        env: {
          RATE_LIMIT: "1",
          RATE_LIMIT_WINDOW: "30 seconds"
        }
      })
      const first = yield* postJson(port, { url: "x" })
      assert.strictEqual(first.headers["ratelimit-policy"], '"default";q=1;w=30')
      assert.strictEqual(first.headers.ratelimit, '"default";r=0;t=30')
      const second = yield* postJson(port, { url: "x" })
      assert.strictEqual(
        second.body,
        '{"error":"Too many requests from this IP, please try again later.","limit":1,"current":2}'
      )
    })
  )

  it.scoped("has a Retry-After of at least 1 second, also at the end of the window", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({
        checkers: yielding(outcomes()),
        rateLimiter: Layer.succeed(RateLimiter, {
          countAtLimit: () => undefined,
          count: () => Effect.succeed({ current: 101, limit: 100, resetAfter: Duration.zero })
        })
      })
      const answer = yield* postJson(port, { url: "x" })
      assert.strictEqual(answer.headers["retry-after"], "1")
      assert.strictEqual(answer.headers.ratelimit, '"default";r=0;t=1')
    })
  )

  it.scoped("runs no checker for a caller over the limit", () =>
    Effect.gen(function* () {
      let runs = 0
      const port = yield* serviceUnderTest({
        checkers: {
          checkAll: () =>
            Effect.sync(() => {
              runs++
              return outcomes()
            })
        },
        env: { RATE_LIMIT: "1" }
      })
      yield* postJson(port, { url: "x" })
      yield* postJson(port, { url: "x" })
      assert.strictEqual(runs, 1)
    })
  )

  it.scoped("ignores X-Forwarded-For unless proxies are trusted", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ checkers: yielding(outcomes()), env: { RATE_LIMIT: "1" } })
      yield* postJson(port, { url: "x" }, { "x-forwarded-for": "203.0.113.1" })
      const answer = yield* postJson(port, { url: "x" }, { "x-forwarded-for": "203.0.113.2" })
      assert.strictEqual(answer.status, 429)
    })
  )

  it.scoped("does not count clients of RATE_LIMIT_EXEMPT, by the connection without trusted proxies", () =>
    Effect.gen(function* () {
      const answers = (exempt: string) =>
        Effect.gen(function* () {
          const env = { RATE_LIMIT: "1", RATE_LIMIT_EXEMPT: exempt }
          const port = yield* serviceUnderTest({ checkers: yielding(outcomes()), env })
          const headers = { "x-forwarded-for": "198.51.100.7" }
          yield* postJson(port, { url: "x" }, headers)
          return yield* postJson(port, { url: "x" }, headers)
        })
      const exempt = yield* answers("192.0.2.1,127.0.0.0/30")
      assert.deepStrictEqual([exempt.status, exempt.headers.ratelimit], [200, undefined])
      // Any client can send the header.
      assert.strictEqual((yield* answers("198.51.100.7")).status, 429)
    })
  )

  it.scoped(
    "does not count clients of RATE_LIMIT_EXEMPT behind trusted proxies, by what these have written",
    () =>
      Effect.gen(function* () {
        const port = yield* serviceUnderTest({
          checkers: yielding(outcomes()),
          env: {
            RATE_LIMIT: "1",
            TRUSTED_PROXIES: "1",
            RATE_LIMIT_EXEMPT: "198.51.100.0/24, 2001:db8:1:1::5, 127.0.0.1"
          }
        })
        const status = (forwardedFor: string) =>
          Effect.gen(function* () {
            const headers = { "x-forwarded-for": forwardedFor }
            yield* postJson(port, { url: "x" }, headers)
            return (yield* postJson(port, { url: "x" }, headers)).status
          })
        assert.strictEqual(yield* status("198.51.100.99"), 200)
        assert.strictEqual(yield* status("::ffff:198.51.100.98"), 200)
        assert.strictEqual(yield* status("[2001:db8:1:1::5]:443"), 200)
        assert.strictEqual(yield* status("2001:db8:1:1::6"), 429)
        assert.strictEqual(yield* status("198.51.100.99, 203.0.113.1"), 429)
        // Not the proxy, whose address is exempt.
        assert.strictEqual(yield* status("198.51.100.99, unknown"), 429)
        yield* postJson(port, { url: "x" })
        assert.strictEqual((yield* postJson(port, { url: "x" })).status, 200)
      })
  )

  const forwarded: ReadonlyArray<
    readonly [
      rule: string,
      env: Record<string, string>,
      headers: ReadonlyArray<Record<string, string>>,
      warnings: number
    ]
  > = [
    [
      "warns once of a proxy that is not configured",
      {},
      [{}, { "x-forwarded-for": "203.0.113.77" }, { "x-forwarded-for": "203.0.113.78" }],
      1
    ],
    ["warns of the standard header too", {}, [{ forwarded: "for=203.0.113.77" }], 1],
    [
      "does not warn of a configured proxy",
      { TRUSTED_PROXIES: "1" },
      [{ "x-forwarded-for": "203.0.113.77" }],
      0
    ]
  ]
  for (const [rule, env, headers, warnings] of forwarded)
    it.scoped(`${rule}, without an address`, () =>
      Effect.gen(function* () {
        const { lines, layer } = collect()
        const port = yield* Effect.provide(serviceUnderTest({ checkers: yielding(outcomes()), env }), layer)
        for (const sent of headers) yield* postJson(port, { url: "x" }, sent)
        const found = lines.filter(({ level }) => level === "warning")
        assert.strictEqual(found.length, warnings)
        for (const { message } of found) assert.match(message, /X-Forwarded-For .* TRUSTED_PROXIES is 0/)
        assert.notInclude(JSON.stringify(lines), "203.0.113")
      })
    )

  it.scoped("behind a trusted proxy counts the address that the proxy appended to X-Forwarded-For", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({
        checkers: yielding(outcomes()),
        env: { RATE_LIMIT: "1", TRUSTED_PROXIES: "1" }
      })
      const status = (forwardedFor: string | Array<string>) =>
        Effect.map(
          postJson(port, { url: "x" }, { "x-forwarded-for": forwardedFor }),
          (answer) => answer.status
        )
      assert.strictEqual(yield* status("203.0.113.1"), 200)
      assert.strictEqual(yield* status("203.0.113.2"), 200)
      assert.strictEqual(yield* status("198.51.100.99, 203.0.113.1"), 429)
      assert.strictEqual(yield* status(["198.51.100.98", "203.0.113.1"]), 429)
      assert.strictEqual(yield* status("2001:db8:1:1::5"), 200)
      assert.strictEqual(yield* status("2001:db8:1:1:ffff::6"), 429)
    })
  )

  it.scoped("responds with 500 to a defect, without its message or stack", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({
        checkers: {
          checkAll: () => Effect.die(new RangeError("secret-key at /srv/app.ts:1"))
        }
      })
      const answer = yield* postJson(port, { url: "x" })
      assert.strictEqual(answer.status, 500)
      assert.strictEqual(
        answer.body,
        '{"error":"Server error","detail":"RangeError while answering; the log tells more"}'
      )
    })
  )

  it.scoped(
    "responds with 503 while MAX_IN_FLIGHT checks are in flight, does not count those requests, and responds to probes",
    () =>
      Effect.gen(function* () {
        const answers = yield* Deferred.make<void>()
        let waiting = 0
        const service = serviceUnderTest({
          checkers: {
            checkAll: () => {
              waiting++
              return Effect.as(Deferred.await(answers), outcomes())
            }
          },
          env: { RATE_LIMIT: String(2 * MAX_IN_FLIGHT) }
        })
        const port = yield* Effect.provide(service, Metrics.layer)
        const untilWaiting = (count: number) =>
          turnsUntil(`${count} checks have started`, () => waiting === count)
        const body = '{"url":"x"}'
        const head = `POST /api/check HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
        const write = (text: string) =>
          Effect.acquireRelease(
            Effect.sync(() => {
              const socket = Net.connect(port, "127.0.0.1").resume()
              socket.write(text)
              return socket
            }),
            (socket) => Effect.sync(() => socket.resetAndDestroy())
          )
        for (let left = MAX_IN_FLIGHT - 1; left > 0; left -= MAX_PIPELINED)
          yield* write((head + body).repeat(Math.min(left, MAX_PIPELINED)))
        // A request that is still sending its body is not in flight.
        const slow = yield* write(head)
        let slowText = ""
        slow.setEncoding("latin1").on("data", (text) => {
          slowText += text
        })
        yield* untilWaiting(MAX_IN_FLIGHT - 1)
        const last = yield* Effect.fork(postJson(port, { url: "x" }))
        yield* untilWaiting(MAX_IN_FLIGHT)

        for (const path of ["/api/check", "/api/check?x=1"]) {
          const refused = yield* send(port, { path, headers: json, body: ["{", '"url":"x"}'] })
          assert.strictEqual(refused.status, 503)
          assert.strictEqual(refused.body, '{"error":"The service is not available at the moment"}')
          assert.strictEqual(refused.headers["retry-after"], "1")
          assert.strictEqual(refused.headers["access-control-allow-origin"], "*")
          assert.notProperty(refused.headers, "ratelimit")
        }
        slow.write(body)
        yield* turnsUntil("the slow request has its response", () => slowText.endsWith("}"))
        assert.match(slowText, /^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n/s)
        assert.strictEqual((yield* send(port, { method: "GET", path: "/health/live" })).status, 200)
        const { body: metrics } = yield* send(port, { method: "GET", path: "/metrics" })
        assert.include(metrics, 'threat_scoring_http_requests_total{route="/api/check",status="503"} 3')

        yield* Deferred.succeed(answers, undefined)
        assert.strictEqual((yield* Fiber.join(last)).status, 200)
        const after = yield* postJson(port, { url: "x" })
        assert.strictEqual(after.status, 200)
        assert.include(String(after.headers.ratelimit), `r=${MAX_IN_FLIGHT - 2};`)
      })
  )

  it.scoped("responds with 500 at once when the handler interrupts itself", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({ checkers: { checkAll: () => Effect.interrupt } })
      const answer = yield* postJson(port, { url: "x" })
      assert.strictEqual(answer.status, 500)
      assert.match(
        answer.body,
        /^\{"error":"Server error","detail":"[A-Za-z ]+ while answering; the log tells more"\}$/
      )
    })
  )

  it.scoped("responds to a client while 1,100 others are sending their bodies", () =>
    Effect.gen(function* () {
      const port = yield* serviceUnderTest({
        checkers: yielding(outcomes()),
        env: {
          RATE_LIMIT: "2000",
          MAX_CONNECTIONS_PER_ADDRESS: "0"
        }
      })
      const head =
        "POST /api/check HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"
      yield* Effect.forEach(
        Array.from({ length: 1_100 }),
        () =>
          Effect.acquireRelease(
            Effect.async<Net.Socket>((resume) => {
              const socket = Net.connect(port, "127.0.0.1", () =>
                socket.write(head, () => resume(Effect.succeed(socket)))
              )
            }),
            (socket) => Effect.sync(() => socket.resetAndDestroy())
          ),
        { concurrency: 100, discard: true }
      )
      assert.strictEqual((yield* postJson(port, { url: "x" })).status, 200)
    })
  )

  describe("while the count is on its way from the cache database", () => {
    const CACHE = { CACHE_REST_URL: "https://cache.example", CACHE_REST_TOKEN: "token" }

    /** A service whose count arrives when the test completes it. */
    const setUp = Effect.gen(function* () {
      const count = yield* Deferred.make<number>()
      const counting = yield* Deferred.make<void>()
      let checks = 0
      const port = yield* serviceUnderTest({
        checkers: {
          checkAll: () =>
            Effect.sync(() => {
              checks++
              return outcomes()
            })
        },
        env: CACHE,
        rateLimiter: Layer.succeed(RateLimiter, {
          countAtLimit: () => undefined,
          count: () =>
            Effect.zipRight(Deferred.succeed(counting, undefined), Deferred.await(count)).pipe(
              Effect.map((current) => ({ current, limit: 100, resetAfter: Duration.minutes(15) }))
            )
        })
      })
      return { port, count, counting, checks: () => checks }
    })

    for (const [current, status, checked] of [
      [100, 200, 1],
      [101, 429, 0]
    ] as const)
      it.scoped(`runs no checker before it, and responds with ${status} when it is ${current}`, () =>
        Effect.gen(function* () {
          const { port, count, counting, checks } = yield* setUp
          const request = yield* Effect.fork(postJson(port, { url: "x" }))
          yield* Deferred.await(counting)
          yield* nextTurn
          assert.strictEqual(checks(), 0)
          yield* Deferred.succeed(count, current)
          const answer = yield* Fiber.join(request)
          assert.strictEqual(answer.status, status)
          assert.strictEqual(answer.headers.ratelimit, '"default";r=0;t=900')
          assert.strictEqual(checks(), checked)
        })
      )

    for (const [current, status] of [
      [100, 400],
      [101, 429]
    ] as const)
      it.scoped(`responds with ${status} to an invalid body when the count is ${current}`, () =>
        Effect.gen(function* () {
          const { port, count } = yield* setUp
          yield* Deferred.succeed(count, current)
          assert.strictEqual((yield* postJson(port, {})).status, status)
        })
      )
  })
})
