import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Duration, Effect, Option } from "effect"
import * as FeedChecker from "../../src/Checkers/FeedChecker.ts"
import { type FindingKind, ownScore } from "../../src/Checkers/Kinds.ts"
import type { PopularSitesShape } from "../../src/Lists/PopularSites.ts"
import type { CurrentList, ThreatFeed } from "../../src/Lists/ThreatFeed.ts"
import type { Category } from "../../src/Lists/ThreatList/ListRecord.ts"
import * as Submission from "../../src/Url/Submission.ts"
import * as UrlExpressions from "../../src/Url/UrlExpressions.ts"
import { withoutDetails } from "../fixtures/Findings.ts"
import { canonical, listOf } from "../fixtures/ThreatLists.ts"

const entries = [
  "http://evil.example/login?id=1",
  "http://evil.example/dir/",
  "worse.example",
  "https://bit.ly/3bad",
  ...Array.from({ length: 35 }, (_, i) => `https://busy.example/${i}`)
]

const current = (changes: Partial<CurrentList> = {}): Option.Option<CurrentList> =>
  Option.some({
    list: listOf(entries),
    fetchedAt: Date.UTC(2026, 10, 21, 9, 0, 59),
    isStale: false,
    ...changes
  })

const feed = (list: Option.Option<CurrentList>, sourceName = "PhishTank"): Option.Option<ThreatFeed> =>
  Option.some({ sourceName, current: () => list, status: Effect.dieMessage("not asked for") })

const noPopularSites: PopularSitesShape = { isSite: () => false, isOnSite: () => false }

const check = (feed: Option.Option<ThreatFeed>, url: string) =>
  FeedChecker.make("feed_c", feed, noPopularSites, Duration.seconds(2)).check(Submission.read(url, 0))

/** The result with findings as `withoutDetails`. */
const checked = (...args: Parameters<typeof check>) =>
  Effect.map(check(...args), ({ findings, stale }) => ({ findings: findings.map(withoutDetails), stale }))

