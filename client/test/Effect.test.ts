import { assert, describe, it, vi } from "@effect/vitest"
import { Cause, type Context, Effect, Either, Exit, Stream } from "effect"
import { afterEach, beforeEach } from "vitest"
import { resultOf } from "../../test/fixtures/BulkServiceDouble.ts"
import * as Effects from "../src/effect.ts"
import * as Promises from "../src/promise.ts"

// What the Effect client adds to the promise client. Check.test.ts and CheckMany.test.ts have the rest. The time is vitest's.

const { ThreatScoring, TooLarge } = Effects

const failing = (status: number, headers: Record<string, string> = {}) =>
  new Response("<html>", { status, headers })

const found = (...urls: ReadonlyArray<string>) => Response.json({ results: urls.map(resultOf) })

const broken = new TypeError("fetch failed")

type Answer = Response | Error | "silence"

/** Each request gets the next of these answers, after the last one "silence". Returns the requests. */
const answer = (...answers: ReadonlyArray<Answer>): ReadonlyArray<Request> => {
  const sent: Array<Request> = []
  vi.stubGlobal("fetch", (address: string, init: RequestInit) => {
    const request = new Request(address, init)
    const answer = answers[sent.push(request) - 1] ?? "silence"
    if (answer instanceof Response) return Promise.resolve(answer.clone())
    if (answer instanceof Error) return Promise.reject(answer)
    return new Promise((_, reject) => {
      request.signal.addEventListener("abort", () => reject(request.signal.reason))
    })
  })
  return sent
}

const baseUrl = "http://service.example/"

type Service = Context.Tag.Service<typeof ThreatScoring>

/** Runs an effect with the service that `ThreatScoring.layer` provides. */
const run = <A, E>(
  use: (scoring: Service) => Effect.Effect<A, E>,
  options: Partial<Effects.Options> = {},
  signal?: AbortSignal
) =>
  Effect.runPromiseExit(
    Effect.flatMap(ThreatScoring, use).pipe(Effect.provide(ThreatScoring.layer({ baseUrl, ...options }))),
    signal && { signal }
  )

const check = ({ check }: Service) => check("http://example.com/")

const checkMany =
  (...urls: ReadonlyArray<string>) =>
  ({ checkMany }: Service) =>
    Stream.runCollect(checkMany(urls))

