import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as HashListSet from "../../../src/Lists/HashLists/HashListSet.ts"
import type { ListErrorReason } from "../../../src/Lists/ListError.ts"
import type { FailedList, ListOutcome, UpdatedList } from "../../../src/Lists/ListWorker/Messages.ts"
import type { Age } from "../../../src/Lists/RefreshedList/ListSchedule.ts"

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const NOW = Date.UTC(2026, 10, 21, 9)
const WAIT = 30 * MINUTE

const contentOf = (
  entries: number,
  changes: Partial<HashListSet.ListContent> = {}
): HashListSet.ListContent => ({
  list: { width: 4, bytes: new Uint8Array(4 * entries) },
  version: `version ${entries}`,
  checksum: `checksum ${entries}`,
  fetchedAt: NOW - MINUTE,
  waitMillis: WAIT,
  ...changes
})

/** Was updated a minute ago, unless the changes say otherwise. */
const listOf = (
  name: string,
  entries: number,
  changes: Partial<HashListSet.ScheduledList> = {}
): HashListSet.ScheduledList => ({
  name,
  content: contentOf(entries),
  dueAt: NOW + 29 * MINUTE,
  ...changes
})

const missing = (name: string, changes: Partial<HashListSet.ScheduledList> = {}) => ({
  name,
  dueAt: NOW,
  ...changes
})

const setOf = (...lists: ReadonlyArray<HashListSet.ScheduledList>) => HashListSet.make(lists, 0)

const updated = (name: string, changes: Partial<UpdatedList> = {}): UpdatedList => ({
  _tag: "Updated",
  name,
  bytes: new Uint8Array(8),
  version: "new version",
  checksum: "new checksum",
  waitMillis: WAIT,
  ...changes
})

const failed = (name: string, changes: Partial<FailedList> = {}): FailedList => ({
  _tag: "Failed",
  name,
  reason: "Status",
  detail: "503",
  retryAfter: undefined,
  ...changes
})

const error = (reason: ListErrorReason, detail?: string): HashListSet.ListFailure => ({
  reason,
  detail,
  at: NOW - MINUTE
})

const dueAts = ({ lists }: HashListSet.HashListSet) => lists.map(({ dueAt }) => dueAt)

describe("the set at a start", () => {
  const atStart = (stored: HashListSet.HashListSet, ...configured: ReadonlyArray<string>) =>
    HashListSet.atStart(Option.some(stored), configured, NOW, 0.5)

  it("without a stored one requests every list at once", () => {
    const set = HashListSet.atStart(Option.none(), ["se-4b", "mw-4b"], NOW, 0.5)
    assert.deepStrictEqual(set, setOf(missing("se-4b"), missing("mw-4b")))
    assert.strictEqual(set.answeredAt, 0)
  })

  it("has stored lists, due when they were", () => {
    const stored = setOf(listOf("se-4b", 1), listOf("mw-4b", 2))
    assert.deepStrictEqual(atStart(stored, "se-4b", "mw-4b"), stored)
  })

  it("requests stored lists that are overdue together, within a minute", () => {
    const overdue = { dueAt: NOW - HOUR }
    const set = atStart(setOf(listOf("se-4b", 1, overdue), listOf("mw-4b", 2, overdue)), "se-4b", "mw-4b")
    assert.deepStrictEqual(dueAts(set), [NOW + 30 * SECOND, NOW + 30 * SECOND])
  })

  it("drops a list that is no longer configured, and requests a new one at once while the others stay", () => {
    const stored = setOf(listOf("se-4b", 1), listOf("mw-4b", 2))
    const set = atStart(stored, "mw-4b", "uws-4b")
    assert.deepStrictEqual(set, setOf(listOf("mw-4b", 2), missing("uws-4b")))
  })

  it("keeps the back-off of a list that was never fetched", () => {
    const failed = missing("se-4b", {
      dueAt: NOW + HOUR,
      lastError: error("Status", "503")
    })
    const stored = HashListSet.make([failed], 3)
    assert.deepStrictEqual(atStart(stored, "se-4b"), stored)
    const overdue = atStart(setOf({ ...failed, dueAt: NOW - HOUR }), "se-4b")
    assert.deepStrictEqual(dueAts(overdue), [NOW])
  })
})

