import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as FeedManifest from "../../../../src/Checkers/ThreatFeed/Fleet/FeedManifest.ts"

const manifest: FeedManifest.FeedManifest = {
  snapshot: { version: "x", bytes: 300_000, pieceBytes: 65_536, fetchedAt: 1, answeredAt: 2 },
  failures: 0,
  nextAt: 3
}

describe("FeedManifest", () => {
  it("comes back as it was", () => {
    assert.deepStrictEqual(FeedManifest.decode(FeedManifest.encode(manifest)), Option.some(manifest))
  })

  it("is none with a time that no date can tell", () => {
    const text = FeedManifest.encode(manifest)
    assert.isTrue(Option.isSome(FeedManifest.decode(text.replace('"fetchedAt":1', '"fetchedAt":8.64e15'))))
    assert.isTrue(Option.isNone(FeedManifest.decode(text.replace('"fetchedAt":1', '"fetchedAt":8.65e15'))))
  })
})
