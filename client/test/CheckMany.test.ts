import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import { afterEach, beforeEach } from "vitest"
import * as BulkServiceDouble from "../../test/fixtures/BulkServiceDouble.ts"
import { listeningPort } from "../../test/fixtures/ListeningPort.ts"
import { type Options, ThreatScoring } from "../src/promise.ts"

const { resultOf } = BulkServiceDouble

/** Scores URLs, and gives each result, or the error of a single URL, to `onResult`; rejects with the error that ends it. */
const checkMany = async (
  urls: ReadonlyArray<string>,
  onResult: (result: unknown) => void,
  options: Partial<Options>,
  signal: AbortSignal,
  max: number
): Promise<void> => {
  let count = 0
  const scoring = new ThreatScoring({ baseUrl: "http://service.example/", ...options })
  for await (const result of scoring.checkMany(urls, { signal })) {
    onResult(result)
    if (++count === max) break
  }
}

type Respond = (body: string) => Response | Error | "silence"

const start = (
  urls: ReadonlyArray<string>,
  respond: Respond,
  options: Partial<Options> = {},
  max = Number.MAX_SAFE_INTEGER
) => {
  const requests: Array<Request> = []
  /** The URLs of each request. */
  const sent: Array<ReadonlyArray<string>> = []
  vi.stubGlobal("fetch", (address: string, init: RequestInit) => {
    const request = new Request(address, init)
    requests.push(request)
    sent.push(JSON.parse(String(init.body)).urls)
    const answer = respond(String(init.body))
    if (answer instanceof Response) return Promise.resolve(answer)
    if (answer instanceof Error) return Promise.reject(answer)
    return new Promise((_, reject) => {
      request.signal.addEventListener("abort", () => reject(request.signal.reason))
    })
  })
  const results: Array<unknown> = []
  const controller = new AbortController()
  let hasEnded = false
  const ended = checkMany(urls, (result) => results.push(result), options, controller.signal, max)
    .then(
      () => undefined,
      (error: unknown) => Object(error) as Record<string, unknown>
    )
    .finally(() => {
      hasEnded = true
    })
  return {
    requests,
    sent,
    sizes: () => sent.map(({ length }) => length),
    results,
    ended,
    hasEnded: () => hasEnded,
    abort: (reason: unknown) => controller.abort(reason)
  }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const pass = (millis: number) => vi.advanceTimersByTimeAsync(millis)

const urlsOf = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `http://example.com/${index}`)

const serviceWith = (limit: number, windowMillis = 900_000, counted = 0) =>
  BulkServiceDouble.make({ limit, windowMillis, counted }, Date.now)

const broken = new TypeError("fetch failed")

/** These answers in order, then those of the service. */
const first = (answers: ReadonlyArray<ReturnType<Respond>>, { respond }: { respond: Respond }): Respond => {
  let next = 0
  return (body) => answers[next++] ?? respond(body)
}

