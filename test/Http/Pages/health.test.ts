import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import * as LearnedUpTo from "../../../src/Checkers/Heuristics/Model/LearnedUpTo.ts"
import type { Readiness } from "../../../src/Http/Api.ts"
import * as Health from "../../../src/Http/Pages/health.browser.js"
import { exampleOf } from "../../fixtures/OpenApiDocument.ts"

const example = exampleOf("Ready") as Readiness

const lookup = example.reputationLookup as Extract<Readiness["reputationLookup"], { enabled: true }>

const ready: Readiness = {
  ...example,
  reputationLookup: {
    ...lookup,
    lists: lookup.lists.flatMap((list) => [list, { ...list, name: "mw-4b", entries: 438_627 }])
  }
}

const degraded = { ...ready, status: "degraded", missing: ["feed_a"] } as const

const notReady = { ...degraded, status: "not-ready" } as const

const NOW = Date.parse("2026-11-21T12:10:00.000Z")

const list = {
  enabled: true,
  source: "feed.example",
  entries: 3,
  ignored: 1,
  skipped: 2,
  firstSkipped: [],
  fetchedAt: "2026-11-21T12:09:01.000Z",
  stale: false,
  lastError: null,
  saveError: null,
  nextAttemptAt: "2026-11-21T13:09:00.000Z"
} as const

const withoutList = { ...list, entries: 0, ignored: 0, skipped: 0, fetchedAt: null }

const off = { enabled: false } as const

/** The state of a service where all is switched off, except for what the argument changes. */
const healthWith = (changed: Partial<Omit<Readiness, "feeds">> & { readonly feeds?: object } = {}) =>
  ({
    ...ready,
    popular: off,
    newDomains: off,
    overrides: { allow: off, block: off },
    reputationLookup: off,
    checkers: {},
    ...changed,
    feeds: { feed_a: off, feed_b: off, feed_c: off, feed_d: off, ...changed.feeds }
  }) as Readiness

const rowsOf = (health: Readiness) => Health.tablesOf(health, NOW).flatMap(({ rows }) => rows)

const captionsOf = (health: Readiness) => Health.tablesOf(health, NOW).map(({ caption }) => caption)

describe("the body of /health/ready", () => {
  it("is known by its fields, with any status", () => {
    for (const health of [ready, degraded, notReady]) {
      assert.isTrue(Health.isHealth(health))
      for (const field of Object.keys(health))
        if (field !== "missing")
          assert.isFalse(Health.isHealth({ ...health, [field]: null }), `${health.status} ${field}`)
    }
  })

  it("is none of these", () => {
    const bodies: ReadonlyArray<object | null> = [
      null,
      [],
      {},
      { error: "Service unavailable" },
      { status: "live" },
      { ...ready, status: "toString" }
    ]
    for (const body of bodies) assert.isFalse(Health.isHealth(body), JSON.stringify(body))
  })
})

describe("the summary", () => {
  const stale = { ...list, stale: true }
  for (const [health, sentence, tone] of [
    [healthWith(), "No feed is switched on: links are checked without lists of reported pages.", "good"],
    [healthWith({ feeds: { feed_a: list } }), "Ready: every feed that is switched on has its list.", "good"],
    [
      healthWith({ feeds: { feed_a: list, feed_b: stale } }),
      "Ready, but a feed is old: it may lack new pages.",
      "good"
    ],
    [degraded, "Some lists are missing. Links are checked with the others.", "bad"],
    [notReady, "Not ready: lists are still being fetched, or none could be fetched.", "bad"]
  ] as const)
    it(`is "${sentence}"`, () => {
      assert.deepStrictEqual(Health.summaryOf(health), { sentence, tone })
    })

  it("names the feeds without a list", () => {
    const missing = { status: "not-ready", missing: ["feed_b", "feed_c"] } as const
    const feeds = { feed_a: list, feed_b: withoutList, feed_c: withoutList }
    assert.strictEqual(
      Health.missingOf({ ...healthWith({ feeds }), ...missing }),
      "feed.example (feed_b), feed.example (feed_c)"
    )
    assert.strictEqual(Health.missingOf(ready), "")
  })

  it("has the time in UTC", () => {
    assert.strictEqual(Health.timeText(NOW), "At 2026-11-21 12:10. All times are in UTC.")
  })
})

