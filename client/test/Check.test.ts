import { getEventListeners } from "node:events"
import { inspect } from "node:util"
import { assert, describe, it, vi } from "@effect/vitest"
import { Arbitrary, FastCheck, Schema } from "effect"
import { afterEach, beforeEach } from "vitest"
import { CheckedUrl } from "../../src/Http/Api/ScanResult.ts"
import { type Options, ThreatScoring, TimedOut } from "../src/promise.ts"
import { readOne, type Scan } from "../src/Scan.ts"

const result = {
  url: "http://example.com/",
  score: 10,
  verdict: "safe",
  reasons: ["URL is not HTTPS"],
  findings: [
    { checker: "heuristics", kind: "notHttps", points: 10, reason: "URL is not HTTPS", details: {} }
  ],
  executionTimeMs: { heuristics: 1, feed_a: 0, reputation_lookup: 20.5, feed_b: 0, feed_c: 0, feed_d: 0 },
  checkers: { heuristics: "ok", feed_a: "timeout" },
  complete: false
} as const

type Answer = Response | Error | "silence"

const ok = (body: unknown = result) => Response.json(body)

const failing = (status: number, retryAfter?: string) =>
  new Response("<html>", {
    status,
    headers: retryAfter === undefined ? {} : { "retry-after": retryAfter }
  })

const broken = new TypeError("fetch failed")

/** A response whose connection breaks before the body ends. */
const cutOff = () =>
  new Response(
    new ReadableStream({
      pull: (controller) => controller.error(broken)
    })
  )

/** How a check ended: what it returned, the error, or the reason of the signal that aborted it. */
type Ending = { readonly scan: Scan } | { readonly error: unknown }

const baseUrl = "http://service.example/"
const SUBMITTED = "http://example.com/"

