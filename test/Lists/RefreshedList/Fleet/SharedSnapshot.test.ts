import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as SharedSnapshot from "../../../../src/Lists/RefreshedList/Fleet/SharedSnapshot.ts"

const manifest = {
  list: { body: { id: "x", bytes: 300_000, pieceBytes: 65_536 }, answeredAt: 2 },
  failures: 0,
  nextAt: 3
} as const

const text = SharedSnapshot.encodeManifest(manifest)

describe("a manifest", () => {
  it("is read as it was written", () => {
    assert.deepStrictEqual(SharedSnapshot.decodeManifest(text), Option.some(manifest))
  })

  it("holds the metadata of the snapshot", () => {
    const withMetadata = { ...manifest, metadata: '{"fetchedAt":1}' }
    assert.deepStrictEqual(
      SharedSnapshot.decodeManifest(SharedSnapshot.encodeManifest(withMetadata)),
      Option.some(withMetadata)
    )
  })

  it("is none with a time after the last date", () => {
    const at = (time: string) =>
      Option.isSome(SharedSnapshot.decodeManifest(text.replace('"answeredAt":2', `"answeredAt":${time}`)))
    assert.isTrue(at("8.64e15"))
    assert.isFalse(at("8.65e15"))
  })

  it("is none when it is something else", () => {
    for (const other of ["nonsense", "{}", "[]", '{"failures":0}'])
      assert.deepStrictEqual(SharedSnapshot.decodeManifest(other), Option.none())
  })
})
