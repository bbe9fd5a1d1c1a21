import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Fiber, Layer, LogLevel, Option } from "effect"
import * as OneRunFeeds from "../../src/Cli/OneRunFeeds.ts"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { PopularSites } from "../../src/Lists/PopularSites.ts"
import { ThreatFeeds } from "../../src/Lists/ThreatFeed.ts"
import * as HttpClientDouble from "../fixtures/HttpClientDouble.ts"
import * as ListWorkerInProcess from "../fixtures/ListWorkerInProcess.ts"
import { collect } from "../fixtures/LogLines.ts"
import * as MemoryDisk from "../fixtures/MemoryDisk.ts"
import { adjust } from "../fixtures/NextTurn.ts"
import { majestic } from "../fixtures/Rankings.ts"
import { environment } from "../fixtures/ServiceUnderTest.ts"

const list = () => new Response("http://a.example/\nhttp://b.example/\n")

/** One feed, refreshed hourly; `run` is one run of the command with the files on the disk. */
const setUp = ({
  feed = "https://feeds.example/list",
  ...ranking
}: {
  readonly feed?: string
  readonly url?: string
  readonly answer?: HttpClientDouble.DoubleAnswer
} = {}) => {
  let answer: HttpClientDouble.DoubleAnswer = list()
  const double = HttpClientDouble.make(({ url }) => {
    const given = url === ranking.url ? (ranking.answer ?? "silence") : answer
    return given instanceof Response ? given.clone() : given
  })
  const disk = MemoryDisk.make()
  const run = Effect.flatMap(
    Layer.build(
      PopularSites.layer.pipe(
        Layer.provideMerge(OneRunFeeds.layer(Duration.seconds(30))),
        Layer.provide([Layer.provide(ListWorkerInProcess.layer, double.layer), disk.layer]),
        Layer.provide(AppConfig.layer),
        Layer.provide(
          environment({
            DATA_DIR: "data",
            FEED_A_URL: "off",
            FEED_B_URL: "off",
            FEED_C_URL: "off",
            POPULAR_URL: ranking.url ?? "off",
            FEED_D_URL: feed,
            FEED_D_REFRESH: "1 hour"
          })
        )
      )
    ),
    (context) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const current = Option.getOrUndefined(
          Option.getOrThrow(Context.get(context, ThreatFeeds).feed_d).current(now)
        )
        return {
          feed: current && (current.isStale ? "stale" : "fresh"),
          entries: current?.list.header.entries,
          protects: Context.get(context, PopularSites).isSite("daily.example")
        }
      })
  ).pipe(Effect.scoped)
  return {
    run: Effect.map(run, ({ feed }) => feed),
    entries: Effect.map(run, ({ entries }) => entries),
    protects: Effect.map(run, ({ protects }) => protects),
    saves: () => disk.done.filter((step) => step.startsWith("rename")).length,
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
      yield* adjust("3 hours")
      assert.strictEqual(yield* run, "fresh")
      assert.strictEqual(sent.length, 1, "due, but not stale")
      yield* adjust("1 second")
      assert.strictEqual(yield* run, "fresh")
      assert.strictEqual(sent.length, 2)
    })
  )

  it.effect("read a file again that has changed since the last run", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "one-run-"))
      const file = join(folder, "list.txt")
      const { entries, saves } = setUp({ feed: pathToFileURL(file).href })
      writeFileSync(file, "http://a.example/\n")
      assert.strictEqual(yield* entries, 1)
      assert.strictEqual(yield* entries, 1)
      assert.strictEqual(saves(), 1)
      writeFileSync(file, "http://a.example/\nhttp://b.example/\n")
      assert.strictEqual(yield* entries, 2)
      rmSync(folder, { recursive: true })
    })
  )

  it.effect("use a stale list when the refresh fails", () =>
    Effect.gen(function* () {
      const { run, answerWith } = setUp()
      yield* run
      yield* adjust("4 hours")
      answerWith({ code: "ECONNREFUSED" })
      assert.strictEqual(yield* run, "stale")
    })
  )

  it.effect("come with the ranking of popular sites, which is fetched once in three weeks", () =>
    Effect.gen(function* () {
      const url = "https://ranking.example/list"
      const answer = new Response(majestic(["daily.example"]))
      const { protects, sent } = setUp({ url, answer })
      const fetched = () => sent.filter((request) => request.url === url).length
      assert.isTrue(yield* protects)
      yield* adjust("21 days")
      assert.isTrue(yield* protects)
      assert.strictEqual(fetched(), 1)
      yield* adjust("1 second")
      assert.isTrue(yield* protects)
      assert.strictEqual(fetched(), 2)
    })
  )

  it.effect("do not wait for a ranking that is late", () =>
    Effect.gen(function* () {
      const { run, sent } = setUp({ url: "https://ranking.example/list", answer: "silence" })
      const fiber = yield* Effect.fork(run)
      yield* adjust("1 second")
      assert.deepStrictEqual(sent.map(({ url }) => url).toSorted(), [
        "https://feeds.example/list",
        "https://ranking.example/list"
      ])
      yield* adjust("29 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "fresh")
    })
  )

  it.effect("are waited for no longer when the ranking is late too", () =>
    Effect.gen(function* () {
      const { run, answerWith } = setUp({ url: "https://ranking.example/list", answer: "silence" })
      answerWith("silence")
      const fiber = yield* Effect.fork(run)
      yield* adjust("29 seconds")
      assert.isNull(fiber.unsafePoll())
      yield* adjust("1 second")
      assert.isUndefined(yield* Fiber.join(fiber))
    })
  )

  it.effect("are waited for until the timeout", () =>
    Effect.gen(function* () {
      const { run, answerWith } = setUp()
      answerWith("silence")
      const fiber = yield* Effect.fork(run)
      yield* adjust("29 seconds")
      assert.isNull(fiber.unsafePoll())
      yield* adjust("1 second")
      assert.isUndefined(yield* Fiber.join(fiber))
    })
  )
})