/** Starts a check whose requests get these answers in order, then the last one again and again. */
const start = (
  answers: ReadonlyArray<Answer>,
  options: Partial<Options> = {},
  controller = new AbortController(),
  url = SUBMITTED
) => {
  const sent: Array<Request> = []
  const bodies: Array<unknown> = []
  vi.stubGlobal("fetch", (address: string, init: RequestInit) => {
    bodies.push(init.body)
    const request = new Request(address, init)
    const answer = answers[Math.min(sent.length, answers.length - 1)] ?? "silence"
    sent.push(request)
    if (answer instanceof Response) return Promise.resolve(answer.clone())
    if (answer instanceof Error) return Promise.reject(answer)
    return new Promise((_, reject) => {
      request.signal.addEventListener("abort", () => reject(request.signal.reason))
    })
  })
  let ending: Ending | undefined
  const ended = Promise.resolve()
    .then(() => new ThreatScoring({ baseUrl, ...options }).check(url, controller))
    .then(
      (scan) => ({ scan }),
      (error: unknown) => ({ error })
    )
    .then((given) => {
      ending = given
      return given
    })
  return {
    sent,
    bodies,
    abort: (reason?: unknown) => controller.abort(reason),
    ended,
    ending: () => ending,
    error: async (): Promise<Record<string, unknown>> => {
      const given = await ended
      return "error" in given ? Object(given.error) : assert.fail("it succeeded")
    },
    scan: async () => {
      const given = await ended
      return "scan" in given ? given.scan : assert.fail(String(given.error))
    }
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

describe("ThreatScoring", () => {
  it("asks for findings, without tracing headers, and returns the result and the statuses", async () => {
    const { scan, sent } = start([
      ok({ ...result, checkers: { heuristics: "ok", feed_a: "timeout", feed_z: "ok", feed_b: "asleep" } })
    ])
    assert.deepStrictEqual(await scan(), result)
    const [request] = sent
    assert.strictEqual(request?.method, "POST")
    assert.strictEqual(request?.url, "http://service.example/api/check?findings=true")
    assert.deepStrictEqual(await request?.json(), { url: SUBMITTED })
    const headers = [...(request?.headers.keys() ?? [])].filter((name) => name !== "content-length")
    assert.deepStrictEqual(headers, ["accept", "content-type"])
  })

  it("sends a body that fetch can send again after a redirect, in Node 20 too", async () => {
    const { bodies, ended } = start([ok()])
    await ended
    assert.deepStrictEqual(bodies, [JSON.stringify({ url: SUBMITTED })])
  })

  for (const [given, address, authorization] of [
    ["https://service.example/below/", "https://service.example/below/api/check?findings=true", null],
    [new URL("http://service.example:8080"), "http://service.example:8080/api/check?findings=true", null],
    [
      "https://user:p%C3%A9@service.example",
      "https://service.example/api/check?findings=true",
      `Basic ${Buffer.from("user:pé").toString("base64")}`
    ]
  ] as const)
    it(`calls ${address} for ${given}`, async () => {
      const { ended, sent } = start([ok()], { baseUrl: given })
      await ended
      assert.strictEqual(sent[0]?.url, address)
      assert.strictEqual(sent[0]?.headers.get("authorization"), authorization)
    })

  for (const [given, shown] of [
    ["", ""],
    ["localhost:4000", "localhost:4000"],
    ["ftp://user:secret@service.example", "...service.example"],
    ["https://user:secret@", "..."],
    ["https://user:%ff@service.example", "...service.example"],
    ["https://service.example/?key=1", "https://service.example/..."],
    ["https://service.example/#a", "https://service.example/..."]
  ] as const)
    it(`rejects the base URL ${JSON.stringify(given)} without a request`, async () => {
      const { error, sent } = start([ok()], { baseUrl: given })
      const { _tag, message } = await error()
      assert.strictEqual(_tag, "InvalidBaseUrl")
      assert.strictEqual(
        message,
        `baseUrl must be an http or https address without query and fragment: "${shown}"`
      )
      assert.strictEqual(sent.length, 0)
    })

  it("returns what the lists of the operator decided, if this version knows it", async () => {
    for (const value of ["allow", "block"]) {
      const { listOverride } = await start([ok({ ...result, override: value })]).scan()
      assert.strictEqual(listOverride, value)
    }
    assert.deepStrictEqual(await start([ok({ ...result, override: "quarantine" })]).scan(), result)
  })

  it("reads findings of a newer service", async () => {
    const newer = {
      checker: "feed_z",
      kind: "unheardOf",
      points: 5,
      source: "list.example",
      reason: "?",
      details: { host: "shop.example", brand: { name: "PayPal", domain: "paypal.com" } }
    }
    const more = { ...newer, details: { ...newer.details, more: 1 }, more: 1 }
    const { findings } = await start([ok({ ...result, findings: [more], more: 1 })]).scan()
    assert.deepStrictEqual(findings, [newer])
  })

  it("returns whether the check was complete, as the service says it", async () => {
    for (const complete of [false, true]) {
      const scan = await start([ok({ ...result, complete })]).scan()
      assert.strictEqual(scan.complete, complete)
    }
  })

  const finals: ReadonlyArray<readonly [what: string, Answer, fields: Readonly<Record<string, unknown>>]> = [
    [
      // As nginx answers plain HTTP on a port with TLS.
      "400",
      failing(400),
      {
        _tag: "UnexpectedAnswer",
        message: "An answer with status 400 that this client cannot read; is the address right?",
        status: 400
      }
    ],
    ["413", failing(413), { _tag: "TooLarge", message: "The URL to check is too long" }],
    [
      "500",
      failing(500),
      {
        _tag: "ServerError",
        message: "The service failed with status 500",
        status: 500,
        retryAfterMillis: 0
      }
    ],
    [
      "404",
      failing(404),
      {
        _tag: "UnexpectedAnswer",
        message: "An answer with status 404 that this client cannot read; is the address right?",
        status: 404
      }
    ],
    ["204", new Response(null, { status: 204 }), { _tag: "UnexpectedAnswer", status: 204 }],
    ["200 without JSON", new Response("<html>"), { _tag: "UnexpectedAnswer", status: 200 }],
    ["200 with a score above 100", ok({ ...result, score: 101 }), { _tag: "UnexpectedAnswer" }],
    ["200 with another verdict", ok({ ...result, verdict: "fine" }), { _tag: "UnexpectedAnswer" }],
    ["200 with a reason that is no text", ok({ ...result, reasons: [1] }), { _tag: "UnexpectedAnswer" }],
    [
      "200 without the time of a checker",
      ok({ ...result, executionTimeMs: {} }),
      { _tag: "UnexpectedAnswer" }
    ],
    ...[{ host: 1 }, { words: ["a", 1] }, { brand: { name: "PayPal" } }, { pages: "3" }, undefined].map(
      (details) =>
        [
          `200 with a finding whose details are ${JSON.stringify(details)}`,
          ok({ ...result, findings: [{ ...result.findings[0], details }] }),
          { _tag: "UnexpectedAnswer" }
        ] as const
    ),
    ...(["findings", "checkers", "complete"] as const).map(
      (field) =>
        [`200 without ${field}`, ok({ ...result, [field]: undefined }), { _tag: "UnexpectedAnswer" }] as const
    ),
    ["200 with null", ok(null), { _tag: "UnexpectedAnswer", status: 200 }],
    ["200 with a wrong finding", ok({ ...result, findings: [{}] }), { _tag: "UnexpectedAnswer" }],
    [
      "429 with a Retry-After above the timeout",
      failing(429, "10"),
      {
        _tag: "RateLimited",
        message: "Too many requests from this address; the service asks to wait 10 s",
        retryAfterMillis: 10_000
      }
    ],
    [
      "503 with a Retry-After above the timeout",
      failing(503, "900"),
      { _tag: "ServerError", status: 503, retryAfterMillis: 900_000 }
    ]
  ]
  for (const [what, answer, fields] of finals)
    it(`fails at once for ${what}`, async () => {
      const { error, sent } = start([answer])
      const failure = await error()
      assert.instanceOf(failure, Error)
      assert.include(failure, fields)
      assert.strictEqual(failure.name, fields._tag)
      assert.strictEqual(sent.length, 1)
    })

  it("rejects an empty URL without a request", async () => {
    const { error, sent } = start([ok()], {}, undefined, "")
    assert.include(await error(), { _tag: "BadRequest", message: "The URL to check is empty" })
    assert.deepStrictEqual(sent, [])
  })

  it("retries after the wait of Retry-After", async () => {
    const { scan, sent } = start([failing(429, "7"), ok()])
    await pass(6_999)
    assert.strictEqual(sent.length, 1)
    await pass(1)
    assert.strictEqual((await scan()).score, 10)
    assert.strictEqual(sent.length, 2)
  })

  for (const [what, answer] of [
    ["a broken connection", broken],
    ["a connection that breaks in the body", cutOff()],
    ["a gateway without a service", failing(502)],
    ["a request that did not arrive in time", failing(408)],
    ["a 429 without Retry-After", failing(429)]
  ] as const)
    it(`retries ${what} twice, with a longer wait each time`, async () => {
      const { ended, sent } = start([answer])
      // 250 and 500 ms, varied by a fifth.
      await pass(199)
      assert.strictEqual(sent.length, 1)
      await pass(102)
      assert.strictEqual(sent.length, 2)
      await pass(600)
      assert.strictEqual(sent.length, 3)
      assert.property(await ended, "error")
      await pass(60_000)
      assert.strictEqual(sent.length, 3)
    })

  it("retries an overloaded service twice, however short its Retry-After is", async () => {
    const { error, sent } = start([failing(503, "1")])
    await pass(9_000)
    assert.include(await error(), { _tag: "ServerError", status: 503, retryAfterMillis: 1_000 })
    assert.strictEqual(sent.length, 3)
  })

  it("names the service that it could not reach, without user name and password", async () => {
    const { error, sent } = start([broken], {
      baseUrl: "http://user:secret@service.example/a/",
      retries: 0
    })
    assert.include(await error(), {
      _tag: "Unreachable",
      baseUrl: "http://service.example/a",
      message: "The service at http://service.example/a was not reached, or the connection broke"
    })
    assert.strictEqual(sent.length, 1, "retries: 0")
  })

  it("has no user name and password in the cause of an error, which may be logged", async () => {
    const { error } = start([broken], { baseUrl: "http://user:secret@service.example", retries: 0 })
    const failure = await error()
    assert.strictEqual(failure.cause, broken)
    assert.notInclude(inspect(failure, { depth: 9 }), "authorization")
    assert.notInclude(JSON.stringify(failure), "authorization")
  })

  it("fails after the timeout, which includes retries, and ends the request", async () => {
    const { ending, error, sent } = start([failing(503, "2"), "silence"], { timeout: 3_000 })
    await pass(2_999)
    assert.isUndefined(ending())
    assert.isFalse(sent[1]?.signal.aborted)
    await pass(1)
    assert.include(await error(), {
      _tag: "TimedOut",
      timeoutMillis: 3_000,
      message: "No answer within 3 s"
    })
    assert.isTrue(sent[1]?.signal.aborted)
  })

  it("closes the connection of an error, whose body it does not read", async () => {
    const { ended, sent } = start([failing(500)])
    await ended
    assert.isTrue(sent[0]?.signal.aborted)
  })

  it("takes undefined for an option as its default, also with exactOptionalPropertyTypes", async () => {
    const { scan } = start([ok()], { timeout: undefined, retries: undefined })
    assert.strictEqual((await scan()).score, 10)
  })

  it("has no timeout if it is infinite", async () => {
    const { ending, abort, ended } = start(["silence"], { timeout: Number.POSITIVE_INFINITY })
    await pass(3_600_000)
    assert.isUndefined(ending())
    abort()
    await ended
  })

  it("fails at once if the wait before a retry is longer than the timeout", async () => {
    const { error, sent } = start([broken], { timeout: 150 })
    await pass(0)
    assert.strictEqual((await error())._tag, "Unreachable")
    assert.strictEqual(sent.length, 1)
  })

  for (const [what, answer, requests] of [
    ["during a request", "silence", 1],
    ["between two requests", failing(503, "5"), 1]
  ] as const)
    it(`ends when it is aborted ${what}, and sends no more`, async () => {
      const { abort, error, sent } = start([answer])
      await pass(1_000)
      const reason = new Error("enough")
      abort(reason)
      await pass(0)
      assert.strictEqual(await error(), Object(reason))
      assert.strictEqual(vi.getTimerCount(), 0, "no timer keeps the process alive")
      await pass(60_000)
      assert.strictEqual(sent.length, requests)
    })

  it("leaves no listener on the signal", async () => {
    const controller = new AbortController()
    await start([ok()], {}, controller).ended
    assert.strictEqual(getEventListeners(controller.signal, "abort").length, 0)
  })

  it("sends nothing with a signal that is aborted already", async () => {
    const controller = new AbortController()
    controller.abort(new Error("before"))
    const { ended, sent } = start([ok()], {}, controller)
    assert.deepStrictEqual(await ended, { error: new Error("before") })
    assert.strictEqual(sent.length, 0)
  })

  it("has the tag of an error at the start of its stack", () => {
    assert.match(new TimedOut({ timeoutMillis: 1 }).stack ?? "", /^TimedOut: No answer within 0.001 s\n/)
  })
})

describe("Scan", () => {
  it("is what the contract says, for any result with findings", () => {
    const encode = Schema.encodeSync(Schema.parseJson(CheckedUrl))
    FastCheck.assert(
      FastCheck.property(Arbitrary.make(CheckedUrl), (checked) => {
        const body = encode(checked)
        const { override, ...fields } = JSON.parse(body)
        assert.deepStrictEqual(readOne(body), {
          ...fields,
          ...(override === undefined ? {} : { listOverride: override })
        })
      }),
      { numRuns: 50 }
    )
  })
})
