import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Duration, Option } from "effect"
import {
  Action,
  Event,
  type FleetState,
  type Moment,
  next,
  nextAttemptAt,
  start
} from "../../../../src/Lists/RefreshedList/Fleet/FleetState.ts"
import type { RemoteState } from "../../../../src/Lists/RefreshedList/Fleet/SharedSnapshot.ts"

const REFRESH = Duration.hours(1)
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The date at millisecond 0 of the monotonic clock. */
const DATE = Date.UTC(2026, 10, 21, 9)
const at = (millis: number): Moment => ({ millis, date: DATE + millis, random: 0 })

const bodyOf = (id: string) => ({ id, bytes: 10, pieceBytes: 1024 })

/** A manifest of a list that the feed answered with at `answeredAt`, or of an error only. */
const manifestOf = (
  answeredAt: number | undefined,
  { failures = 0, nextAt = HOUR, errorAt }: { failures?: number; nextAt?: number; errorAt?: number } = {}
): RemoteState => ({
  text: `${answeredAt} ${failures} ${nextAt}`,
  manifest: {
    ...(answeredAt !== undefined && {
      list: {
        body: bodyOf(`body of ${answeredAt}`),
        answeredAt: DATE + answeredAt
      }
    }),
    failures,
    nextAt: DATE + nextAt,
    ...(errorAt !== undefined && { lastError: { message: "Status (500)", at: DATE + errorAt } })
  }
})

const absent: RemoteState = { text: undefined, manifest: undefined }

/** Without a list, and with nothing read. */
const empty = start(undefined, 0, at(0)).state

/** Uses the list of the manifest of 0, and is due at one hour. */
const inSync: FleetState = {
  ...empty,
  list: { answeredAt: DATE, body: bodyOf("body of 0") },
  seen: manifestOf(0),
  refreshAt: HOUR
}

/** Uses a list of its own, of minute 10. */
const own: FleetState = {
  ...inSync,
  list: { answeredAt: DATE + 10 * MINUTE, body: undefined }
}

const refreshed = (changes: Partial<Parameters<typeof Event.Refreshed>[0]> = {}) =>
  Event.Refreshed({
    failures: 0,
    waitMillis: HOUR,
    answeredAt: DATE + HOUR,
    published: undefined,
    ...changes
  })

const { ApplyManifest, ReadManifest, RefreshAlone, RefreshForAll } = Action
const { DatabaseDown, NoLease, ManifestApplied, ManifestRead } = Event

/** The default look is 45 seconds later, the wait for the database 5 minutes or, without a list, 5 seconds. */
const rows: ReadonlyArray<
  [rule: string, before: FleetState, event: Event, now: Moment, action: Action, after: Partial<FleetState>]
