import { assert, describe, it } from "@effect/vitest"
import { Either, Option } from "effect"
import * as FeedManifest from "../../../../src/Checkers/ThreatFeed/Fleet/FeedManifest.ts"

const manifest = {
  version: FeedManifest.VERSION,
  list: { body: { id: "x", bytes: 300_000, pieceBytes: 65_536 }, fetchedAt: 1, answeredAt: 2 },
  failures: 0,
  nextAt: 3
} as const

const text = FeedManifest.encode(manifest)

describe("a manifest", () => {
  it("is read as it was written", () => {
    assert.deepStrictEqual(FeedManifest.decode(text), Either.right(Option.some(manifest)))
  })

  it("is none with a time after the last date", () => {
    const at = (time: string) =>
      Option.isSome(
        Either.getOrThrow(FeedManifest.decode(text.replace('"fetchedAt":1', `"fetchedAt":${time}`)))
      )
    assert.isTrue(at("8.64e15"))
    assert.isFalse(at("8.65e15"))
  })

  it("is none when it is something else", () => {
    for (const other of ["nonsense", "{}", "[]", '{"version":2}'])
      assert.deepStrictEqual(FeedManifest.decode(other), Either.right(Option.none()))
  })

  it("of another version is an error, not none", () => {
    for (const other of ['{"version":3}', text.replace('"version":2', '"version":1')])
      assert.isTrue(Either.isLeft(FeedManifest.decode(other)))
  })
})