describe("the lists for people", () => {
  const itemsOf = (health: Readiness, now = NOW) =>
    Health.itemsOf(health, now).map(({ name, id, state, tone, content }) =>
      [name, id, `${state} (${tone})`, content].filter((text) => text !== "").join("; ")
    )

  it("have their entries and age, or why they are missing", () => {
    const feeds = {
      feed_a: {
        ...list,
        source: "list & 'co'",
        entries: 12_345,
        stale: true,
        fetchedAt: "2026-11-18T12:10:00.000Z"
      },
      feed_b: { ...withoutList, lastError: { message: "Status (403)", at: "2026-11-21T12:00:00.000Z" } },
      feed_c: withoutList
    }
    assert.deepStrictEqual(itemsOf(healthWith({ feeds, popular: list })), [
      "list & 'co'; feed_a; old (bad); 12,345 entries, fetched 3 days ago",
      "feed.example; feed_b; missing: could not be fetched (bad)",
      "feed.example; feed_c; missing: not fetched yet (bad)",
      "List D; feed_d; switched off (off)",
      "feed.example; popular sites; up to date (good); 3 entries, fetched under a minute ago",
      "Google Safe Browsing; switched off (off)",
      "Our own check; heuristics; up to date (good); learned from phishing up to 2026-06-30"
    ])
  })

  it("round an age down", () => {
    for (const [fetchedAt, age] of [
      ["2026-11-21T12:09:00.000Z", "1 minute"],
      ["2026-11-21T11:10:01.000Z", "59 minutes"],
      ["2026-11-21T11:10:00.000Z", "1 hour"],
      ["2026-11-19T12:10:01.000Z", "1 day"],
      ["2026-11-19T12:10:00.000Z", "2 days"],
      ["2026-11-22T12:10:00.000Z", "under a minute"]
    ] as const) {
      const [item] = itemsOf(healthWith({ feeds: { feed_a: { ...list, entries: 1, fetchedAt } } }))
      assert.strictEqual(item, `feed.example; feed_a; up to date (good); 1 entry, fetched ${age} ago`)
    }
  })

  it("call weights old when the service does", () => {
    const learned = LearnedUpTo.millisOf("2026-06-30") + Duration.toMillis(LearnedUpTo.MAX_AGE)
    for (const [now, state] of [
      [learned, "up to date (good)"],
      [learned + 1, "old (bad)"]
    ] as const)
      assert.strictEqual(
        itemsOf(ready, now).at(-1),
        `Our own check; heuristics; ${state}; learned from phishing up to 2026-06-30`
      )
  })

  it("have the entries of Google's local lists, and whether it answers", () => {
    const withoutLists = { ...lookup, lists: [] }
    const paused = {
      ...ready.reputationLookup,
      search: { breaker: "half-open", lastError: null }
    } as Readiness["reputationLookup"]
    assert.deepStrictEqual(
      [ready, healthWith({ reputationLookup: withoutLists }), healthWith({ reputationLookup: paused })].map(
        (health) => itemsOf(health).at(-2)
      ),
      [
        "Google Safe Browsing; reputation_lookup; switched on (good); 4,748,904 entries in local lists",
        "Google Safe Browsing; reputation_lookup; switched on (good)",
        "Google Safe Browsing; reputation_lookup; paused: Google does not answer (bad); 4,748,904 entries in local lists"
      ]
    )
  })
})