> = [
  [
    "refreshes when the fleet has nothing",
    empty,
    ManifestRead({ remote: absent }),
    at(0),
    RefreshForAll(),
    {}
  ],
  [
    "loads the fleet's list when it has none",
    empty,
    ManifestRead({ remote: manifestOf(0) }),
    at(SECOND),
    ApplyManifest({ remote: manifestOf(0), load: true }),
    {}
  ],
  [
    "follows when the list is loaded: the feed is due when the fleet says",
    { ...empty, failures: 3, fallbackAt: 1 },
    ManifestApplied({ remote: manifestOf(0), isWhole: true }),
    at(20 * MINUTE),
    ReadManifest({ at: 20 * MINUTE + 45 * SECOND }),
    { ...inSync, fallbackAt: undefined, failures: 0, refreshAt: HOUR }
  ],
  [
    "does not load a list that it has from its data directory",
    { ...own, seen: undefined },
    ManifestRead({ remote: manifestOf(10 * MINUTE) }),
    at(11 * MINUTE),
    ApplyManifest({ remote: manifestOf(10 * MINUTE), load: false }),
    {}
  ],
  [
    "does not load a list again of which only the times have changed",
    inSync,
    ManifestRead({
      remote: {
        text: "new times",
        manifest: {
          list: { body: bodyOf("body of 0"), answeredAt: DATE + HOUR },
          failures: 0,
          nextAt: DATE + 2 * HOUR
        }
      }
    }),
    at(HOUR + MINUTE),
    ApplyManifest({
      remote: {
        text: "new times",
        manifest: {
          list: { body: bodyOf("body of 0"), answeredAt: DATE + HOUR },
          failures: 0,
          nextAt: DATE + 2 * HOUR
        }
      },
      load: false
    }),
    {}
  ],
  [
    "looks again when nothing has changed",
    inSync,
    ManifestRead({ remote: manifestOf(0) }),
    at(MINUTE),
    ReadManifest({ at: MINUTE + 45 * SECOND }),
    inSync
  ],
  [
    "looks when the feed is due, if that is sooner",
    inSync,
    ManifestRead({ remote: manifestOf(0) }),
    at(HOUR - SECOND),
    ReadManifest({ at: HOUR }),
    inSync
  ],
  [
    "refreshes when the feed is due and nothing has changed",
    inSync,
    ManifestRead({ remote: manifestOf(0) }),
    at(HOUR),
    RefreshForAll(),
    inSync
  ],
  [
    "follows another replica that was faster",
    inSync,
    ManifestRead({ remote: manifestOf(HOUR, { nextAt: 2 * HOUR }) }),
    at(HOUR),
    ApplyManifest({ remote: manifestOf(HOUR, { nextAt: 2 * HOUR }), load: true }),
    {}
  ],
  [
    "follows an older list when its own came from the fleet: its clock may have been ahead",
    { ...inSync, list: { answeredAt: DATE + HOUR, body: bodyOf("other") } },
    ManifestRead({ remote: manifestOf(1, { nextAt: HOUR }) }),
    at(MINUTE),
    ApplyManifest({ remote: manifestOf(1, { nextAt: HOUR }), load: true }),
    {}
  ],
  [
    "looks later while another replica refreshes",
    inSync,
    NoLease(),
    at(HOUR),
    ReadManifest({ at: HOUR + 45 * SECOND }),
    inSync
  ],
  [
    "looks in 5 seconds while another replica fetches the first list",
    empty,
    NoLease(),
    at(0),
    ReadManifest({ at: 5 * SECOND }),
    empty
  ],

  // Responses of the feed.
  [
    "uses what it has published",
    inSync,
    refreshed({ published: manifestOf(HOUR, { nextAt: 2 * HOUR }) }),
    at(HOUR),
    ReadManifest({ at: HOUR + 45 * SECOND }),
    {
      list: { answeredAt: DATE + HOUR, body: bodyOf(`body of ${HOUR}`) },
      seen: manifestOf(HOUR, { nextAt: 2 * HOUR }),
      refreshAt: 2 * HOUR
    }
  ],
  [
    "backs off together: the failure is published",
    inSync,
    refreshed({
      failures: 1,
      waitMillis: MINUTE,
      answeredAt: undefined,
      published: manifestOf(0, { failures: 1, nextAt: HOUR + MINUTE, errorAt: HOUR })
    }),
    at(HOUR),
    ReadManifest({ at: HOUR + 45 * SECOND }),
    { list: inSync.list, failures: 1, refreshAt: HOUR + MINUTE, minRefreshAt: 0 }
  ],
  [
    "follows the failure of another replica",
    inSync,
    ManifestApplied({
      remote: manifestOf(0, { failures: 2, nextAt: HOUR + 2 * MINUTE, errorAt: HOUR }),
      isWhole: true
    }),
    at(HOUR + MINUTE),
    ReadManifest({ at: HOUR + 105 * SECOND }),
    { list: inSync.list, failures: 2, refreshAt: HOUR + 2 * MINUTE }
  ],
  [
    "leaves the server alone after a failure that it could not publish, whatever others write",
    { ...inSync, minRefreshAt: 3 * HOUR },
    ManifestApplied({ remote: manifestOf(HOUR, { nextAt: 2 * HOUR }), isWhole: true }),
    at(HOUR),
    ReadManifest({ at: HOUR + 45 * SECOND }),
    { refreshAt: 3 * HOUR }
  ],
  [
    "remembers a failure that it could not publish",
    inSync,
    refreshed({
      failures: 1,
      waitMillis: MINUTE,
      answeredAt: undefined
    }),
    at(HOUR),
    ReadManifest({ at: HOUR + 45 * SECOND }),
    { list: inSync.list, seen: inSync.seen, minRefreshAt: HOUR + MINUTE, refreshAt: HOUR + MINUTE }
  ],

  // Lists of its own.
  [
    "stays with a newer list from its data directory, and with the plan of that",
    { ...own, seen: undefined },
    ManifestRead({ remote: manifestOf(0, { nextAt: 0 }) }),
    at(11 * MINUTE),
    ReadManifest({ at: 11 * MINUTE + 45 * SECOND }),
    { list: own.list, seen: manifestOf(0, { nextAt: 0 }), refreshAt: HOUR }
  ],
  [
    "does not refresh early because the database was emptied",
    inSync,
    ManifestRead({ remote: absent }),
    at(MINUTE),
    ReadManifest({ at: MINUTE + 45 * SECOND }),
    { list: { answeredAt: DATE, body: undefined }, seen: absent, refreshAt: HOUR }
  ],
  [
    "stays with its newer list when another replica publishes an older one to a database that was emptied",
    next(inSync, ManifestRead({ remote: absent }), REFRESH, at(MINUTE)).state,
    ManifestRead({ remote: manifestOf(-4 * HOUR) }),
    at(2 * MINUTE),
    ReadManifest({ at: 2 * MINUTE + 45 * SECOND }),
    { list: { answeredAt: DATE, body: undefined }, seen: manifestOf(-4 * HOUR) }
  ],
  [
    "follows the failure of a replica without a list, and stays with its own list",
    { ...inSync, seen: absent },
    ManifestApplied({
      remote: manifestOf(undefined, { failures: 1, nextAt: 2 * MINUTE, errorAt: MINUTE }),
      isWhole: true
    }),
    at(MINUTE),
    ReadManifest({ at: MINUTE + 45 * SECOND }),
    { list: inSync.list, failures: 1, refreshAt: 2 * MINUTE }
  ],
  [
    "uses a list that it could not publish",
    inSync,
    refreshed(),
    at(HOUR),
    ReadManifest({ at: HOUR + 45 * SECOND }),
    {
      list: { answeredAt: DATE + HOUR, body: undefined },
      seen: inSync.seen,
      refreshAt: 2 * HOUR,
      minRefreshAt: 0
    }
  ],
  [
    "keeps a list that it shared when the database, emptied between two looks, has an older one",
    { ...inSync, list: { answeredAt: DATE + 10 * MINUTE, body: bodyOf("body of 10") } },
    ManifestRead({ remote: manifestOf(5 * MINUTE) }),
    at(21 * MINUTE),
    ReadManifest({ at: 21 * MINUTE + 45 * SECOND }),
    { list: { answeredAt: DATE + 10 * MINUTE, body: undefined }, seen: manifestOf(5 * MINUTE) }
  ],
  [
    "loads the fleet's list when its own is older",
    { ...own, seen: undefined },
    ManifestRead({ remote: manifestOf(20 * MINUTE) }),
    at(21 * MINUTE),
    ApplyManifest({ remote: manifestOf(20 * MINUTE), load: true }),
    {}
  ],
  [
    "loads the fleet's list when its own is of more than 5 minutes in the future",
    { ...own, seen: undefined, list: { answeredAt: DATE + HOUR, body: undefined } },
    ManifestRead({ remote: manifestOf(0) }),
    at(MINUTE),
    ApplyManifest({ remote: manifestOf(0), load: true }),
    {}
  ],

  // A body that has lost a piece.
  [
    "refreshes when the fleet's list is not whole and it has none",
    empty,
    ManifestApplied({ remote: manifestOf(0), isWhole: false }),
    at(MINUTE),
    RefreshForAll(),
    { list: undefined, seen: manifestOf(0) }
  ],
  [
    "sends no request before Retry-After, also when the fleet's list is not whole",
    { ...empty, minRefreshAt: HOUR },
    ManifestApplied({ remote: manifestOf(0), isWhole: false }),
    at(MINUTE),
    ReadManifest({ at: MINUTE + 45 * SECOND }),
    { refreshAt: HOUR }
  ],
  [
    "goes on with its older list when the fleet's is not whole",
    own,
    ManifestApplied({ remote: manifestOf(20 * MINUTE, { nextAt: 2 * HOUR }), isWhole: false }),
    at(21 * MINUTE),
    ReadManifest({ at: 21 * MINUTE + 45 * SECOND }),
    { list: own.list, refreshAt: 2 * HOUR }
  ],

  // The database is away.
  [
    "looks again while nothing is due",
    inSync,
    DatabaseDown(),
    at(MINUTE),
    ReadManifest({ at: MINUTE + 45 * SECOND }),
    inSync
  ],
  [
    "waits 5 minutes for the database when the feed is due",
    inSync,
    DatabaseDown(),
    at(HOUR),
    ReadManifest({ at: HOUR + 45 * SECOND }),
    { ...inSync, fallbackAt: HOUR + 5 * MINUTE }
  ],
  [
    "waits up to 10 minutes, by its random number",
    inSync,
    DatabaseDown(),
    { ...at(HOUR), random: 1 },
    ReadManifest({ at: HOUR + 30 * SECOND }),
    { ...inSync, fallbackAt: HOUR + 10 * MINUTE }
  ],
  [
    "waits seconds without a list",
    empty,
    DatabaseDown(),
    at(0),
    ReadManifest({ at: 5 * SECOND }),
    { ...empty, fallbackAt: 5 * SECOND }
  ],
  [
    "goes on waiting",
    { ...inSync, fallbackAt: HOUR + 5 * MINUTE },
    DatabaseDown(),
    at(HOUR + 290 * SECOND),
    ReadManifest({ at: HOUR + 5 * MINUTE }),
    { ...inSync, fallbackAt: HOUR + 5 * MINUTE }
  ],
  [
    "refreshes alone after that",
    { ...inSync, fallbackAt: HOUR + 5 * MINUTE },
    DatabaseDown(),
    at(HOUR + 5 * MINUTE),
    RefreshAlone(),
    { ...inSync, fallbackAt: undefined }
  ],

  // Clocks.
  [
    "waits as long as another replica meant whose clock is ahead by a year",
    empty,
    ManifestApplied({
      remote: manifestOf(365 * 24 * HOUR, { nextAt: 365 * 24 * HOUR + HOUR }),
      isWhole: true
    }),
    at(MINUTE),
    ReadManifest({ at: MINUTE + 45 * SECOND }),
    { refreshAt: HOUR + MINUTE }
  ],
  [
    "is due by its monotonic clock when its date is set back by a year",
    inSync,
    ManifestRead({ remote: manifestOf(0) }),
    { ...at(HOUR), date: DATE - 365 * 24 * HOUR },
    RefreshForAll(),
    inSync
  ]
]

