import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Context, Duration, Effect, Layer, Option, type Scope, TestClock } from "effect"
import * as FeedChecker from "../../src/Checkers/FeedChecker.ts"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { PopularSites } from "../../src/Lists/PopularSites.ts"
import { SharedStore } from "../../src/Lists/SharedStore.ts"
import { ThreatFeeds } from "../../src/Lists/ThreatFeed.ts"
import * as Submission from "../../src/Url/Submission.ts"
import { judged } from "../fixtures/Findings.ts"
import * as HttpClientDouble from "../fixtures/HttpClientDouble.ts"
import * as ListWorkerInProcess from "../fixtures/ListWorkerInProcess.ts"
import * as MemoryDisk from "../fixtures/MemoryDisk.ts"
import { eventually } from "../fixtures/NextTurn.ts"
import { majestic } from "../fixtures/Rankings.ts"
import { environment } from "../fixtures/ServiceUnderTest.ts"

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

/** What the publishers answer, by address. The others have the same entries. */
const publishers = (answers: Readonly<Record<string, () => HttpClientDouble.DoubleAnswer>>) => {
  const double = HttpClientDouble.make(({ url }) => answers[url]?.() ?? new Response(`${rows.join("\n")}\n`))
  return { ...double, sentTo: (url: string) => double.sent.filter((request) => request.url === url) }
}

const ranking = () => new Response(majestic(["daily.example", "other.example"]))

/** The feeds and the ranking, as the service starts them. */
const started = (internet: ReturnType<typeof publishers>, env: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      PopularSites.layer.pipe(
        Layer.provideMerge(ThreatFeeds.layer),
        Layer.provide([
          Layer.provide(ListWorkerInProcess.layer, internet.layer),
          MemoryDisk.make().layer,
          Layer.succeed(SharedStore, Option.none())
        ]),
        Layer.provide(AppConfig.layer),
        Layer.provide(environment({ ...addresses, ...env }))
      )
    )
    const feeds = Context.get(context, ThreatFeeds)
    const until = (what: string, lists: ReadonlyArray<keyof typeof feeds>) =>
      eventually(
        what,
        Effect.sync(() => lists.every((slot) => Option.isSome(Option.getOrThrow(feeds[slot]).current(0))))
      )
    return {
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
      untilLists: until("each feed has a list", ["feed_a", "feed_b", "feed_c"]),
      untilRanking: until("the ranking is there", ["popular"])
    }
  })

const inTime = <A, E>(name: string, test: () => Effect.Effect<A, E, Scope.Scope>) =>
  it.scoped(name, () => Effect.zipRight(TestClock.setTime(start), test()))

const BELONGS = "The address www.daily.example belongs to a site that"
const isListed = "is listed by one.example as malicious (list of 2026-11-21 09:00 UTC)"

describe("the ranking of popular sites", () => {
  inTime("takes down a row about a site, and neither exact pages nor customers' subdomains", () =>
    Effect.gen(function* () {
      const { judge, untilLists, untilRanking } = yield* started(publishers({ [RANKING]: ranking }))
      yield* untilLists
      yield* untilRanking
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
      const { judge, untilLists, untilRanking } = yield* started(publishers({ [RANKING]: ranking }), {
        FEED_A_REFRESH: "10 minutes"
      })
      yield* untilLists
      yield* untilRanking
      const url = "https://www.daily.example/news"
      const confirmed = yield* judge(url, ["feed_a", "feed_b"])
      assert.strictEqual(confirmed.score, 80)
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
      const { judge, untilLists, untilRanking } = yield* started(internet)
      yield* untilLists
      assert.strictEqual((yield* judge("https://daily.example/")).score, 100)
      yield* late.open
      yield* untilRanking
      assert.strictEqual((yield* judge("https://daily.example/")).score, 30)
      assert.strictEqual(internet.sentTo(addresses.FEED_A_URL).length, 1)
    })
  )

  inTime("protects only what other sites load when it is off, and nothing is fetched", () =>
    Effect.gen(function* () {
      const internet = publishers({
        [addresses.FEED_A_URL]: () => new Response("daily.example\nfonts.googleapis.com\n")
      })
      const { judge, untilLists } = yield* started(internet, { POPULAR_URL: "off" })
      yield* untilLists
      assert.strictEqual((yield* judge("https://daily.example/")).score, 100)
      assert.strictEqual((yield* judge("https://fonts.googleapis.com/css")).score, 30)
      deepStrictEqual(internet.sentTo(RANKING), [])
    })
  )
})