describe("the lists of a request", () => {
  it("are those that are due within a minute, each with its version and bytes", () => {
    const due = listOf("se-4b", 1, { dueAt: NOW })
    const soon = listOf("mw-4b", 2, { dueAt: NOW + MINUTE })
    const requested = HashListSet.toRequest(setOf(due, soon, listOf("uws-4b", 3)), NOW)
    assert.deepStrictEqual(requested, [
      { name: "se-4b", version: "version 1", bytes: due.content?.list.bytes },
      { name: "mw-4b", version: "version 2", bytes: soon.content?.list.bytes }
    ])
    assert.strictEqual(requested[0]?.bytes, due.content?.list.bytes)
  })

  it("have neither version nor bytes when there is no list yet, or the whole list is needed", () => {
    const set = setOf(
      missing("se-4b"),
      listOf("mw-4b", 2, { dueAt: NOW, content: contentOf(2, { version: "" }) })
    )
    assert.deepStrictEqual(HashListSet.toRequest(set, NOW), [
      { name: "se-4b", version: undefined, bytes: undefined },
      { name: "mw-4b", version: undefined, bytes: undefined }
    ])
  })

  it("have those that are due later by a clock that was set back since", () => {
    const year = 365 * DAY
    const fetched = (later: number) => ({
      content: contentOf(1, { fetchedAt: NOW + year }),
      dueAt: NOW + year + later
    })
    const failed = missing("uws-4b", {
      dueAt: NOW + year + HOUR,
      lastError: { ...error("Timeout"), at: NOW + year }
    })
    const failedSince = { ...failed, name: "csd-4b", content: contentOf(1) }
    const lists = [listOf("se-4b", 1, fetched(0)), listOf("mw-4b", 1, fetched(HOUR)), failed, failedSince]
    const set = setOf(...lists, listOf("pha-4b", 1, { dueAt: NOW }), listOf("uwsa-4b", 1))
    assert.deepStrictEqual(
      HashListSet.toRequest(set, NOW).map(({ name }) => name),
      ["se-4b", "mw-4b", "uws-4b", "csd-4b", "pha-4b"]
    )
  })

  it("are never none, even when the clock was set back", () => {
    assert.strictEqual(HashListSet.toRequest(setOf(listOf("se-4b", 1)), NOW - DAY).length, 1)
  })
})