describe("checkMany", () => {
  it("returns what the lists of the operator decided about each URL", async () => {
    const respond = () =>
      Response.json({
        results: [
          { ...resultOf("a"), override: "block" },
          { ...resultOf("b"), override: "quarantine" },
          resultOf("c")
        ]
      })
    const { ended, results } = start(["a", "b", "c"], respond)
    assert.isUndefined(await ended)
    assert.deepStrictEqual(results, [
      { ...resultOf("a"), listOverride: "block" },
      resultOf("b"),
      resultOf("c")
    ])
  })

  it("sends the URLs as JSON, and returns the results in order, equal ones too", async () => {
    const urls = ["http://example.com/", "é", "http://example.com/"]
    const { ended, requests, results } = start(urls, serviceWith(100).respond)
    assert.isUndefined(await ended)
    assert.deepStrictEqual(results, urls.map(resultOf))
    const [request] = requests
    assert.strictEqual(requests.length, 1)
    assert.strictEqual(request?.method, "POST")
    assert.strictEqual(request?.url, "http://service.example/api/checks")
    assert.strictEqual(request?.headers.get("accept"), "application/json")
    assert.strictEqual(request?.headers.get("content-type"), "application/json")
    assert.strictEqual(await request?.text(), '{"urls":["http://example.com/","é","http://example.com/"]}')
  })

  it("sends 100 URLs first, then as many as the limit allows, at most 500", async () => {
    const urls = urlsOf(1_300)
    const large = start(urls, serviceWith(5_000).respond)
    assert.isUndefined(await large.ended)
    assert.deepStrictEqual(large.sizes(), [100, 500, 500, 200])
    assert.deepStrictEqual(large.sent.flat(), urls)
    assert.deepStrictEqual(large.results, urls.map(resultOf))
    const small = start(urls.slice(0, 270), serviceWith(120, 1_000).respond)
    await pass(60_000)
    assert.deepStrictEqual(small.sizes(), [100, 20, 120, 30])
    assert.isUndefined(await small.ended)
  })

  it("scores URLs that the caller adds while it reads results", async () => {
    const urls = ["a", "b"]
    const { ended, results } = start(urls, (body) => {
      if (urls.length === 2) urls.push("c")
      return serviceWith(100).respond(body)
    })
    assert.isUndefined(await ended)
    assert.deepStrictEqual(results, ["a", "b", "c"].map(resultOf))
  })

  it("sends no request without URLs, and none if a URL is empty", async () => {
    const none = start([], serviceWith(100).respond)
    assert.isUndefined(await none.ended)
    assert.deepStrictEqual(none.sizes(), [])
    const empty = start([...urlsOf(200), ""], serviceWith(1_000).respond)
    assert.include(await empty.ended, { _tag: "BadRequest", message: "The URL to check is empty" })
    assert.deepStrictEqual(empty.sizes(), [])
  })

  it("sends smaller requests after the 400 or the 429 of a lower limit", async () => {
    const urls = urlsOf(50)
    const service = serviceWith(40, 10_000)
    const { ended, results } = start(urls, service.respond)
    await pass(9_999)
    assert.deepStrictEqual(
      service.answers.map(([status, { length }]) => [status, length]),
      [
        [400, 50],
        [200, 39]
      ]
    )
    await pass(1)
    assert.isUndefined(await ended)
    assert.deepStrictEqual(service.answers[2], [200, urls.slice(39)])
    assert.deepStrictEqual(results, urls.map(resultOf))

    const full = serviceWith(40, 10_000, 40)
    const waiting = start(urls, full.respond)
    await pass(10_000)
    assert.isUndefined(await Promise.race([waiting.ended, pass(60_000).then(() => waiting.ended)]))
    assert.deepStrictEqual(
      full.answers.map(([status, { length }]) => [status, length]),
      [
        [429, 50],
        [200, 40],
        [200, 10]
      ]
    )
  })

  it("sends at once what is left after a 429", async () => {
    const service = serviceWith(100, 10_000, 70)
    const { ended, results } = start(urlsOf(100), service.respond)
    await pass(0)
    assert.deepStrictEqual(
      service.answers.map(([status, { length }]) => [status, length]),
      [
        [429, 100],
        [200, 29]
      ]
    )
    assert.strictEqual(results.length, 29)
    await pass(9_999)
    assert.strictEqual(service.answers.length, 2)
    await pass(1)
    assert.isUndefined(await ended)
    assert.strictEqual(results.length, 100)
  })

  it("fails at once if the window ends after the timeout, with the results so far", async () => {
    const service = serviceWith(100)
    const { ended, results } = start(urlsOf(101), service.respond)
    assert.include(await ended, {
      _tag: "RateLimited",
      retryAfterMillis: 900_000,
      message: "Too many requests from this address; the service asks to wait 900 s"
    })
    assert.strictEqual(results.length, 100)
    assert.strictEqual(service.answers.length, 1, "no request that cannot succeed")
  })

  it("waits for the window with a longer timeout", async () => {
    const { ended, hasEnded, results } = start(urlsOf(101), serviceWith(100).respond, {
      timeout: 901_000
    })
    await pass(899_999)
    assert.isFalse(hasEnded())
    await pass(1)
    assert.isUndefined(await ended)
    assert.strictEqual(results.length, 101)
  })

  it("keeps each body within 256 KiB of UTF-8, and fills it", async () => {
    // 3 bytes in UTF-8 and one character each.
    const urls = Array.from({ length: 90 }, (_, index) => `${index}${"€".repeat(9_000)}`)
    const service = serviceWith(1_000)
    const { ended, results, sizes } = start(urls, service.respond)
    assert.isUndefined(await ended)
    assert.deepStrictEqual(results, urls.map(resultOf))
    assert.isTrue(service.answers.every(([status]) => status === 200))
    assert.deepStrictEqual(
      sizes(),
      Array.from({ length: 10 }, () => 9)
    )
  })

  for (const [bytes, sizes] of [
    [262_144, [5]],
    [262_145, [4, 1]]
  ] as const)
    it(`sends 5 URLs that are a body of ${bytes} bytes as ${sizes.length} of them`, async () => {
      const others = Array.from({ length: 4 }, (_, index) => `${index}`.padEnd(52_000, "x"))
      const rest = bytes - Buffer.byteLength(JSON.stringify({ urls: [...others, ""] }))
      const urls = [...others, "y".repeat(rest)]
      const service = serviceWith(1_000)
      const sending = start(urls, service.respond)
      assert.isUndefined(await sending.ended)
      assert.deepStrictEqual(sending.sizes(), [...sizes])
      assert.deepStrictEqual(sending.results, urls.map(resultOf))
      assert.isTrue(service.answers.every(([status]) => status === 200))
    })

  it("returns a TooLarge for each URL above 64 KiB of JSON at its place, and does not send it", async () => {
    // Each has 65,537 bytes as JSON: as ASCII, in UTF-8, and with escapes.
    const long = [
      "x".repeat(65_535),
      `${"€".repeat(21_845)}`,
      `${'"'.repeat(32_767)}x`,
      "x".repeat(3_000_000)
    ]
    const short = [...urlsOf(99), "x".repeat(65_534), `${'"'.repeat(32_767)}`, ...urlsOf(650)]
    const urls = [long[0], ...short.slice(0, 50), ...long, ...short.slice(50), long[1]].map(String)
    const isLong = (url: string) => long.includes(url)
    const service = serviceWith(1_000)
    const { ended, results, sent, sizes } = start(urls, service.respond)
    assert.isUndefined(await ended)
    for (const [index, url] of urls.entries())
      if (isLong(url))
        assert.include(results[index], { _tag: "TooLarge", message: "The URL to check is too long" })
      else assert.deepStrictEqual(results[index], resultOf(url))
    assert.strictEqual(results.length, urls.length)
    assert.deepStrictEqual(sent.flat(), short)
    // As many as without the long ones.
    assert.deepStrictEqual(sizes(), [100, 500, 151])
  })

  it("returns a TooLarge without a request, also when the rate limit allows none", async () => {
    const long = "x".repeat(70_000)
    const none = start([long, long], serviceWith(1_000).respond)
    assert.isUndefined(await none.ended)
    assert.deepStrictEqual(
      none.results.map((result) => Object(result)._tag),
      ["TooLarge", "TooLarge"]
    )
    assert.deepStrictEqual(none.sizes(), [])
    const urls = [...urlsOf(500), ...Array.from({ length: 500 }, () => long)]
    const full = start(urls, serviceWith(500).respond)
    assert.isUndefined(await full.ended)
    assert.deepStrictEqual(full.sizes(), [100, 400])
    assert.strictEqual(full.results.length, 1_000)
  })

  it("returns a TooLarge for a URL that a proxy does not let through alone, and checks the others", async () => {
    const long = "x".repeat(10_000)
    const urls = ["a", "x".repeat(70_000), long, "x".repeat(70_000), ...urlsOf(20)]
    const service = serviceWith(1_000)
    const { ended, results } = start(urls, (body) =>
      body.length > 8_000 ? new Response("<html>", { status: 413 }) : service.respond(body)
    )
    assert.isUndefined(await ended)
    assert.deepStrictEqual(
      results.flatMap((result, index) => (Object(result)._tag === "TooLarge" ? [index] : [])),
      [1, 2, 3]
    )
    assert.deepStrictEqual(
      service.answers.flatMap(([, urls]) => urls),
      ["a", ...urlsOf(20)]
    )
  })

  it("sends smaller requests if a proxy allows only smaller bodies", async () => {
    const service = serviceWith(1_000)
    const { ended, results, sizes } = start(urlsOf(100), (body) =>
      body.length > 1_000 ? new Response("<html>", { status: 413 }) : service.respond(body)
    )
    assert.isUndefined(await ended)
    assert.deepStrictEqual(results, urlsOf(100).map(resultOf))
    assert.deepStrictEqual(sizes().slice(0, 3), [100, 50, 25])
  })

  it("retries 503 after Retry-After, and a broken connection, each request anew", async () => {
    const unavailable = () => new Response("{}", { status: 503, headers: { "retry-after": "7" } })
    const service = serviceWith(1_000)
    const { ended, results, sizes } = start(
      urlsOf(150),
      first([unavailable(), broken, service.respond(JSON.stringify({ urls: urlsOf(100) }))], {
        respond: first([broken, unavailable()], service)
      })
    )
    await pass(6_999)
    assert.deepStrictEqual(sizes(), [100])
    await pass(1)
    assert.deepStrictEqual(sizes(), [100, 100])
    await pass(60_000)
    assert.isUndefined(await ended)
    assert.deepStrictEqual(sizes(), [100, 100, 100, 50, 50, 50])
    assert.deepStrictEqual(results, urlsOf(150).map(resultOf))
  })

  for (const retries of [2, 0])
    it(`waits for a place as long as its timeout, also with retries: ${retries}`, async () => {
      const busy = () => new Response("{}", { status: 503, headers: { "retry-after": "1" } })
      const waiting = Array.from({ length: 60 }, busy)
      const found = start(urlsOf(3), first(waiting, serviceWith(1_000)), { retries })
      await pass(59_999)
      assert.strictEqual(found.sizes().length, 60)
      assert.isFalse(found.hasEnded())
      await pass(1)
      assert.isUndefined(await found.ended)
      assert.deepStrictEqual(found.results, urlsOf(3).map(resultOf))

      const { ended, hasEnded, sizes } = start(urlsOf(3), busy, { retries })
      await pass(118_999)
      assert.isFalse(hasEnded())
      await pass(1)
      assert.include(await ended, { _tag: "ServerError", status: 503, retryAfterMillis: 1_000 })
      assert.strictEqual(sizes().length, 120)
    })

  it("counts the retries of other errors apart from the waits for a place", async () => {
    const busy = () => new Response("{}", { status: 503, headers: { "retry-after": "1" } })
    const { ended, sizes } = start(
      urlsOf(3),
      first([busy(), broken, busy(), busy(), new Response("", { status: 502 }), busy()], {
        respond: () => broken
      })
    )
    await pass(60_000)
    assert.include(await ended, { _tag: "Unreachable" })
    assert.strictEqual(sizes().length, 7)
  })

  for (const [what, answer, fields] of [
    ["a broken connection", () => broken, { _tag: "Unreachable", baseUrl: "http://service.example" }],
    ["429 without headers", () => new Response("", { status: 429 }), { _tag: "RateLimited" }],
    ["408", () => new Response("", { status: 408 }), { _tag: "ServerError", status: 408 }],
    [
      "502 with Retry-After",
      () => new Response("", { status: 502, headers: { "retry-after": "1" } }),
      { _tag: "ServerError", status: 502, retryAfterMillis: 1_000 }
    ],
    ["503 without headers", () => new Response("", { status: 503 }), { _tag: "ServerError", status: 503 }]
  ] as const)
    it(`fails after two retries of ${what}`, async () => {
      const { ended, sizes } = start(urlsOf(3), answer)
      await pass(60_000)
      assert.include(await ended, fields)
      assert.deepStrictEqual(sizes(), [3, 3, 3])
    })

  for (const [what, answer, fields] of [
    ["500", new Response("", { status: 500 }), { _tag: "ServerError", status: 500 }],
    ["404", new Response("", { status: 404 }), { _tag: "UnexpectedAnswer", status: 404 }],
    ["400 though it fits", new Response("", { status: 400 }), { _tag: "UnexpectedAnswer", status: 400 }],
    ["200 without results", Response.json({}), { _tag: "UnexpectedAnswer", status: 200 }],
    [
      "200 with a result too few",
      Response.json({ results: [resultOf("a")] }),
      { _tag: "UnexpectedAnswer", status: 200 }
    ],
    [
      "200 with a wrong result",
      Response.json({ results: [resultOf("a"), null] }),
      { _tag: "UnexpectedAnswer", status: 200 }
    ]
  ] as const)
    it(`fails at once for ${what}`, async () => {
      const { ended, sizes } = start(["a", "b"], () => answer.clone())
      assert.include(await ended, fields)
      assert.deepStrictEqual(sizes(), [2])
    })

  it("has a timeout of two minutes for each request", async () => {
    const { ended, hasEnded, requests } = start(
      urlsOf(150),
      first([serviceWith(1_000).respond(JSON.stringify({ urls: urlsOf(100) }))], {
        respond: () => "silence"
      })
    )
    await pass(119_999)
    assert.isFalse(hasEnded())
    await pass(1)
    assert.include(await ended, { _tag: "TimedOut", timeoutMillis: 120_000 })
    assert.isTrue(requests[1]?.signal.aborted)
  })

  for (const [what, respond] of [
    ["during a request", (): "silence" => "silence"],
    ["while it waits", () => new Response("", { status: 503, headers: { "retry-after": "5" } })]
  ] as const)
    it(`ends when it is aborted ${what}, and leaves no timer`, async () => {
      const { abort, ended, sizes } = start(urlsOf(3), respond)
      await pass(1_000)
      const reason = new Error("enough")
      abort(reason)
      await pass(0)
      assert.strictEqual(await ended, Object(reason))
      assert.strictEqual(vi.getTimerCount(), 0)
      await pass(60_000)
      assert.deepStrictEqual(sizes(), [3])
    })

  it("sends nothing more to a caller who takes no more", async () => {
    const { ended, results, sizes } = start(urlsOf(300), serviceWith(1_000).respond, {}, 100)
    assert.isUndefined(await ended)
    await pass(60_000)
    assert.strictEqual(results.length, 100)
    assert.deepStrictEqual(sizes(), [100])
    assert.strictEqual(vi.getTimerCount(), 0)
  })

  it("sends each URL of at most 64 KiB exactly once in accepted requests, in order, for any limit", async () => {
    await FastCheck.assert(
      FastCheck.asyncProperty(
        FastCheck.array(FastCheck.integer({ min: 1, max: 75_000 }), { maxLength: 150 }),
        FastCheck.integer({ min: 1, max: 160 }),
        FastCheck.nat(160),
        async (lengths, limit, counted) => {
          const urls = lengths.map((length, index) => `${index}`.padEnd(length, "z"))
          const service = serviceWith(limit, 1_000, Math.min(counted, limit))
          const { ended, hasEnded, results } = start(urls, service.respond)
          for (let second = 0; second < 400 && !hasEnded(); second++) await pass(1_000)
          assert.isUndefined(await ended)
          const accepted = service.answers.filter(([status]) => status === 200)
          assert.deepStrictEqual(
            accepted.flatMap(([, urls]) => urls),
            urls.filter(({ length }) => length <= 65_534)
          )
          assert.deepStrictEqual(
            results.map((result) => Object(result).url ?? Object(result)._tag),
            urls.map((url) => (url.length <= 65_534 ? url : "TooLarge"))
          )
          // One request to learn the limit, and one to learn what is left of it.
          assert.isAtMost(service.answers.length - accepted.length, 2)
        }
      ),
      { numRuns: 25 }
    )
  })

  it("scores 10,000 URLs over a socket", async () => {
    vi.useRealTimers()
    const service = BulkServiceDouble.make({ limit: 1_000_000, windowMillis: 900_000 }, Date.now)
    const server = createServer(async (request, response) => {
      const answer = service.respond(await text(request))
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
    })
    await Effect.gen(function* () {
      const port = yield* listeningPort(server)
      const urls = urlsOf(10_000)
      let next = 0
      yield* Effect.promise((signal) =>
        checkMany(
          urls,
          (result) => assert.strictEqual(Object(result).url, urls[next++]),
          { baseUrl: `http://127.0.0.1:${port}` },
          signal,
          Number.MAX_SAFE_INTEGER
        )
      )
      assert.strictEqual(next, 10_000)
      assert.strictEqual(service.answers.length, 21)
    }).pipe(Effect.scoped, Effect.runPromise)
  }, 20_000)
})