describe("FeedChecker", () => {
  it("has the slot's name and the given budget", () => {
    const { id, budget } = FeedChecker.make("feed_b", Option.none(), noPopularSites, Duration.seconds(2))
    assert.strictEqual(id, "feed_b")
    deepStrictEqual(budget, Duration.seconds(2))
  })

  it.effect.each<[url: string, kind: FindingKind, reason: string]>([
    [
      "https://evil.example/login?id=1",
      "listedUrl",
      "This address on evil.example is listed by PhishTank as phishing (list of 2026-11-21 09:00 UTC)"
    ],
    [
      "https://evil.example/login?id=2",
      "listedPage",
      "Another address of the same page on evil.example is listed by PhishTank as phishing (list of 2026-11-21 09:00 UTC)"
    ],
    [
      "https://evil.example/dir/page",
      "listedDirectory",
      "The page on evil.example is in a folder that is listed by PhishTank as phishing (list of 2026-11-21 09:00 UTC)"
    ],
    [
      "https://login.worse.example/page",
      "listedHost",
      "The address login.worse.example belongs to a site that is listed by PhishTank as phishing (list of 2026-11-21 09:00 UTC)"
    ],
    [
      "https://bit.ly/3bad?utm_source=x",
      "listedUrl",
      "Another address of the same content on bit.ly is listed by PhishTank as phishing (list of 2026-11-21 09:00 UTC)"
    ],
    [
      "https://busy.example/other?id=1",
      "otherPagesListed",
      "35 other pages on busy.example are listed by PhishTank as phishing (list of 2026-11-21 09:00 UTC)"
    ]
  ])("%s is a finding", ([url, kind, reason]) =>
    Effect.gen(function* () {
      deepStrictEqual(yield* checked(feed(current()), url), {
        findings: [
          {
            checker: "feed_c",
            kind,
            points: ownScore(kind),
            details: {},
            source: "PhishTank",
            reason,
            addressIndex: 0
          }
        ],
        stale: false
      })
    })
  )

  it.effect.each<[category: Category, sourceName: string, words: string]>([
    ["suspected phishing", "phishunt.io", "listed by phishunt.io as suspected phishing"],
    ["malware", "URLhaus", "listed by URLhaus as malware"],
    ["malicious", "TweetFeed", "listed by TweetFeed as malicious"]
  ])("calls it %s when %s does", ([category, sourceName, words]) =>
    Effect.gen(function* () {
      const list = listOf(entries, category)
      const { findings } = yield* check(feed(current({ list }), sourceName), "http://worse.example/")
      assert.strictEqual(findings.length, 1)
      assert.include(findings[0]?.reason, words)
    })
  )

  it.effect("names the address that a link leads to or carries, one finding about each", () =>
    Effect.gen(function* () {
      const name = "PhishTank as phishing (list of 2026-11-21 09:00 UTC)"
      deepStrictEqual(
        yield* checked(
          feed(current()),
          "https://www.google.com/url?q=https%3A%2F%2Fevil.example%2Fdir%2Fa%3Fnext%3Dhttps%3A%2F%2Fworse.example%2Fb"
        ),
        {
          findings: [
            {
              checker: "feed_c",
              kind: "listedDirectory",
              points: ownScore("listedDirectory"),
              details: {},
              source: "PhishTank",
              reason: `The link leads to evil.example: the page is in a folder that is listed by ${name}`,
              addressIndex: 1
            },
            {
              checker: "feed_c",
              kind: "carriedListing",
              points: ownScore("carriedListing"),
              details: {},
              source: "PhishTank",
              reason: `The link contains the address worse.example/b, which is listed by ${name}`,
              addressIndex: 2
            }
          ],
          stale: false
        }
      )
    })
  )

  it.effect("does not look up a private host inside a URL", () =>
    Effect.gen(function* () {
      const list = listOf(["http://192.168.0.1/", "http://192.168.0.1/x"])
      const found = (url: string) =>
        Effect.map(check(feed(current({ list })), url), ({ findings }) => findings)
      assert.lengthOf(yield* found("http://192.168.0.1/x"), 1)
      deepStrictEqual(yield* found("https://www.google.com/url?q=http://192.168.0.1/x"), [])
      deepStrictEqual(yield* found("https://honest.example/?next=http://192.168.0.1/x"), [])
    })
  )

  it.effect("finds nothing where nothing is listed", () =>
    Effect.gen(function* () {
      deepStrictEqual(yield* check(feed(current()), "https://example.com/"), {
        findings: [],
        stale: false
      })
    })
  )

  const addressOf = (url: string, relation: Submission.Address["relation"]): Submission.Address => ({
    url: canonical(url),
    expressions: new UrlExpressions.UrlExpressions(canonical(url)),
    relation,
    isWrapper: false
  })

  const findingsOf = (address: Submission.Address, popularSites = noPopularSites) =>
    FeedChecker.findings("feed_c", Option.getOrThrow(current()), "PhishTank", [address], popularSites)

  it("speaks of other pages where a link leads, but not at an address that a link only carries", () => {
    const url = "https://busy.example/other"
    deepStrictEqual(findingsOf(addressOf(url, "destination")).map(withoutDetails), [
      {
        checker: "feed_c",
        kind: "otherPagesListed",
        points: ownScore("otherPagesListed"),
        details: {},
        source: "PhishTank",
        reason:
          "The link leads to busy.example: 35 other pages there are listed by PhishTank as phishing (list of 2026-11-21 09:00 UTC)",
        addressIndex: 0
      }
    ])
    deepStrictEqual(findingsOf(addressOf(url, "carried")), [])
  })

  it("speaks of no other pages on a popular site, and asks about popular sites only then", () => {
    const asked: Array<string> = []
    const popularSites = {
      isSite: () => false,
      isOnSite: (host: string) => {
        asked.push(host)
        return true
      }
    }
    for (const url of ["https://busy.example/0", "https://worse.example/", "https://good.example/"])
      findingsOf(addressOf(url, "submitted"), popularSites)
    deepStrictEqual(asked, [])
    deepStrictEqual(findingsOf(addressOf("https://busy.example/other", "submitted"), popularSites), [])
    deepStrictEqual(asked, ["busy.example"])
  })

  it.effect("finds nothing where there is no host", () =>
    Effect.gen(function* () {
      for (const url of ["http://", "mailto:someone@worse.example", "not a url"])
        deepStrictEqual(yield* check(feed(current()), url), { findings: [], stale: false })
    })
  )

  it.effect("answers from a stale list, and says that it is stale", () =>
    Effect.gen(function* () {
      const stale = feed(current({ isStale: true }))
      const found = yield* check(stale, "http://worse.example/")
      assert.strictEqual(found.stale, true)
      deepStrictEqual(
        found.findings.map(({ isStale }) => isStale),
        [true]
      )
      deepStrictEqual(yield* check(stale, "http://example.com/"), { findings: [], stale: true })
    })
  )

  it.effect("fails when the slot is off, and while there is no list", () =>
    Effect.gen(function* () {
      const off = yield* Effect.flip(check(Option.none(), "http://worse.example/"))
      deepStrictEqual([off.checker, off.reason], ["feed_c", "NotConfigured"])
      const empty = yield* Effect.flip(check(feed(Option.none()), "http://worse.example/"))
      deepStrictEqual([empty.checker, empty.reason], ["feed_c", "Unavailable"])
    })
  )
})
