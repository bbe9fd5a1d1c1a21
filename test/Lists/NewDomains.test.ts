import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Option } from "effect"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { daysOf, NewDomains } from "../../src/Lists/NewDomains.ts"
import { ThreatFeeds } from "../../src/Lists/ThreatFeed.ts"
import * as ThreatListBytes from "../../src/Lists/ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../../src/Lists/ThreatList.ts"
import { build as buildList, buildRequest, getBody, limits } from "../fixtures/BuildRequests.ts"
import { environment, noFeeds } from "../fixtures/ServiceUnderTest.ts"

async function* bodyOf(lines: ReadonlyArray<string>) {
  yield Buffer.from(lines.map((line) => `${line}\n`).join(""))
}

const build = (lines: ReadonlyArray<string>, changes: Parameters<typeof buildRequest>[0] = {}) =>
  Effect.promise(() => buildList(buildRequest({ isHostList: true, ...changes }), getBody(bodyOf(lines))))

const listOf = (lines: ReadonlyArray<string>, changes: Parameters<typeof buildRequest>[0] = {}) =>
  Effect.map(build(lines, changes), (response) => {
    if (response._tag !== "NewDocument") return assert.fail(response._tag)
    const list = new ThreatList(Option.getOrThrow(ThreatListBytes.open(response.bytes)))
    return { list, counts: response.counts }
  })

describe("a list of new domains", () => {
  it.effect("has registrable domains, each once, and nothing of hosts that others own", () =>
    Effect.gen(function* () {
      const { counts, list } = yield* listOf([
        "# 7 days",
        "new.example",
        "www.NEW.example",
        "||fresh.co.uk^",
        "b\u00fccher.example",
        "shop.old.example",
        "co.uk",
        "weebly.com",
        "tenant.weebly.com",
        "192.0.2.1",
        "not a name"
      ])
      const found = ["new.example", "fresh.co.uk", "xn--bcher-kva.example", "old.example", "weebly.com"]
      assert.deepStrictEqual(
        found.map((domain) => list.hasHost(domain)),
        [true, true, true, false, false]
      )
      assert.strictEqual(list.header.entries, 3)
      assert.strictEqual(counts.ignored, 5)
    })
  )

  it.effect("takes 12 bytes a name", () =>
    Effect.map(listOf(Array.from({ length: 1000 }, (_, i) => `new-${i}.example`)), ({ list }) => {
      assert.strictEqual(list.header.entries, 1000)
      assert.isAtMost(list.bytes.length, 12 * 1000 + 64)
    })
  )

  it.effect("is read from a hosts file", () =>
    Effect.map(listOf(["0.0.0.0 new.example"], { format: "hosts" }), ({ list }) =>
      assert.isTrue(list.hasHost("new.example"))
    )
  )

  it.effect("is refused with more names than it may have", () =>
    Effect.map(
      build(["a.example", "b.example", "c.example"], { limits: { ...limits, maxKeys: 2 } }),
      (response) => assert.strictEqual(response._tag === "ListError" && response.reason, "TooLarge")
    )
  )
})

describe("the days of a list", () => {
  it.each([
    ["https://lists.example/domains/nrd7.txt", 7],
    ["https://lists.example/nrd14-8.txt.gz", 14],
    ["file:///srv/nrd-30-day.txt", 30],
    ["file:///srv/domains-7d.txt", 7],
    ["https://lists.example/30days/new.txt", undefined],
    ["https://lists.example/new-domains.txt", undefined],
    ["https://lists.example/2026-08-01.txt", undefined]
  ])("are those of its name: %s", (address, days) => {
    assert.strictEqual(daysOf(new URL(address)), days)
  })
})

describe("NewDomains", () => {
  const newDomains = (env: { readonly NEW_DOMAINS_URL?: string }, isStale: boolean) =>
    Effect.gen(function* () {
      const { list } = yield* listOf(["new.example"])
      const feeds = Layer.succeed(ThreatFeeds, {
        ...noFeeds,
        ...(env.NEW_DOMAINS_URL !== undefined && {
          new_domains: Option.some({
            sourceName: "lists.example",
            current: () => Option.some({ list, fetchedAt: 0, isStale }),
            status: Effect.dieMessage("not asked for")
          })
        })
      })
      return yield* NewDomains.pipe(
        Effect.provide(NewDomains.layer),
        Effect.provide([feeds, Layer.provide(AppConfig.layer, environment(env))])
      )
    })
  const url = { NEW_DOMAINS_URL: "https://lists.example/nrd7.txt" }

  it.effect.each([
    [url, false, true, 7],
    [url, true, false, 7],
    [{ NEW_DOMAINS_URL: "https://lists.example/new.txt" }, false, true, undefined]
  ] as const)("with %o, stale: %s, says %s", ([env, isStale, isNew, days]) =>
    Effect.gen(function* () {
      const found = Option.getOrThrow(yield* newDomains(env, isStale))
      assert.strictEqual(found.isNew("new.example", 0), isNew)
      assert.isFalse(found.isNew("old.example", Duration.toMillis("1 day")))
      assert.strictEqual(found.days, days)
    })
  )

  it.effect("are none without a list", () =>
    Effect.gen(function* () {
      assert.isTrue(Option.isNone(yield* newDomains({}, false)))
    })
  )
})