describe("the set after an update", () => {
  const update = (set: HashListSet.HashListSet, ...outcomes: ReadonlyArray<ListOutcome>) =>
    HashListSet.afterOutcomes(set, outcomes, NOW, 0.5)

  it("has the new bytes, version and times of each list", () => {
    const set = update(setOf(missing("se-4b"), listOf("mw-4b", 2)), updated("se-4b"), updated("mw-4b"))
    const content = {
      list: { width: 4, bytes: new Uint8Array(8) },
      version: "new version",
      checksum: "new checksum",
      fetchedAt: NOW,
      waitMillis: WAIT
    } as const
    const fresh = { content, dueAt: NOW + WAIT }
    assert.deepStrictEqual(set, setOf({ name: "se-4b", ...fresh }, { name: "mw-4b", ...fresh }))
    assert.strictEqual(set.answeredAt, NOW)
  })

  it("has the same bytes with new times when nothing has changed", () => {
    const before = setOf(listOf("se-4b", 1))
    const set = update(
      before,
      updated("se-4b", { bytes: undefined, version: "later", checksum: "checksum 1" })
    )
    assert.deepStrictEqual(set.lists, [
      listOf("se-4b", 1, {
        content: contentOf(1, { version: "later", fetchedAt: NOW }),
        dueAt: NOW + WAIT
      })
    ])
    assert.strictEqual(set.lists[0]?.content?.list, before.lists[0]?.content?.list)
  })

  it("has what it had of a list that failed, which waits for its back-off", () => {
    const before = setOf(listOf("se-4b", 1), listOf("mw-4b", 2))
    const set = update(before, failed("se-4b"), updated("mw-4b"))
    assert.deepStrictEqual(
      set.lists[0],
      listOf("se-4b", 1, {
        dueAt: NOW + 22.5 * MINUTE,
        lastError: { reason: "Status", detail: "503", at: NOW }
      })
    )
    assert.strictEqual(set.lists[0]?.content, before.lists[0]?.content)
    assert.strictEqual(set.lists[1]?.content?.version, "new version")
  })

  it("has back-offs that grow, at the same time for lists that fail together", () => {
    const fail = (set: HashListSet.HashListSet, random: number) =>
      HashListSet.afterOutcomes(set, [failed("se-4b"), failed("mw-4b")], NOW, random)
    const first = fail(setOf(missing("se-4b"), listOf("mw-4b", 2)), 0)
    assert.deepStrictEqual(dueAts(first), [NOW + 15 * MINUTE, NOW + 15 * MINUTE])
    const third = fail(fail(first, 0), 0.25)
    assert.deepStrictEqual(dueAts(third), [NOW + 75 * MINUTE, NOW + 75 * MINUTE])
    assert.strictEqual(third.failures, 3)
    assert.strictEqual(update(third, updated("se-4b"), updated("mw-4b")).failures, 0)
  })

  it("waits as long as Retry-After says", () => {
    const set = update(setOf(missing("se-4b")), failed("se-4b", { retryAfter: "7200" }))
    assert.deepStrictEqual(dueAts(set), [NOW + 2 * HOUR])
  })

  it("has one back-off, also for lists that were not requested, when none was updated", () => {
    const others = [
      listOf("uws-4b", 3, { dueAt: NOW + 20 * MINUTE }),
      listOf("pha-4b", 4, { dueAt: NOW + DAY })
    ]
    const set = update(setOf(missing("se-4b"), ...others), failed("se-4b"))
    assert.deepStrictEqual(dueAts(set), [NOW + 22.5 * MINUTE, NOW + 22.5 * MINUTE, NOW + DAY])
    const partly = update(
      setOf(missing("se-4b"), listOf("mw-4b", 2), ...others),
      failed("se-4b"),
      updated("mw-4b")
    )
    assert.deepStrictEqual(dueAts(partly).slice(2), [NOW + 20 * MINUTE, NOW + DAY])
  })

  it("requests a whole list until it has come, whatever fails meanwhile", () => {
    const mismatch = update(
      setOf(listOf("se-4b", 1)),
      failed("se-4b", { reason: "ChecksumMismatch", detail: undefined })
    )
    const down = update(mismatch, failed("se-4b"))
    assert.deepStrictEqual(
      [mismatch, down].map(({ lists }) => lists[0]?.content?.version),
      ["", ""]
    )
    assert.strictEqual(down.lists[0]?.content?.checksum, "checksum 1")
    assert.strictEqual(update(down, updated("se-4b")).lists[0]?.content?.version, "new version")
  })

  it("requests a list that is refused as a whole, then leaves it out for a day, and keeps the times of the others", () => {
    for (const refused of [{ reason: "RequestRefused", detail: "400" } as const, { detail: "404" }]) {
      const before = setOf(listOf("se-4b", 1), listOf("mw-4b", 2))
      const once = update(before, failed("se-4b", refused))
      assert.deepInclude(once.lists[0], { dueAt: NOW + 22.5 * MINUTE })
      assert.strictEqual(once.lists[0]?.content?.version, "")
      assert.strictEqual(once.lists[1], before.lists[1])
      assert.strictEqual(once.failures, 0)
      const twice = update(once, failed("se-4b", refused), updated("mw-4b"))
      assert.deepStrictEqual(dueAts(twice), [NOW + DAY, NOW + WAIT])
      assert.deepStrictEqual(dueAts(update(setOf(missing("se-4b")), failed("se-4b", refused))), [NOW + DAY])
    }
    const down = update(setOf(listOf("se-4b", 1)), failed("se-4b"))
    assert.strictEqual(update(down, failed("se-4b")).lists[0]?.content?.version, "version 1")
  })

  it("asks again after 15 seconds where Google has more at once", () => {
    const set = update(setOf(listOf("se-4b", 1)), updated("se-4b", { waitMillis: 0 }))
    assert.deepStrictEqual(dueAts(set), [NOW + 15_000])
  })

  it("has an empty list of the name's width when there is nothing on it", () => {
    const set = update(setOf(missing("gc-32b")), updated("gc-32b", { bytes: undefined }))
    assert.deepStrictEqual(set.lists[0]?.content?.list, { width: 32, bytes: new Uint8Array() })
  })

  it("has every list without an outcome as it was", () => {
    const before = setOf(listOf("se-4b", 1), listOf("mw-4b", 2))
    assert.strictEqual(update(before, updated("se-4b")).lists[1], before.lists[1])
  })
})