describe("a replica of a fleet", () => {
  it.each(rows)("%s", (_rule, before, event, now, action, after) => {
    const step = next(before, event, REFRESH, now)
    assert.deepStrictEqual(step.action, action)
    assert.deepStrictEqual(step.state, { ...step.state, ...after })
  })

  it("starts by a look, with the list of its data directory", () => {
    const { action, state } = start(DATE, 20 * MINUTE, at(MINUTE))
    assert.deepStrictEqual(action, ReadManifest({ at: MINUTE }))
    assert.deepStrictEqual(state.list, { answeredAt: DATE, body: undefined })
    assert.strictEqual(state.refreshAt, 21 * MINUTE)
  })

  const later = ReadManifest({ at: 10 * MINUTE + 45 * SECOND })
  it.each<[rule: string, state: Partial<FleetState>, action: Action, millis: number | undefined]>([
    ["the refresh that is planned", {}, later, HOUR],
    ["the planned one also while it loads a list", {}, ApplyManifest({ remote: absent, load: true }), HOUR],
    [
      "its next look, if another replica refreshes now",
      { refreshAt: 9 * MINUTE },
      later,
      10 * MINUTE + 45 * SECOND
    ],
    [
      "its refresh alone, while the database is down",
      { refreshAt: 9 * MINUTE, fallbackAt: 14 * MINUTE },
      later,
      14 * MINUTE
    ],
    ["none, while it refreshes for all", { refreshAt: 9 * MINUTE }, RefreshForAll(), undefined],
    ["none, while it refreshes alone", { refreshAt: 9 * MINUTE }, RefreshAlone(), undefined]
  ])("says as its next attempt: %s", (_rule, changes, action, millis) => {
    deepStrictEqual(
      nextAttemptAt({ state: { ...inSync, ...changes }, action }, at(10 * MINUTE)),
      Option.map(Option.fromNullable(millis), (millis) => DATE + millis)
    )
  })
})
