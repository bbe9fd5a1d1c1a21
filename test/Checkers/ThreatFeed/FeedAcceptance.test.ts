import { assert, describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Duration, Option } from "effect"
import * as FeedAcceptance from "../../../src/Checkers/ThreatFeed/FeedAcceptance.ts"
import type { FeedSnapshot } from "../../../src/Checkers/ThreatFeed/FeedSnapshot.ts"
import { listOf } from "../../fixtures/ThreatLists.ts"

const hour = Duration.toMillis(Duration.hours(1))

const snapshot = (entries: number, at: number): FeedSnapshot => ({
  list: listOf(Array.from({ length: entries }, (_, i) => `http://h${i}.example/`)),
  fetchedAt: at,
  answeredAt: at,
  validators: { etag: `"${entries}"`, lastModified: undefined },
  counts: { skipped: 0, ignored: 0 },
  shrunkenSince: undefined
})

describe("FeedAcceptance", () => {
  it("accepts a first document of one entry", () => {
    const first = snapshot(1, 0)
    deepStrictEqual(FeedAcceptance.judge(Option.none(), first), {
      snapshot: first,
      refusal: Option.none()
    })
  })

  it("accepts half of the entries before, refuses less", () => {
    const held = snapshot(10, 0)
    const half = snapshot(5, hour)
    deepStrictEqual(FeedAcceptance.judge(Option.some(held), half), {
      snapshot: half,
      refusal: Option.none()
    })

    const { snapshot: kept, refusal } = FeedAcceptance.judge(Option.some(held), snapshot(4, hour))
    assert.strictEqual(Option.getOrThrow(refusal).message, "Shrunken (4 entries after 10)")
    deepStrictEqual(kept, { ...held, answeredAt: hour, shrunkenSince: hour })
  })

  it("accepts the smaller document when it has stayed so for 24 hours", () => {
    let held = snapshot(10, 0)
    for (const at of [1, 2, 12, 24].map((hours) => hours * hour)) {
      held = FeedAcceptance.judge(Option.some(held), snapshot(4, at)).snapshot
      assert.strictEqual(held.list.header.entries, 10)
      assert.strictEqual(held.shrunkenSince, hour)
    }
    const small = snapshot(4, 25 * hour)
    deepStrictEqual(FeedAcceptance.judge(Option.some(held), small), {
      snapshot: small,
      refusal: Option.none()
    })
  })

  it("begins to count anew when a document of the old size came in between", () => {
    let held = FeedAcceptance.judge(Option.some(snapshot(10, 0)), snapshot(4, hour)).snapshot
    held = FeedAcceptance.judge(Option.some(held), snapshot(9, 20 * hour)).snapshot
    held = FeedAcceptance.judge(Option.some(held), snapshot(4, 26 * hour)).snapshot
    assert.strictEqual(held.list.header.entries, 9)
    assert.strictEqual(held.shrunkenSince, 26 * hour)
  })
})
