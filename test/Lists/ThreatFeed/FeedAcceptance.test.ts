import { assert, describe, it } from "@effect/vitest"
import { Duration, Option } from "effect"
import { accept, type FeedSnapshot } from "../../../src/Lists/ThreatFeed/FeedSnapshot.ts"
import { ThreatListBuilder } from "../../../src/Lists/ThreatList/ThreatListBuilder.ts"
import { addAll, listOf } from "../../fixtures/ThreatLists.ts"

const hour = Duration.toMillis(Duration.hours(1))

const snapshot = (entries: number, at: number): FeedSnapshot => ({
  list: listOf(Array.from({ length: entries }, (_, i) => `http://h${i}.example/`)),
  fetchedAt: at,
  answeredAt: at,
  validators: { etag: `"${entries}"`, lastModified: undefined },
  counts: { skipped: 0, ignored: 0, firstSkipped: [] },
  shrunkenSince: undefined
})

/** By identity, because a difference of lists would print a quarter of a million bytes. */
const assertAccepted = (previous: Option.Option<FeedSnapshot>, next: FeedSnapshot) => {
  const { snapshot, error } = accept(previous, next)
  assert.isTrue(snapshot === next)
  assert.isTrue(Option.isNone(error))
}

describe("FeedAcceptance", () => {
  it("accepts a first document of one entry", () => {
    const first = snapshot(1, 0)
    assertAccepted(Option.none(), first)
  })

  it("accepts half of the entries before, refuses less", () => {
    const previous = snapshot(10, 0)
    const half = snapshot(5, hour)
    assertAccepted(Option.some(previous), half)

    const { snapshot: current, error } = accept(Option.some(previous), snapshot(4, hour))
    assert.strictEqual(Option.getOrThrow(error).message, "Shrunken (4 entries after 10)")
    assert.isTrue(current.list === previous.list)
    assert.deepInclude(current, {
      fetchedAt: 0,
      answeredAt: hour,
      shrunkenSince: hour,
      validators: previous.validators
    })
  })

  it("accepts the smaller document when it has stayed so for 24 hours", () => {
    let previous = snapshot(10, 0)
    for (const at of [1, 2, 12, 24].map((hours) => hours * hour)) {
      previous = accept(Option.some(previous), snapshot(4, at)).snapshot
      assert.strictEqual(previous.list.header.entries, 10)
      assert.strictEqual(previous.shrunkenSince, hour)
    }
    const small = snapshot(4, 25 * hour)
    assertAccepted(Option.some(previous), small)
  })

  it("does not count what a list keeps from earlier documents", () => {
    const hosts = Array.from({ length: 10 }, (_, i) => `http://h${i}.example/`)
    const earlier = new ThreatListBuilder(0)
    addAll(earlier, hosts)
    const builder = new ThreatListBuilder(0)
    addAll(builder, hosts.slice(0, 4))
    builder.keep(earlier.build(), hour)
    const previous = { ...snapshot(1, hour), list: builder.build() }
    assert.strictEqual(previous.list.header.entries, 10)
    assertAccepted(Option.some(previous), snapshot(2, 2 * hour))
  })

  it("does not doubt for longer when the clock is set back meanwhile", () => {
    let previous = accept(Option.some(snapshot(10, 100 * hour)), snapshot(4, 101 * hour)).snapshot
    previous = accept(Option.some(previous), snapshot(4, hour)).snapshot
    assert.strictEqual(previous.shrunkenSince, hour)
    assertAccepted(Option.some(previous), snapshot(4, 25 * hour))
  })

  it("starts to count again after a document of the old size", () => {
    let previous = accept(Option.some(snapshot(10, 0)), snapshot(4, hour)).snapshot
    previous = accept(Option.some(previous), snapshot(9, 20 * hour)).snapshot
    previous = accept(Option.some(previous), snapshot(4, 26 * hour)).snapshot
    assert.strictEqual(previous.list.header.entries, 9)
    assert.strictEqual(previous.shrunkenSince, 26 * hour)
  })
})
