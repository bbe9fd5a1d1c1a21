import { assert, describe, it } from "@effect/vitest"
import * as HashListSet from "../../../src/Lists/HashLists/HashListSet.ts"
import type { Age } from "../../../src/Lists/RefreshedList/ListSchedule.ts"

const MINUTE = 60_000
const NOW = Date.UTC(2026, 10, 21, 9)

const list = (name: string): HashListSet.StoredList => ({
  name,
  version: "AQ==",
  list: { width: 4, bytes: new Uint8Array() }
})

describe("the age of a set", () => {
  it.each<[names: string, refused: string, minutes: number, expected: Age]>([
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
      refused: refused.split(",").filter((name) => name !== ""),
      answeredAt: NOW - minutes * MINUTE,
      waitMillis: 30 * MINUTE
    }
    assert.strictEqual(HashListSet.ageOf(set, NOW), expected)
  })
})
