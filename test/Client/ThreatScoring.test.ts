import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Option, TestClock } from "effect"
import { checkerStatuses } from "../../src/Client/Scan.ts"
import type { ScoringError } from "../../src/Client/ScoringError.ts"
import { type Options, ThreatScoring } from "../../src/Client/ThreatScoring.ts"
import * as HttpClientDouble from "../fixtures/HttpClientDouble.ts"

const result = {
  url: "http://example.com/",
  score: 10,
  verdict: "safe" as const,
  reasons: ["URL is not HTTPS"],
  executionTimeMs: {
    heuristics: 1,
    feed_a: 0,
    reputation_lookup: 20.5,
    feed_b: 0,
    feed_c: 0,
    feed_d: 0
  }
}

const okResponse = () =>
  Response.json(result, { headers: { "checker-status": "heuristics=ok, feed_a=timeout, feed_z=ok" } })

const failing = (status: number, headers: Record<string, string> = {}) =>
  new Response("<html>", { status, headers })

/** A client that gets these responses in order, then the last one again and again. */
const clientWith = (
  answers: ReadonlyArray<HttpClientDouble.DoubleAnswer>,
  options: Partial<Options> = {}
) => {
  let next = 0
  const double = HttpClientDouble.make(() => {
    const answer = answers[Math.min(next++, answers.length - 1)] ?? "silence"
    return answer instanceof Response ? answer.clone() : answer
  })
  const check = Effect.flatMap(
    ThreatScoring.make({ baseUrl: "http://service.example/", ...options }),
    ({ check }) => check("http://example.com/")
  ).pipe(Effect.provide(double.layer))
  return { check, sent: double.sent }
}

