import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import type { FeedFormatName, ListSlot } from "../../../src/Layers/AppConfig.ts"
import { ListError } from "../../../src/Lists/ListError.ts"
import { failed, used } from "../../../src/Lists/RefreshedList/ListLog.ts"
import * as RefreshedList from "../../../src/Lists/RefreshedList.ts"
import type { Feed } from "../../../src/Lists/ThreatFeed/Feed.ts"
import * as FeedUnderTest from "../../../src/Lists/ThreatFeed/Feed.ts"
import * as FeedRefresh from "../../../src/Lists/ThreatFeed/FeedRefresh.ts"
import type { FeedSnapshot } from "../../../src/Lists/ThreatFeed/FeedSnapshot.ts"
import * as LogLines from "../../fixtures/LogLines.ts"
import * as MemoryDisk from "../../fixtures/MemoryDisk.ts"
import { adjust } from "../../fixtures/NextTurn.ts"
import { listOf } from "../../fixtures/ThreatLists.ts"

const feedAt = (slot: ListSlot, url: string, format: FeedFormatName = "phishunt-csv", name?: string) => {
  const feed: Feed = Option.getOrThrow(
    FeedUnderTest.fromConfig({
      slot,
      name: Option.fromNullable(name),
      address: Option.some(new URL(url)),
      format,
      column: Option.none(),
      authHeader: Option.none(),
      refresh: Duration.hours(1),
      retention: Duration.zero
    })
  )
  return FeedRefresh.definition(feed)
}

const A = feedAt("feed_a", "https://phishunt.io/a?key=marked-secret")
const B = feedAt("feed_b", "https://feeds.example/b", "lines")
const FILE = feedAt("feed_d", "file:///srv/our%20lists/d.txt", "lines")

const logged = (effect: Effect.Effect<unknown>) => Effect.map(LogLines.logged(effect), ([, lines]) => lines)

const messages = (lines: ReadonlyArray<LogLines.LogLine>) =>
  lines.map(({ level, message }) => `${level} ${message}`)

describe("a failed refresh", () => {
  const failures: ReadonlyArray<readonly [ReturnType<typeof feedAt>, ListError, string]> = [
    [
      A,
      new ListError("Columns", 'no column "first_seen"'),
      'feed_a: the columns are not those of phishunt-csv (no column "first_seen"). Is FEED_A_FORMAT right?'
    ],
    [
      B,
      new ListError("NotAFeed", "3 of 100 lines can be read"),
      "feed_b: the document is not a list in the format lines (3 of 100 lines can be read). Is FEED_B_FORMAT right?"
    ],
    [B, new ListError("Empty"), "feed_b: the document has no usable entry. Is FEED_B_FORMAT right?"],
    // A quote that is never closed, or a line that never ends
    [A, new ListError("Corrupt"), "feed_a: the document is damaged. Is FEED_A_FORMAT right?"],
    [A, new ListError("Corrupt", "gzip"), "feed_a: the document is damaged (gzip); next try in 1 minute"],
    [
      feedAt("feed_a", "https://feeds.example/t", "csv"),
      new ListError("Columns", "no column has URLs or hosts"),
      "feed_a: it is not clear which column has the URLs (no column has URLs or hosts). Name it in FEED_A_COLUMN, if FEED_A_FORMAT is right"
    ],
    [
      A,
      new ListError("Status", "403"),
      "feed_a: phishunt.io responded with status 403. Does it need a key in FEED_A_AUTH_HEADER?"
    ],
    [
      A,
      new ListError("Status", "404"),
      "feed_a: phishunt.io responded with status 404. Is FEED_A_URL right?"
    ],
    [
      A,
      new ListError("Status", "500"),
      "feed_a: phishunt.io responded with status 500; next try in 1 minute"
    ],
    [
      feedAt("popular", "https://feeds.example/ranking"),
      new ListError("Status", "403"),
      "popular: feeds.example responded with status 403; next try in 1 minute"
    ],
    [
      feedAt("feed_a", "https://mirror.example/a?key=marked-secret"),
      new ListError("Unreachable", "CERT_HAS_EXPIRED"),
      "feed_a: mirror.example cannot be reached (CERT_HAS_EXPIRED); next try in 1 minute"
    ],
    [
      feedAt("feed_a", "https://mirror.example/a", "phishunt-csv", "Our mirror"),
      new ListError("Status", "500"),
      "feed_a: mirror.example responded with status 500; next try in 1 minute"
    ],
    [
      FILE,
      new ListError("Unreachable", "ENOENT"),
      'feed_d: "/srv/our lists/d.txt" cannot be read (ENOENT). Is FEED_D_URL right?'
    ],
    [
      A,
      new ListError("Unreachable", "CERT_HAS_EXPIRED"),
      "feed_a: phishunt.io cannot be reached (CERT_HAS_EXPIRED); next try in 1 minute"
    ],
    [
      B,
      new ListError("Timeout", "5 minutes in all"),
      "feed_b: feeds.example is too slow (5 minutes in all); next try in 1 minute"
    ],
    [
      B,
      new ListError("ForbiddenRedirect"),
      "feed_b: feeds.example redirects to plain HTTP or into a private network, which is not followed; next try in 1 minute"
    ],
    [B, new ListError("Defect"), "feed_b: refreshing the list failed: Defect; next try in 1 minute"]
  ]
  it.effect.each(failures)("%# names the setting or the next try, and no address", ([feed, error, message]) =>
    Effect.gen(function* () {
      const wait = Duration.seconds(63)
      const lines = yield* logged(failed(feed, error, wait))
      assert.deepStrictEqual(lines, [
        {
          level: "warning",
          message,
          feed: feed.name,
          source: feed.source,
          reason: error.message,
          nextTryInSeconds: 63
        }
      ])
    })
  )
})