describe("the tables for operators", () => {
  it("have the downloads, the operator's lists and the checkers", () => {
    const error = { message: "Status (403)", at: "2026-11-21T12:00:00.000Z" }
    const rows = rowsOf(
      healthWith({
        feeds: {
          feed_a: { ...list, skipped: 1234 },
          feed_b: { ...withoutList, lastError: error, nextAttemptAt: null },
          feed_c: { ...list, saveError: error }
        },
        overrides: {
          allow: {
            enabled: true,
            entries: 12,
            skipped: 1,
            firstSkipped: [],
            readAt: "2026-11-21T10:09:00.000Z",
            lastError: error
          },
          block: off
        },
        checkers: { heuristics: "ok", feed_a: "stale" }
      })
    )
    assert.deepStrictEqual(rows, [
      ["feed_a", "2026-11-21 12:09", "–", "2026-11-21 13:09", "1,234", "1", "–"],
      ["feed_b", "–", "Status (403) (2026-11-21 12:00)", "now", "0", "0", "–"],
      ["feed_c", "2026-11-21 12:09", "–", "2026-11-21 13:09", "2", "1", "Status (403) (2026-11-21 12:00)"],
      ["feed_d", "–", "–", "–", "–", "–", "–"],
      ["popular sites", "–", "–", "–", "–", "–", "–"],
      ["ALLOW_LIST", "12", "1", "2 hours (2026-11-21 10:09)", "Status (403) (2026-11-21 12:00)"],
      ["BLOCK_LIST", "off", "–", "–", "–"],
      ["Mode", "off"],
      ["heuristics", "ok"],
      ["feed_a", "stale"]
    ])
  })

  it("have the local lists of Safe Browsing and the state of searches", () => {
    const localList = {
      name: "se-4b",
      entries: 4_310_277,
      fetchedAt: "2026-11-21T10:10:00.000Z",
      stale: false,
      nextUpdate: "2026-11-21T12:40:00.000Z",
      lastError: null
    }
    const error = { message: "Checksum", at: "2026-11-21T12:00:00.000Z" }
    const health = healthWith({
      reputationLookup: {
        enabled: true,
        mode: "local-list",
        lists: [
          localList,
          { ...localList, name: "mw-4b", stale: true, lastError: error },
          { ...localList, name: "uws-4b", entries: 0, fetchedAt: null, lastError: error },
          { ...localList, name: "uwsa-4b", entries: 0, fetchedAt: null }
        ],
        saveError: error,
        search: { breaker: "open", lastError: error }
      }
    })
    const rows = rowsOf(health)
    assert.deepStrictEqual(rows.slice(7), [
      ["Mode", "local-list"],
      ["Searches", "paused: the last ones failed"],
      ["Last error of a search", "Checksum (2026-11-21 12:00)"],
      ["Save error of the lists", "Checksum (2026-11-21 12:00)"],
      ["se-4b", "up to date", "4,310,277", "2 hours (2026-11-21 10:10)", "–", "2026-11-21 12:40"],
      [
        "mw-4b",
        "old",
        "4,310,277",
        "2 hours (2026-11-21 10:10)",
        "Checksum (2026-11-21 12:00)",
        "2026-11-21 12:40"
      ],
      [
        "uws-4b",
        "missing: could not be fetched",
        "0",
        "–",
        "Checksum (2026-11-21 12:00)",
        "2026-11-21 12:40"
      ],
      ["uwsa-4b", "missing: not fetched yet", "0", "–", "–", "2026-11-21 12:40"]
    ])
    assert.include(captionsOf(health), "Local lists of Safe Browsing")
  })

  it("have no table of local lists with no-storage", () => {
    const health = healthWith({
      reputationLookup: {
        enabled: true,
        mode: "no-storage",
        lists: [],
        saveError: null,
        search: { breaker: "half-open", lastError: null }
      }
    })
    assert.deepStrictEqual(captionsOf(health), [
      "Downloads",
      "Lists of the operator",
      "Reputation lookup",
      "Checkers"
    ])
    assert.deepInclude(rowsOf(health), [
      "Searches",
      "paused: one is sent to find out whether Google answers again"
    ])
  })

  it("have as many cells in each row as columns", () => {
    for (const health of [ready, healthWith()])
      for (const { caption, columns, rows } of Health.tablesOf(health, NOW))
        for (const row of rows) assert.lengthOf(row, columns.length, caption)
  })
})
