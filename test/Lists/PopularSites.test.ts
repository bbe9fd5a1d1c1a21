import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer, Option } from "effect"
import { PopularSites } from "../../src/Lists/PopularSites.ts"
import { ThreatFeeds } from "../../src/Lists/ThreatFeed.ts"
import type { ThreatList } from "../../src/Lists/ThreatList.ts"
import * as CanonicalUrl from "../../src/Url/CanonicalUrl.ts"
import * as Hosts from "../../src/Url/Hosts.ts"
import { rankingOf } from "../fixtures/Rankings.ts"
import { noFeeds } from "../fixtures/ServiceUnderTest.ts"

const loadedHosts = Hosts.namesWith("loaded")

const sitesOf = (list: () => Option.Option<ThreatList>) =>
  PopularSites.pipe(
    Effect.provide(PopularSites.layer),
    Effect.provide(
      Layer.succeed(ThreatFeeds, {
        ...noFeeds,
        popular: Option.some({
          sourceName: "ranking.example",
          current: () => Option.map(list(), (list) => ({ list, fetchedAt: 0, isStale: true })),
          status: Effect.dieMessage("not asked for")
        })
      })
    )
  )

const ranked = rankingOf(["daily.example", "daily.co.uk", "gateway.example", "pinata.cloud"])

describe("PopularSites", () => {
  it.effect.each<[host: string, isSite: boolean, isOnSite: boolean]>([
    ["daily.example", true, true],
    ["www.daily.example", true, true],
    ["daily.co.uk", true, true],
    ["evil.daily.example", false, true],
    ["www.evil.daily.example", false, true],
    ["www.www.daily.example", false, true],
    ["notdaily.example", false, false],
    ["daily.example.evil.example", false, false],
    ["example", false, false],
    ["192.0.2.1", false, false],
    // A table's, on a ranked domain
    ["gateway.pinata.cloud", false, false],
    // Loaded by other sites
    ["fonts.googleapis.com", true, true],
    ["evil.fonts.googleapis.com", false, false],
    ["storage.googleapis.com", false, false],
    // Shared
    ["google.com", false, false],
    ["www.google.com", false, false]
  ])("tells whether %s is a site, and on one", ([host, isSite, isOnSite]) =>
    Effect.gen(function* () {
      const sites = yield* sitesOf(() => Option.some(ranked))
      assert.deepStrictEqual([sites.isSite(host), sites.isOnSite(host)], [isSite, isOnSite])
    })
  )

  it.effect(
    "are those that other sites load from, until there is a ranking, and then those of each new one",
    () =>
      Effect.gen(function* () {
        let list = Option.none<ThreatList>()
        const sites = yield* sitesOf(() => list)
        const hosts = ["daily.example", "weekly.example", "fonts.googleapis.com"]
        assert.deepStrictEqual(hosts.map(sites.isSite), [false, false, true])
        list = Option.some(ranked)
        assert.deepStrictEqual(hosts.map(sites.isSite), [true, false, true])
        list = Option.some(rankingOf(["weekly.example"]))
        assert.deepStrictEqual(hosts.map(sites.isSite), [false, true, true])
      })
  )

  it.effect("are those that other sites load from when the ranking is off", () =>
    Effect.gen(function* () {
      const { isSite, isOnSite } = yield* PopularSites
      assert.deepStrictEqual(["daily.example", "code.jquery.com"].map(isSite), [false, true])
      assert.deepStrictEqual(["daily.example", "code.jquery.com"].map(isOnSite), [false, true])
    }).pipe(Effect.provide(PopularSites.layer), Effect.provide(Layer.succeed(ThreatFeeds, noFeeds)))
  )
})

describe("the hosts that other sites load from", () => {
  it("are at most 50", () => {
    assert.isAtMost(loadedHosts.size, 50)
    assert.include([...loadedHosts], "fonts.googleapis.com")
  })

  it.each([...loadedHosts])("%s is canonical and no shared host", (host) => {
    const url = Either.getOrThrow(CanonicalUrl.parse(host))
    assert.strictEqual(url.host, host)
    assert.isFalse(Hosts.isShared(host))
  })
})
