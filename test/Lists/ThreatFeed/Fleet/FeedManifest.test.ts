import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as FeedManifest from "../../../../src/Lists/ThreatFeed/Fleet/FeedManifest.ts"

const manifest = {
  list: { body: { id: "x", bytes: 300_000, pieceBytes: 65_536 }, fetchedAt: 1, answeredAt: 2 },
  failures: 0,
  nextAt: 3
} as const

const text = FeedManifest.encode(manifest)

describe("a manifest", () => {
  it("is read as it was written", () => {
    assert.deepStrictEqual(FeedManifest.decode(text), Option.some(manifest))
  })

  it("of a feed is written as replicas of the version before write it", () => {
    assert.strictEqual(
      text,
      '{"list":{"body":{"id":"x","bytes":300000,"pieceBytes":65536},"fetchedAt":1,"answeredAt":2},"failures":0,"nextAt":3}'
    )
  })

  it("holds the text that a set of lists adds", () => {
    const withDetails = { ...manifest, details: '{"lists":[]}' }
    assert.deepStrictEqual(FeedManifest.decode(FeedManifest.encode(withDetails)), Option.some(withDetails))
  })

  it("is none with a time after the last date", () => {
    const at = (time: string) =>
      Option.isSome(FeedManifest.decode(text.replace('"fetchedAt":1', `"fetchedAt":${time}`)))
    assert.isTrue(at("8.64e15"))
    assert.isFalse(at("8.65e15"))
  })

  it("is none when it is something else", () => {
    for (const other of ["nonsense", "{}", "[]", '{"failures":0}'])
      assert.deepStrictEqual(FeedManifest.decode(other), Option.none())
  })
})
