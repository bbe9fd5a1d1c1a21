import { Path } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Context, Duration, Effect, Exit, Layer, Option, Scope, TestClock } from "effect"
import * as FeedChecker from "../../src/Checkers/FeedChecker.ts"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { PopularSites } from "../../src/Lists/PopularSites.ts"
import { SharedStore, type SharedStoreShape } from "../../src/Lists/SharedStore.ts"
import { ThreatFeeds } from "../../src/Lists/ThreatFeeds.ts"
import * as Submission from "../../src/Url/Submission.ts"
import { judged } from "../fixtures/Findings.ts"
import * as HttpClientDouble from "../fixtures/HttpClientDouble.ts"
import * as ListWorkerInProcess from "../fixtures/ListWorkerInProcess.ts"
import * as MemoryDisk from "../fixtures/MemoryDisk.ts"
import { eventually, eventuallyLater } from "../fixtures/NextTurn.ts"
import { majestic } from "../fixtures/Rankings.ts"
import { environment } from "../fixtures/ServiceUnderTest.ts"
import * as SharedStoreDouble from "../fixtures/SharedStoreDouble.ts"

const start = Date.UTC(2026, 10, 21, 9)

const RANKING = "https://ranking.example/list.csv"
const rows = ["daily.example", "https://daily.example/bad/page.html", "https://evil.daily.example/"]

const addresses = {
  DATA_DIR: "data",
  FEED_A_URL: "https://one.example/list",
  FEED_A_FORMAT: "lines",
  FEED_B_URL: "https://two.example/list",
  FEED_B_FORMAT: "lines",
  FEED_C_URL: "https://two.example/other",
  FEED_C_FORMAT: "lines",
  FEED_D_URL: "off",
  POPULAR_URL: RANKING
}

/** What the publishers answer, by address. An unknown address has no entries. */
const publishers = (first: Readonly<Record<string, () => HttpClientDouble.DoubleAnswer>>) => {
  const answers = new Map(Object.entries(first))
  const double = HttpClientDouble.make(
    ({ url, headers }) =>
      answers.get(url)?.() ??
      (headers["if-none-match"] === '"1"'
        ? new Response(null, { status: 304 })
        : new Response(`${rows.join("\n")}\n`, { headers: { etag: '"1"' } }))
  )
  return {
    ...double,
    answer: (url: string, answer: () => HttpClientDouble.DoubleAnswer) => answers.set(url, answer),
    sentTo: (url: string) => double.sent.filter((request) => request.url === url)
  }
}

const ranking = () => new Response(majestic(["daily.example", "other.example"]), { headers: { etag: '"1"' } })
const down = () => ({ code: "ECONNREFUSED" })

/** A replica, as the service starts it. */
const replica = (
  internet: ReturnType<typeof publishers>,
  disk = MemoryDisk.make(),
  env: Readonly<Record<string, string>> = {},
  store: Option.Option<SharedStoreShape> = Option.none()
) =>
  Effect.gen(function* () {
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const context = yield* Layer.build(
      PopularSites.layer.pipe(
        Layer.provideMerge(ThreatFeeds.layer),
        Layer.provide([Layer.provide(ListWorkerInProcess.layer, internet.layer), disk.layer, Path.layer]),
        Layer.provide(Layer.succeed(SharedStore, store)),
        Layer.provide(AppConfig.layer),
        Layer.provide(environment({ ...addresses, ...env }))
      )
    ).pipe(Scope.extend(scope))
    const feeds = Context.get(context, ThreatFeeds)
    const popular = Effect.suspend(() => Option.getOrThrow(feeds.popular).status)
    return {
      stop: Scope.close(scope, Exit.void),
      judge: (url: string, slots: ReadonlyArray<"feed_a" | "feed_b" | "feed_c"> = ["feed_a"], at = start) =>
        Effect.map(
          Effect.forEach(slots, (slot) =>
            FeedChecker.make(
              slot,
              feeds[slot],
              Context.get(context, PopularSites),
              Duration.seconds(2)
            ).check(Submission.read(url, at))
          ),
          (results) => judged(results.flatMap(({ findings }) => findings))
        ),
      popular,
      untilLists: eventually(
        "each feed has a list",
        Effect.map(
          Effect.forEach(
            [feeds.feed_a, feeds.feed_b, feeds.feed_c],
            (feed) => Option.getOrThrow(feed).status
          ),
          (all) => all.every(({ current }) => Option.isSome(current))
        )
      ),
      untilRanking: eventuallyLater(
        "the ranking is there",
        "1 second",
        Effect.map(popular, ({ current }) => Option.isSome(current))
      )
    }
  })

const inTime = <A, E>(name: string, test: () => Effect.Effect<A, E, Scope.Scope>) =>
  it.scoped(name, () => Effect.zipRight(TestClock.setTime(start), test()))

const BELONGS = "The address www.daily.example belongs to a site that"
const isListed = "is listed by one.example as malicious (list of 2026-11-21 09:00 UTC)"

