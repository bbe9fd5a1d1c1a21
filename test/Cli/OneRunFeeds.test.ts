import { Path } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Fiber, Layer, Option, TestClock } from "effect"
import { ThreatFeeds } from "../../src/Checkers/ThreatFeeds.ts"
import * as OneRunFeeds from "../../src/Cli/OneRunFeeds.ts"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import * as FeedWorkerInProcess from "../fixtures/FeedWorkerInProcess.ts"
import * as HttpClientDouble from "../fixtures/HttpClientDouble.ts"
import * as MemoryDisk from "../fixtures/MemoryDisk.ts"
import { environment } from "../fixtures/ServiceUnderTest.ts"

const list = () => new Response("http://a.example/\nhttp://b.example/\n")

/** One feed, refreshed hourly; `run` is one run of the command with the files on the disk. */
const setUp = () => {
  let answer: HttpClientDouble.DoubleAnswer = list()
  const double = HttpClientDouble.make(() => (answer instanceof Response ? answer.clone() : answer))
  const disk = MemoryDisk.make()
  const run = Effect.flatMap(
    Layer.build(
      OneRunFeeds.layer(Duration.seconds(30)).pipe(
        Layer.provide([Layer.provide(FeedWorkerInProcess.layer, double.layer), disk.layer, Path.layer]),
        Layer.provide(AppConfig.layer),
        Layer.provide(
          environment({
            DATA_DIR: "data",
            FEED_A_URL: "off",
            FEED_B_URL: "off",
            FEED_C_URL: "off",
            POPULAR_URL: "off",
            FEED_D_URL: "https://feeds.example/list",
            FEED_D_REFRESH: "1 hour"
          })
        )
      )
    ),
    (context) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        Option.getOrThrow(Context.get(context, ThreatFeeds).feed_d)
          .current(now)
          .pipe(
            Option.map(({ isStale }) => (isStale ? "stale" : "fresh")),
            Option.getOrUndefined
          )
      )
  ).pipe(Effect.scoped)
  return {
    run,
    sent: double.sent,
    answerWith: (next: HttpClientDouble.DoubleAnswer) => {
      answer = next
    }
  }
}

describe("the feeds of one run", () => {
  it.effect("fetch a list that is missing or stale, and no other", () =>
    Effect.gen(function* () {
      const { run, sent } = setUp()
      assert.strictEqual(yield* run, "fresh")
      assert.strictEqual(sent.length, 1)
      yield* TestClock.adjust("3 hours")
      assert.strictEqual(yield* run, "fresh")
      assert.strictEqual(sent.length, 1, "due, but not stale")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* run, "fresh")
      assert.strictEqual(sent.length, 2)
    })
  )

  it.effect("use a stale list when the refresh fails", () =>
    Effect.gen(function* () {
      const { run, answerWith } = setUp()
      yield* run
      yield* TestClock.adjust("4 hours")
      answerWith({ code: "ECONNREFUSED" })
      assert.strictEqual(yield* run, "stale")
    })
  )

  it.effect("are waited for until the timeout", () =>
    Effect.gen(function* () {
      const { run, answerWith } = setUp()
      answerWith("silence")
      const fiber = yield* Effect.fork(run)
      yield* TestClock.adjust("29 seconds")
      assert.isNull(fiber.unsafePoll())
      yield* TestClock.adjust("1 second")
      assert.isUndefined(yield* Fiber.join(fiber))
    })
  )
})