describe("ThreatScoring", () => {
  it.effect("returns the result and the status of each checker", () =>
    Effect.gen(function* () {
      const { check, sent } = clientWith([okResponse()], {
        baseUrl: new URL("http://service.example/below/")
      })
      assert.deepStrictEqual(yield* check, {
        ...result,
        checkers: { heuristics: "ok", feed_a: "timeout" }
      })
      assert.deepStrictEqual(
        sent.map(({ url }) => url),
        ["http://service.example/below/api/check"]
      )
    })
  )

  it.effect("returns what the lists of the operator decided, if this version knows it", () =>
    Effect.gen(function* () {
      const overrideIn = (header: string) =>
        Effect.map(
          clientWith([Response.json(result, { headers: { "list-override": header } })]).check,
          ({ listOverride }) => listOverride
        )
      assert.strictEqual(yield* overrideIn("allow"), "allow")
      assert.strictEqual(yield* overrideIn("block"), "block")
      assert.isUndefined(yield* overrideIn("quarantine"))
      assert.notProperty(yield* clientWith([okResponse()]).check, "listOverride")
    })
  )

  const finals: ReadonlyArray<readonly [what: string, Response, ScoringError["_tag"]]> = [
    ["400", failing(400), "BadRequest"],
    ["413", failing(413), "TooLarge"],
    ["500", failing(500), "ServerError"],
    ["404", failing(404), "UnexpectedAnswer"],
    ["204", new Response(null, { status: 204 }), "UnexpectedAnswer"],
    ["200 without JSON", new Response("<html>"), "UnexpectedAnswer"],
    ["200 with other JSON", Response.json({ ...result, score: 101 }), "UnexpectedAnswer"],
    ["429 with a Retry-After above the timeout", failing(429, { "retry-after": "10" }), "RateLimited"],
    ["503 with a Retry-After above the timeout", failing(503, { "retry-after": "900" }), "ServerError"]
  ]
  for (const [what, answer, tag] of finals)
    it.effect(`fails at once with ${tag} for ${what}`, () =>
      Effect.gen(function* () {
        const { check, sent } = clientWith([answer])
        const error = yield* Effect.flip(check)
        assert.strictEqual(error._tag, tag)
        assert.instanceOf(error, Error)
        assert.isNotEmpty(error.message)
        assert.strictEqual(sent.length, 1)
      })
    )

  it.effect("returns the wait of Retry-After with the error", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(clientWith([failing(429, { "retry-after": "42" })]).check)
      if (error._tag !== "RateLimited") return assert.fail(error._tag)
      assert.strictEqual(Duration.toSeconds(error.retryAfter), 42)
      assert.strictEqual(error.retryAfterMillis, 42_000)
    })
  )

  it.effect("retries after the wait of Retry-After", () =>
    Effect.gen(function* () {
      const { check, sent } = clientWith([failing(429, { "retry-after": "7" }), okResponse()])
      const fiber = yield* Effect.fork(check)
      yield* TestClock.adjust("6999 millis")
      assert.strictEqual(sent.length, 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(fiber)).score, 10)
      assert.strictEqual(sent.length, 2)
    })
  )

  for (const [what, answer] of [
    ["a broken connection", { code: "ECONNRESET" }],
    ["a gateway without a service", failing(502)],
    ["a 429 without Retry-After", failing(429)]
  ] as const)
    it.effect(`retries ${what} twice, with a longer wait each time`, () =>
      Effect.gen(function* () {
        const { check, sent } = clientWith([answer])
        const fiber = yield* Effect.fork(Effect.flip(check))
        // 250 and 500 ms, jittered by a fifth.
        yield* TestClock.adjust("199 millis")
        assert.strictEqual(sent.length, 1)
        yield* TestClock.adjust("101 millis")
        assert.strictEqual(sent.length, 2)
        yield* TestClock.adjust("600 millis")
        assert.strictEqual(sent.length, 3)
        yield* Fiber.join(fiber)
      })
    )

  it.effect("does not retry with retries: 0", () =>
    Effect.gen(function* () {
      const { check, sent } = clientWith([{ code: "ECONNREFUSED" }], { retries: 0 })
      assert.strictEqual((yield* Effect.flip(check))._tag, "Unreachable")
      assert.strictEqual(sent.length, 1)
    })
  )

  it.effect("fails after the timeout, which includes retries", () =>
    Effect.gen(function* () {
      const { check } = clientWith([failing(503, { "retry-after": "2" }), "silence"], {
        timeout: "3 seconds"
      })
      const fiber = yield* Effect.fork(Effect.flip(check))
      yield* TestClock.adjust("2999 millis")
      assert.isNull(fiber.unsafePoll())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "TimedOut")
    })
  )

  it.effect("fails at once if the wait before a retry is longer than the timeout", () =>
    Effect.gen(function* () {
      const { check, sent } = clientWith([{ code: "ECONNREFUSED" }], { timeout: "150 millis" })
      const fiber = yield* Effect.fork(Effect.flip(check))
      yield* TestClock.adjust("0 millis")
      assert.strictEqual(Option.getOrUndefined(yield* Fiber.poll(fiber))?._tag, "Success")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Unreachable")
      assert.strictEqual(sent.length, 1)
    })
  )

  it.effect("is provided by its layer", () =>
    Effect.gen(function* () {
      const scan = yield* Effect.flatMap(ThreatScoring, ({ check }) => check("x"))
      assert.strictEqual(scan.verdict, "safe")
    }).pipe(
      Effect.provide(ThreatScoring.layer({ baseUrl: "http://service.example" })),
      Effect.provide(HttpClientDouble.make(okResponse).layer)
    )
  )
})

describe("checkerStatuses", () => {
  for (const [header, statuses] of [
    [undefined, {}],
    ["", {}],
    ["heuristics=ok,feed_d=stale", { heuristics: "ok", feed_d: "stale" }],
    ["feed_a=, feed_b, =ok, feed_c=ok=ok", { feed_c: "ok" }]
  ] as const)
    it(`reads ${JSON.stringify(header)}`, () => {
      assert.deepStrictEqual(checkerStatuses(header), statuses)
    })
})
