import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { findingsOf } from "../scripts/feeds-check.js"
import { MAX_AGE } from "../src/Checkers/Heuristics/ConfiguredModel.ts"
import type { Ready } from "../src/Http/Api/Health.ts"
import * as Clone from "./fixtures/Clone.ts"
import * as FeedServer from "./fixtures/FeedServer.ts"
import { majestic } from "./fixtures/Rankings.ts"

const now = Date.parse("2026-11-24T12:00:00.000Z")

const list = {
  enabled: true,
  source: "Example",
  entries: 50_000,
  ignored: 0,
  skipped: 3,
  firstSkipped: [],
  fetchedAt: "2026-11-24T11:59:48.000Z",
  stale: false,
  lastError: null,
  saveError: null,
  nextAttemptAt: null
} as const

const health = {
  status: "ready",
  feeds: { feed_a: list, feed_b: list, feed_c: list, feed_d: list },
  popular: list,
  newDomains: { enabled: false },
  overrides: { allow: { enabled: false }, block: { enabled: false } },
  heuristics: { learnedUpTo: "2026-11-01" },
  cache: "in-process",
  reputationLookup: { enabled: false },
  checkers: {}
} as const satisfies typeof Ready.Encoded

describe("the findings of feeds:check", () => {
  it("are a line for each list and one for the weights", () => {
    const facts = "(Example): 50000 entries, 3 skipped, fetched 12 s ago: ok"
    assert.deepStrictEqual(findingsOf(health, now), [
      ...["feed_a", "feed_b", "feed_c", "feed_d", "popular"].map((name) => ({
        line: `${name} ${facts}`,
        isFine: true
      })),
      { line: "heuristics: learned up to 2026-11-01, 23 days ago: ok", isFine: true }
    ])
  })

  it.each([
    [{ fetchedAt: null, entries: 0, skipped: 0 }, "no list"],
    [
      { fetchedAt: null, entries: 0, skipped: 0, lastError: { message: "status 404", at: "" } },
      "no list; status 404"
    ],
    [
      { lastError: { message: 'Columns (no column "\u009b2J\u202e")', at: "" } },
      String.raw`Columns \(no column "\\u\{9b\}2J\\u\{202e\}"\)`
    ],
    [{ entries: 299 }, "fewer than 300 entries"],
    [{ skipped: 50_001 }, "more skipped rows than entries"],
    [{ stale: true }, "stale"]
  ])("name what is wrong with %o", (wrong, problem) => {
    const feeds = { ...health.feeds, feed_b: { ...list, ...wrong } }
    const [, finding] = findingsOf({ ...health, feeds }, now)
    assert.isFalse(finding?.isFine)
    assert.match(finding?.line ?? "", new RegExp(`: ${problem}$`))
  })

  it("name weights that are older than those of which the service warns", () => {
    const agedDays = (days: number) => {
      const learnedUpTo = DateTime.formatIsoDateUtc(
        DateTime.unsafeMake(now - Duration.toMillis(Duration.days(days)))
      )
      return findingsOf({ ...health, heuristics: { learnedUpTo } }, now).at(-1)
    }
    const maxDays = Duration.toDays(MAX_AGE)
    assert.isTrue(agedDays(maxDays)?.isFine)
    assert.deepStrictEqual(agedDays(maxDays + 1), {
      line: "heuristics: learned up to 2026-05-24, 184 days ago: more than 183",
      isFine: false
    })
  })
})

describe("npm run feeds:check", () => {
  it.scopedLive(
    "waits for the lists of a service of its own, and exits with 1 if one is not as it should be",
    () =>
      Effect.gen(function* () {
        const feeds = yield* FeedServer.make()
        const hosts = Array.from({ length: 10_000 }, (_, i) => `h${i}.example`)
        feeds.serve("/lines", FeedServer.document(hosts.map((host) => `http://${host}/a\n`).join("")))
        feeds.serve("/ranking", FeedServer.document(majestic(hosts)))
        const env = Object.fromEntries(
          ["FEED_A", "FEED_B", "FEED_C"].flatMap((slot) => [
            [`${slot}_URL`, feeds.url("/lines").href],
            [`${slot}_FORMAT`, "lines"],
            [`${slot}_NAME`, "Example"]
          ])
        )
        const { code, printed } = yield* Clone.run(
          yield* Clone.withBuild,
          process.execPath,
          [join("scripts", "feeds-check.js"), "--once"],
          {
            ...env,
            FEED_D_URL: feeds.url("/missing").href,
            FEED_D_NAME: "Missing",
            POPULAR_URL: feeds.url("/ranking").href
          }
        )
        const [build, ...lines] = printed.split("\n")
        assert.match(build ?? "", /^dist is used as it is/)
        assert.deepStrictEqual(
          lines.slice(0, 5).map((line) => line.replace(/fetched \d+ s/, "fetched 0 s")),
          [
            ...["feed_a", "feed_b", "feed_c"].map(
              (name) => `${name} (Example): 10000 entries, 0 skipped, fetched 0 s ago: ok`
            ),
            "feed_d (Missing): 0 entries, 0 skipped, never fetched: no list; Status (404)",
            "popular (Majestic Million): 10000 entries, 0 skipped, fetched 0 s ago: ok"
          ]
        )
        assert.match(lines[5] ?? "", /^heuristics: learned up to \d{4}-\d{2}-\d{2}, \d+ days ago: /)
        assert.strictEqual(code, 1)
      })
  )
})