describe("the ranking of popular sites", () => {
  inTime("takes down a row about a site, and neither exact pages nor customers' subdomains", () =>
    Effect.gen(function* () {
      const { judge, untilLists } = yield* replica(publishers({ [RANKING]: ranking }))
      yield* untilLists
      const alone = {
        score: 30,
        verdict: "safe",
        reasons: [`${BELONGS} ${isListed}, but no other list confirms it`]
      }
      deepStrictEqual(yield* judge("https://www.daily.example/news"), alone)
      deepStrictEqual(yield* judge("https://daily.example/"), {
        ...alone,
        reasons: [`This address on daily.example ${isListed}, but no other list confirms it`]
      })
      assert.strictEqual((yield* judge("https://daily.example/bad/page.html")).score, 100)
      assert.strictEqual((yield* judge("https://evil.daily.example/")).score, 100)
    })
  )

  inTime("lets two publishers confirm each other, not two slots of one, and no stale list", () =>
    Effect.gen(function* () {
      const { judge, untilLists } = yield* replica(publishers({ [RANKING]: ranking }), undefined, {
        FEED_A_REFRESH: "10 minutes"
      })
      yield* untilLists
      const url = "https://www.daily.example/news"
      const confirmed = yield* judge(url, ["feed_a", "feed_b"])
      assert.strictEqual(confirmed.score, 100)
      deepStrictEqual(confirmed.reasons, [
        `${BELONGS} ${isListed}`,
        `${BELONGS} ${isListed.replace("one", "two")}`
      ])
      assert.strictEqual((yield* judge(url, ["feed_b", "feed_c"])).score, 30)
      const later = start + Duration.toMillis("31 minutes")
      assert.strictEqual((yield* judge(url, ["feed_a", "feed_b"], later)).score, 30)
    })
  )

  inTime("is not waited for by the feeds, and counts from when it is there", () =>
    Effect.gen(function* () {
      const late = yield* Effect.makeLatch()
      const internet = publishers({
        [RANKING]: () =>
          new Response(
            new ReadableStream({
              start: (controller) =>
                Effect.runPromise(late.await).then(() => {
                  controller.enqueue(Buffer.from(majestic(["daily.example"])))
                  controller.close()
                })
            })
          )
      })
      const { judge, untilLists, untilRanking } = yield* replica(internet)
      yield* untilLists
      assert.strictEqual((yield* judge("https://daily.example/")).score, 100)
      yield* late.open
      yield* untilRanking
      assert.strictEqual((yield* judge("https://daily.example/")).score, 30)
      assert.strictEqual(internet.sentTo(addresses.FEED_A_URL).length, 1)
    })
  )

  inTime("does not hold the feeds up when it fails", () =>
    Effect.gen(function* () {
      const internet = publishers({ [RANKING]: down })
      const { judge, popular, untilLists, untilRanking } = yield* replica(internet)
      yield* untilLists
      assert.strictEqual((yield* judge("https://daily.example/")).score, 100)
      assert.deepInclude(yield* popular, { current: Option.none() })
      internet.answer(RANKING, ranking)
      yield* untilRanking
      assert.strictEqual((yield* judge("https://daily.example/")).score, 30)
    })
  )

  inTime("is kept on disk, protects when it is stale, and is asked for conditionally once a week", () =>
    Effect.gen(function* () {
      const internet = publishers({ [RANKING]: ranking })
      const disk = MemoryDisk.make()
      const first = yield* replica(internet, disk)
      yield* first.untilLists
      yield* first.untilRanking
      yield* TestClock.adjust("1 second")
      yield* first.stop

      yield* TestClock.adjust("22 days")
      internet.answer(RANKING, down)
      const again = yield* replica(internet, disk)
      const { current } = yield* again.popular
      assert.deepInclude(Option.getOrThrow(current), { entries: 2, isStale: true })
      assert.strictEqual((yield* again.judge("https://daily.example/")).score, 30)
      yield* eventually(
        "the ranking is requested twice",
        Effect.sync(() => internet.sentTo(RANKING).length === 2)
      )
      deepStrictEqual(
        internet.sentTo(RANKING).map(({ headers }) => headers["if-none-match"]),
        [undefined, '"1"']
      )
    })
  )

  inTime("is fetched by one replica for a fleet", () =>
    Effect.gen(function* () {
      const internet = publishers({ [RANKING]: ranking })
      const database = SharedStoreDouble.make()
      const start = Effect.suspend(() => replica(internet, undefined, {}, Option.some(database.store)))
      const fleet = yield* Effect.all([start, start, start], { concurrency: "unbounded" })
      const use = Effect.forEach(fleet, ({ popular }) =>
        Effect.map(popular, ({ current }) => Option.getOrUndefined(current)?.entries)
      )
      yield* eventually(
        "a replica uses the second ranking",
        Effect.map(use, (entries) => entries.includes(2))
      )
      yield* eventuallyLater(
        "all replicas use the second ranking",
        "1 second",
        Effect.map(use, (entries) => entries.every((entries) => entries === 2))
      )
      assert.strictEqual(internet.sentTo(RANKING).length, 1)
      for (const { judge } of fleet) assert.strictEqual((yield* judge("https://daily.example/")).score, 30)
    })
  )

  inTime("protects only what other sites load when it is off, and nothing is fetched", () =>
    Effect.gen(function* () {
      const internet = publishers({
        [addresses.FEED_A_URL]: () => new Response("daily.example\nfonts.googleapis.com\n")
      })
      const { judge, untilLists } = yield* replica(internet, undefined, { POPULAR_URL: "off" })
      yield* untilLists
      assert.strictEqual((yield* judge("https://daily.example/")).score, 100)
      assert.strictEqual((yield* judge("https://fonts.googleapis.com/css")).score, 30)
      deepStrictEqual(internet.sentTo(RANKING), [])
    })
  )
})