/** What a run with these feeds logs from warnings on. `seconds`: how long they are waited for, if that time passes. */
const warningsOf = (
  env: Readonly<Record<string, string>>,
  answerTo: (url: string) => HttpClientDouble.DoubleAnswer,
  seconds?: number
) =>
  Effect.gen(function* () {
    const { lines, layer } = collect(LogLevel.Warning)
    const double = HttpClientDouble.make(({ url }) => answerTo(url))
    const build = Layer.build(
      OneRunFeeds.layer(Duration.seconds(seconds ?? 30)).pipe(
        Layer.provide([Layer.provide(ListWorkerInProcess.layer, double.layer), MemoryDisk.make().layer]),
        Layer.provide(AppConfig.layer),
        Layer.provide(environment({ FEED_C_URL: "off", DATA_DIR: "data", ...env })),
        Layer.provide(layer)
      )
    )
    const fiber = yield* Effect.fork(Effect.scoped(build))
    if (seconds !== undefined) yield* adjust(Duration.seconds(seconds))
    yield* Fiber.join(fiber)
    return lines.map(({ message }) => message)
  })

const refused = { code: "ECONNREFUSED" }

describe("the warnings of one run", () => {
  it.effect("are one line for all lists that cannot be reached", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* warningsOf({}, () => refused), [
        "4 lists cannot be reached (no network?): feed_a, feed_b, feed_d, popular"
      ])
    })
  )

  it.effect("say why if it is one list, or another cause", () =>
    Effect.gen(function* () {
      const env = {
        FEED_A_URL: "https://a.example/x",
        FEED_B_URL: "https://b.example/x",
        FEED_D_URL: "off",
        POPULAR_URL: "off"
      }
      const answer = (url: string) =>
        url.includes("a.example") ? refused : new Response("", { status: 404 })
      assert.deepStrictEqual(yield* warningsOf(env, answer), [
        "feed_b: b.example responded with status 404. Is FEED_B_URL right?",
        "feed_a: a.example cannot be reached (ECONNREFUSED)"
      ])
    })
  )

  it.effect("name the variable of a proxy that cannot be reached", () =>
    Effect.gen(function* () {
      const env = {
        FEED_A_URL: "https://a.example/x",
        FEED_B_URL: "http://b.example/x",
        FEED_D_URL: "off",
        POPULAR_URL: "off"
      }
      assert.sameMembers(yield* warningsOf(env, () => ({ code: "PROXY_ECONNREFUSED" })), [
        "feed_a: a.example cannot be reached (PROXY_ECONNREFUSED). Is HTTPS_PROXY right?",
        "feed_b: b.example cannot be reached (PROXY_ECONNREFUSED). Is HTTP_PROXY right?"
      ])
    })
  )

  it.effect("name the lists that are late, and nothing later", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* warningsOf({}, () => "silence", 5), [
        "feed_a, feed_b, feed_d, popular did not arrive within 5s"
      ])
    })
  )

  it.effect("do not name lists that are not waited for", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* warningsOf({}, () => "silence", 0), [])
      assert.deepStrictEqual(yield* warningsOf({}, () => refused, 0), [])
    })
  )
})
