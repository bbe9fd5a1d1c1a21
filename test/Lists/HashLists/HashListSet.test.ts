import { assert, describe, it } from "@effect/vitest"
import { Duration, Option } from "effect"
import * as HashListSet from "../../../src/Lists/HashLists/HashListSet.ts"
import * as ListSchedule from "../../../src/Lists/RefreshedList/ListSchedule.ts"
import vectors from "../../fixtures/local-lists-vectors.json" with { type: "json" }

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const NOW = Date.UTC(2026, 10, 21, 9)

const ALMOST_ONE = 1 - Number.EPSILON

const afterFailure = (failures: number, random: number, retryAfterMillis?: number) =>
  Duration.toMillis(ListSchedule.afterFailure(failures, HashListSet.backoff, retryAfterMillis, random))

describe("the wait after failures", () => {
  it.each(vectors.backoff.cases)(
    "is from $min_minutes to $max_minutes minutes after $failures in a row",
    ({ failures, max_minutes, min_minutes }) => {
      const wait = (random: number) => afterFailure(failures, random)
      assert.strictEqual(wait(0), min_minutes * MINUTE)
      assert.strictEqual(wait(ALMOST_ONE), max_minutes * MINUTE)
      assert.isAtLeast(wait(0.5), min_minutes * MINUTE)
      assert.isAtMost(wait(0.5), max_minutes * MINUTE)
    }
  )

  it.each<[retryAfter: Duration.DurationInput, wait: number]>([
    ["1 minute", 15 * MINUTE],
    ["15 minutes", 15 * MINUTE],
    ["2 hours", 2 * HOUR],
    ["30 hours", DAY]
  ])("with a Retry-After of %s after the first failure is %i ms", (retryAfter, wait) => {
    assert.strictEqual(afterFailure(1, 0, Duration.toMillis(retryAfter)), wait)
  })

  it("is finite after a thousand failures", () => {
    assert.strictEqual(afterFailure(1000, 0.5), DAY)
  })
})

describe("the wait after an answer", () => {
  it.each<[waitMillis: number, wait: number]>([
    [30 * MINUTE, 30 * MINUTE],
    [SECOND, SECOND],
    [22 * HOUR, 22 * HOUR],
    // A list of a day is unusable.
    [3 * DAY, 23 * HOUR],
    [0, 15 * SECOND],
    [999, 15 * SECOND]
  ])("that asks for %i ms is %i ms", (waitMillis, wait) => {
    assert.strictEqual(
      Duration.toMillis(HashListSet.waitAfter(Option.some({ lists: [], answeredAt: NOW, waitMillis }))),
      wait
    )
  })
})

describe("the age of a list", () => {
  it.each<[age: number, waitMillis: number, expected: HashListSet.Age]>([
    [0, 30 * MINUTE, "fresh"],
    [HOUR, 30 * MINUTE, "fresh"],
    [HOUR + 1, 30 * MINUTE, "stale"],
    [HOUR, 0, "fresh"],
    [HOUR + 1, 0, "stale"],
    [HOUR, 999, "fresh"],
    [2 * SECOND + 1, SECOND, "stale"],
    [DAY, 30 * MINUTE, "stale"],
    [DAY + 1, 30 * MINUTE, "unusable"],
    [DAY, 20 * HOUR, "fresh"],
    [DAY + 1, 20 * HOUR, "unusable"],
    // By a clock that is a little ahead, and by one that was wrong.
    [-4 * MINUTE, 30 * MINUTE, "fresh"],
    [-6 * MINUTE, 30 * MINUTE, "stale"]
  ])("of %i ms with a wait of %i ms is %s", (age, waitMillis, expected) => {
    assert.strictEqual(HashListSet.ageOf({ answeredAt: NOW - age, waitMillis }, NOW), expected)
  })
})

const list = (name: string): HashListSet.StoredList => ({
  name,
  version: "AQ==",
  width: 4,
  bytes: new Uint8Array()
})

describe("the age of a set", () => {
  it.each<[names: string, refused: string, minutes: number, expected: HashListSet.Age]>([
    ["se-4b,mw-4b", "", 60, "fresh"],
    ["se-4b,mw-4b", "", 61, "stale"],
    ["se-4b,mw-4b", "", 24 * 60 + 1, "unusable"],
    ["se-4b", "mw-4b", 0, "stale"],
    ["se-4b", "mw-4b", 24 * 60 + 1, "unusable"],
    ["se-4b", "gc-32b", 0, "fresh"],
    ["gc-32b", "se-4b", 0, "unusable"]
  ])("with %s, without %s, %i minutes after the answer, is %s", (names, refused, minutes, expected) => {
    const set: HashListSet.HashListSet = {
      lists: names.split(",").map(list),
      answeredAt: NOW - minutes * MINUTE,
      waitMillis: 30 * MINUTE
    }
    const requested = `${names},${refused}`.split(",").filter((name) => name !== "")
    assert.strictEqual(HashListSet.ageOfThreatLists(set, requested, NOW), expected)
  })
})
