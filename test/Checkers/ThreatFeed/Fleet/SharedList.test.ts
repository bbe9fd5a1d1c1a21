import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import * as SharedList from "../../../../src/Checkers/ThreatFeed/Fleet/SharedList.ts"
import type { FeedSnapshot } from "../../../../src/Checkers/ThreatFeed/Snapshot/FeedSnapshot.ts"
import { noValidators } from "../../../../src/Checkers/ThreatFeed/Worker/BuildRequest.ts"
import * as SharedStoreDouble from "../../../fixtures/SharedStoreDouble.ts"
import { kindOf, listOf } from "../../../fixtures/ThreatLists.ts"

const snapshot = (url: string, answeredAt: number): FeedSnapshot => ({
  list: listOf([url]),
  fetchedAt: answeredAt,
  answeredAt,
  validators: noValidators,
  counts: { skipped: 0, ignored: 0 },
  shrunkenSince: undefined
})

const feed: SharedList.Feed = {
  slot: "feed_c",
  url: new URL("https://feeds.example/list"),
  format: "lines",
  authHeader: Option.none(),
  refresh: Duration.hours(1)
}

describe("SharedList", () => {
  it.effect("loads a list that it published once another is held", () =>
    Effect.gen(function* () {
      const { store } = SharedStoreDouble.make()
      const shared = yield* SharedList.make(store, feed, "x", Effect.succeedNone)
      const first = snapshot("http://evil.example/1", 1)
      const news = { failures: 0, nextAt: 0, snapshot: first, trouble: undefined }
      const published = Option.getOrThrow(yield* shared.publish(yield* shared.standing, news))
      const manifest = Option.getOrThrow(published.manifest).snapshot
      if (manifest === undefined) return assert.fail("nothing was published")

      const itself = Option.getOrThrow(yield* shared.load(manifest, Option.some(first)))
      assert.strictEqual(itself.list, first.list)

      const other = Option.some(snapshot("http://evil.example/2", 2))
      const loaded = Option.getOrThrow(yield* shared.load(manifest, other))
      assert.strictEqual(kindOf(loaded.list, "http://evil.example/1"), "listedUrl")
    })
  )
})