describe("the age of lists", () => {
  const fetched = (age: number) => ({ content: contentOf(1, { fetchedAt: NOW - age }) })
  const refused = { lastError: error("RequestRefused", "400") }
  const notFound = { lastError: error("Status", "404") }

  it.each<[rule: string, lists: ReadonlyArray<HashListSet.ScheduledList>, expected: Age]>([
    ["is fresh when each is", [listOf("a", 1), listOf("b", 1)], "fresh"],
    ["is stale when one is", [listOf("a", 1), listOf("b", 1, fetched(HOUR + 1))], "stale"],
    [
      "is unusable when one is over a day old",
      [listOf("a", 1), listOf("b", 1, fetched(DAY + 1))],
      "unusable"
    ],
    ["is unusable when one is missing", [listOf("a", 1), missing("b")], "unusable"],
    ["is stale when one is refused by its name", [listOf("a", 1), missing("b", refused)], "stale"],
    ["is stale when one is not found", [listOf("a", 1), missing("b", notFound)], "stale"],
    [
      "is not better than stale with the content of a refused one",
      [listOf("a", 1), listOf("b", 1, refused)],
      "stale"
    ],
    [
      "is unusable when one is refused and another is missing",
      [missing("a"), missing("b", refused), listOf("c", 1)],
      "unusable"
    ],
    ["is unusable when all are refused", [missing("a", refused), missing("b", refused)], "unusable"],
    [
      "is that of the lists when all are refused later",
      [listOf("a", 1, refused), listOf("b", 1, refused)],
      "fresh"
    ],
    [
      "is unusable when the key is refused before there is a list",
      [listOf("a", 1), missing("b", { lastError: error("KeyRefused", "403") })],
      "unusable"
    ],
    [
      "is that of the lists during an outage",
      [listOf("a", 1, { lastError: error("Status", "503") })],
      "fresh"
    ]
  ])("%s", (_, lists, expected) => {
    assert.strictEqual(HashListSet.ageOf(lists, NOW), expected)
  })
})

describe("the set with another key", () => {
  it("has no back-off: lists that failed are due", () => {
    const failed = { dueAt: NOW + DAY, lastError: error("KeyRefused", "403") }
    const set = HashListSet.withoutFailures(
      setOf(listOf("se-4b", 1, failed), missing("mw-4b", failed), listOf("uws-4b", 3))
    )
    assert.deepStrictEqual(dueAts(set), [0, 0, NOW + 29 * MINUTE])
    assert.strictEqual(set.failures, 0)
    for (const { lastError } of set.lists) assert.isUndefined(lastError)
  })
})

describe("the message of an error", () => {
  it.each<[error: Omit<HashListSet.ListFailure, "at">, message: string]>([
    [{ reason: "KeyRefused", detail: "403" }, "Safe Browsing refuses REPUTATION_API_KEY (403)"],
    [{ reason: "RequestRefused", detail: "400" }, "Safe Browsing refuses the request (400)"],
    [{ reason: "Status", detail: "503" }, "Status (503)"],
    [{ reason: "ChecksumMismatch" }, "ChecksumMismatch"]
  ])("of %j is %s", (error, message) => {
    assert.strictEqual(HashListSet.messageOf(error), message)
  })
})
