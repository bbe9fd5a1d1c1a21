import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Either, Fiber, Layer, Stream } from "effect"
import { resultOf } from "../../test/fixtures/BulkServiceDouble.ts"
import * as HttpClientDouble from "../../test/fixtures/HttpClientDouble.ts"
import { adjust } from "../../test/fixtures/NextTurn.ts"
import { type Options, ThreatScoring, TooLarge } from "../src/effect.ts"

// What only the Effect client has. Check.test.ts has the rest.

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
  it.effect("waits by the Clock, and returns the wait of Retry-After as a Duration", () =>
    Effect.gen(function* () {
      const { check, sent } = clientWith([
        failing(429, { "retry-after": "7" }),
        failing(429, { "retry-after": "42" })
      ])
      const fiber = yield* Effect.fork(Effect.flip(check))
      yield* adjust("6999 millis")
      assert.strictEqual(sent.length, 1)
      yield* adjust("1 millis")
      const error = yield* Fiber.join(fiber)
      if (error._tag !== "RateLimited") return assert.fail(error._tag)
      assert.strictEqual(Duration.toSeconds(error.retryAfter), 42)
      assert.strictEqual(sent.length, 2)
    })
  )

  it.effect("takes the timeout as a duration", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(Effect.flip(clientWith(["silence"], { timeout: "3 seconds" }).check))
      yield* adjust("2999 millis")
      assert.isNull(fiber.unsafePoll())
      yield* adjust("1 millis")
      const error = yield* Fiber.join(fiber)
      if (error._tag !== "TimedOut") return assert.fail(error._tag)
      assert.strictEqual(Duration.toSeconds(error.timeout), 3)
    })
  )

  it.effect("sends no tracing headers inside a span", () =>
    Effect.gen(function* () {
      const { check, sent } = clientWith([Response.json(result)])
      yield* Effect.withSpan(check, "request")
      assert.deepStrictEqual(
        Object.keys(sent[0]?.headers ?? {}).filter((name) => /^(?:trace|b3)/.test(name)),
        []
      )
    })
  )

  it.effect("waits for the rate limit of checkMany by the Clock, and returns a long URL as a Left", () =>
    Effect.gen(function* () {
      const answers = [
        failing(429, { "ratelimit-policy": '"default";q=1;w=60', ratelimit: '"default";r=0;t=42' }),
        Response.json({ results: [resultOf("http://example.com/")] }),
        failing(413)
      ]
      const { layer, sent } = HttpClientDouble.make(() => answers.shift() ?? "silence")
      const { checkMany } = yield* Effect.provide(
        ThreatScoring.make({ baseUrl: "http://service.example/" }),
        layer
      )
      const urls = ["http://example.com/", "http://example.com/long"]
      const fiber = yield* Effect.fork(Stream.runCollect(checkMany(urls)))
      yield* adjust("41999 millis")
      assert.strictEqual(sent.length, 1)
      yield* adjust("1 millis")
      assert.deepStrictEqual(Array.from(yield* Fiber.join(fiber)), [
        Either.right(resultOf("http://example.com/")),
        Either.left(new TooLarge({}))
      ])
      assert.strictEqual(sent.length, 3)
    })
  )

  it.effect("waits for a place for checkMany by the Clock, and does not send a URL that is too long", () =>
    Effect.gen(function* () {
      let requests = 0
      const { layer, sent } = HttpClientDouble.make(() =>
        ++requests <= 10
          ? failing(503, { "retry-after": "1" })
          : Response.json({ results: [resultOf("http://example.com/")] })
      )
      const { checkMany } = yield* Effect.provide(
        ThreatScoring.make({ baseUrl: "http://service.example/" }),
        layer
      )
      const urls = ["x".repeat(70_000), "http://example.com/"]
      const fiber = yield* Effect.fork(Stream.runCollect(checkMany(urls)))
      yield* adjust("9999 millis")
      assert.strictEqual(sent.length, 10)
      yield* adjust("1 millis")
      assert.deepStrictEqual(Array.from(yield* Fiber.join(fiber)), [
        Either.left(new TooLarge({})),
        Either.right(resultOf("http://example.com/"))
      ])
      assert.strictEqual(sent.length, 11)
    })
  )

  it.effect("retries 408 by the Clock", () =>
    Effect.gen(function* () {
      const { check, sent } = clientWith([failing(408), Response.json(result)])
      const fiber = yield* Effect.fork(check)
      yield* adjust("199 millis")
      assert.strictEqual(sent.length, 1)
      yield* adjust("101 millis")
      assert.strictEqual((yield* Fiber.join(fiber)).score, 10)
      assert.strictEqual(sent.length, 2)
    })
  )

  it.effect("is provided by its layer, which fails for a base URL that is none", () =>
    Effect.gen(function* () {
      const { verdict } = yield* Effect.flatMap(ThreatScoring, ({ check }) => check("x")).pipe(
        Effect.provide(ThreatScoring.layer({ baseUrl: "http://service.example" }))
      )
      assert.strictEqual(verdict, "safe")
      const error = yield* Effect.flip(Layer.build(ThreatScoring.layer({ baseUrl: "service.example" })))
      assert.strictEqual(error._tag, "InvalidBaseUrl")
    }).pipe(Effect.scoped, Effect.provide(HttpClientDouble.make(() => Response.json(result)).layer))
  )
})