/** The error that an effect fails with. */
const errorOf = async <E>(exit: Promise<Exit.Exit<unknown, E>>): Promise<E> => {
  const ended = await exit
  if (Exit.isFailure(ended) && ended.cause._tag === "Fail") return ended.cause.error
  return assert.fail(String(ended))
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
  it("succeeds with the result, and sends no tracing headers inside a span", async () => {
    const sent = answer(Response.json(resultOf("http://example.com/")))
    const exit = await run((scoring) => Effect.withSpan(check(scoring), "request"))
    assert.include(Exit.isSuccess(exit) && exit.value, { url: "http://example.com/", score: 10 })
    assert.deepStrictEqual([...(sent[0]?.headers.keys() ?? [])], ["accept", "content-type"])
  })

  for (const [what, given, Class] of [
    ["413", failing(413), TooLarge],
    ["429", failing(429, { "retry-after": "42" }), Effects.RateLimited],
    ["503", failing(503, { "retry-after": "42" }), Effects.ServerError],
    ["a broken connection", broken, Effects.Unreachable],
    ["silence", "silence", Effects.TimedOut],
    ["404", failing(404), Effects.UnexpectedAnswer]
  ] as const)
    it(`fails with a ${Class.prototype.name} for ${what}, as the promise client rejects`, async () => {
      answer(given, given)
      const options = { baseUrl, retries: 0, timeout: 3_000 }
      const failed = errorOf(run(check, options))
      const rejected: Promise<object> = new Promises.ThreatScoring(options).check("http://example.com/").then(
        () => assert.fail("it succeeded"),
        (error) => error
      )
      await pass(3_000)
      const error = await failed
      assert.isTrue(error instanceof Class)
      assert.deepStrictEqual<object>(error, await rejected)
    })

  it("takes the timeout as a duration, and undefined for an option as its default", async () => {
    answer("silence", "silence")
    let hasEnded = false
    const short = errorOf(run(check, { timeout: "3 seconds", retries: undefined })).finally(() => {
      hasEnded = true
    })
    await pass(2_999)
    assert.isFalse(hasEnded)
    await pass(1)
    assert.strictEqual((await short)._tag, "TimedOut")
    const usual = errorOf(run(check, { timeout: undefined }))
    await pass(10_000)
    assert.deepInclude(await usual, { _tag: "TimedOut", timeoutMillis: 10_000 })
  })

  for (const [what, exit] of [
    [
      "a timeout that is not a duration",
      () => run<unknown, Effects.ScoringError>(check, { timeout: "soon" as never })
    ],
    ["a URL that is not a text", () => run<unknown, Effects.ScoringError>(({ check }) => check(1n as never))],
    ["one of many that is not a text", () => run<unknown, Effects.ScoringError>(checkMany("a", 1n as never))]
  ] as const)
    it(`has a defect, not a typed error, for ${what}`, async () => {
      const ended = await exit()
      assert.isTrue(Exit.isFailure(ended) && Cause.isDieType(ended.cause))
    })

  for (const [what, given] of [
    ["during a request", "silence"],
    ["while it waits", failing(503, { "retry-after": "5" })]
  ] as const)
    for (const [method, use] of [
      ["check", check],
      ["checkMany", checkMany("a", "b")]
    ] as const)
      it(`ends ${method} when it is interrupted ${what}, and leaves no request and no timer`, async () => {
        const sent = answer(given)
        const controller = new AbortController()
        const exit = run<unknown, Effects.ScoringError>(use, {}, controller.signal)
        await pass(1_000)
        controller.abort()
        await pass(0)
        const ended = await exit
        assert.isTrue(Exit.isFailure(ended) && Cause.isInterruptedOnly(ended.cause))
        assert.isTrue(sent[0]?.signal.aborted)
        assert.strictEqual(vi.getTimerCount(), 0)
        await pass(60_000)
        assert.strictEqual(sent.length, 1)
      })

  it("emits the results in order, a long URL as a Left, each time that the stream runs", async () => {
    const sent = answer(found("a", "b"), found("a", "b"))
    const twice = await run((scoring) => {
      const stream = scoring.checkMany(["a", "x".repeat(70_000), "b"])
      return Effect.all([Stream.runCollect(stream), Stream.runCollect(stream)])
    })
    const once = [Either.right(resultOf("a")), Either.left(new TooLarge({})), Either.right(resultOf("b"))]
    assert.isTrue(Exit.isSuccess(twice))
    assert.deepStrictEqual(Exit.isSuccess(twice) && twice.value.map((run) => Array.from(run)), [once, once])
    assert.strictEqual(sent.length, 2)
  })

  it("fails with the error that ends checkMany, after the results so far", async () => {
    const urls = Array.from({ length: 101 }, (_, index) => `${index}`)
    answer(found(...urls.slice(0, 100)), failing(500))
    const results: Array<unknown> = []
    const error = await errorOf(
      run(({ checkMany }) =>
        Stream.runForEach(checkMany(urls), (result) => Effect.sync(() => results.push(result)))
      )
    )
    assert.instanceOf(error, Effects.ServerError)
    assert.strictEqual(results.length, 100)
    assert.instanceOf(await errorOf(run(checkMany("a", ""))), Effects.BadRequest)
  })

  it("sends the next request of checkMany when its results are pulled", async () => {
    const urls = Array.from({ length: 101 }, (_, index) => `${index}`)
    const sent = answer(found(...urls.slice(0, 100)))
    await run(({ checkMany }) => Stream.runDrain(Stream.take(checkMany(urls), 100)))
    await pass(60_000)
    assert.strictEqual(sent.length, 1)
    assert.strictEqual(vi.getTimerCount(), 0)
  })

  it("has a layer that fails for a base URL that is none, without a request", async () => {
    const sent = answer()
    const error = await errorOf(run(check, { baseUrl: "service.example" }))
    assert.instanceOf(error, Effects.InvalidBaseUrl)
    assert.strictEqual(
      error.message,
      'baseUrl must be an http or https address without query and fragment: "service.example"'
    )
    assert.strictEqual(sent.length, 0)
  })
})