describe("a list", () => {
  const snapshot = (skipped: number, fetchedAt = 0): FeedSnapshot => ({
    list: listOf(["https://a.example/1", "https://b.example/2"]),
    fetchedAt,
    answeredAt: fetchedAt,
    validators: { etag: undefined, lastModified: undefined },
    counts: {
      skipped,
      ignored: 1,
      firstSkipped:
        skipped === 0
          ? []
          : [
              { line: 2, reason: "Network" },
              { line: 9, reason: "Wildcard in a path" }
            ]
    },
    shrunkenSince: undefined
  })

  it.effect("is logged with its source and entries, however it came", () =>
    Effect.gen(function* () {
      yield* adjust("3 hours")
      const named = feedAt("feed_a", "https://feeds.example/a", "lines", "Our list")
      const lines = yield* logged(
        Effect.all([
          used(A, snapshot(0), "disk"),
          used(named, snapshot(0), "replica"),
          used(A, snapshot(0), "refresh")
        ])
      )
      assert.deepStrictEqual(messages(lines), [
        "info feed_a was loaded from DATA_DIR: 2 entries from phishunt.io, 3 hours old",
        "info feed_a was taken from another replica: 2 entries from Our list",
        "info feed_a is up to date: 2 entries from phishunt.io"
      ])
      assert.deepInclude(lines[1], { feed: "feed_a", source: "Our list", entries: 2, skipped: 0, ignored: 1 })
    })
  )

  it.effect("from another replica is logged only if it differs from the list in use", () =>
    Effect.gen(function* () {
      const { lines, layer } = LogLines.collect()
      const first = snapshot(0, 1)
      yield* Effect.gen(function* () {
        const { useShared } = yield* RefreshedList.open(A, "data")
        yield* useShared({ failures: 0 }, Option.some(first))
        yield* useShared({ failures: 0 }, Option.some({ ...first, answeredAt: 2 }))
        yield* useShared({ failures: 0 }, Option.some(snapshot(0, 3)))
      }).pipe(Effect.provide(MemoryDisk.make().layer), Effect.provide(layer))
      const line = "info feed_a was taken from another replica: 2 entries from phishunt.io"
      assert.deepStrictEqual(messages(lines), [line, line])
    })
  )

  it.effect("is logged with the first rows that are not used", () =>
    Effect.gen(function* () {
      const lines = yield* logged(used(A, snapshot(4), "refresh"))
      assert.deepStrictEqual(messages(lines), [
        "info feed_a is up to date: 2 entries from phishunt.io. Skipped rows: line 2: Network, line 9: Wildcard in a path"
      ])
    })
  )
})
