import { assert, describe, it } from "@effect/vitest"
import { Either, Redacted } from "effect"
import * as HashListSet from "../../../src/Lists/HashLists/HashListSet.ts"

const source = (
  key = "SECRET-KEY",
  url = "https://safebrowsing.example/",
  names: ReadonlyArray<string> = ["se-4b", "uws-4b", "gc-32b", "gone-4b"]
): HashListSet.Source => ({ key: Redacted.make(key), baseUrl: new URL(url), names })

const format = HashListSet.format(source())

const bytesOf = (length: number) => Uint8Array.from({ length }, (_, i) => i % 251)

const set: HashListSet.HashListSet = {
  lists: [
    { name: "se-4b", version: "AAECAw==", width: 4, bytes: bytesOf(4 * 100_000) },
    { name: "uws-4b", version: "", width: 4, bytes: new Uint8Array() },
    { name: "gc-32b", version: "BAUG", width: 32, bytes: bytesOf(32 * 3) }
  ],
  answeredAt: 1_795_000_000_000,
  waitMillis: 1_800_000.5
}

const stored = format.encode(set)

const reasonOf = (metadata: string, parts = stored.parts, of = format) =>
  Either.match(of.decode({ metadata, parts }), { onLeft: (reason) => reason, onRight: () => undefined })

describe("a set of lists as it is stored", () => {
  it("is decoded as it was encoded, with the same parts", () => {
    const again = Either.getOrThrow(format.decode(stored))
    assert.deepStrictEqual(again, set)
    assert.strictEqual(again.lists[0]?.bytes, set.lists[0]?.bytes)
  })

  it("has the times of a later answer, with our lists", () => {
    const later = { ...set, answeredAt: set.answeredAt + 1000 }
    const { metadata } = format.encode(later)
    assert.isBelow(metadata.length, 2000)
    assert.deepStrictEqual(Either.getOrThrow(format.decode({ ...stored, metadata })), later)
  })

  it("is refused when it is something else, or its parts do not fit together", () => {
    for (const metadata of ["nonsense", "{}"]) assert.strictEqual(reasonOf(metadata), "Damaged")
    for (const parts of [[], stored.parts.slice(1), [...stored.parts, bytesOf(4)]])
      assert.strictEqual(reasonOf(stored.metadata, parts), "Damaged")
    for (const [from, to] of [
      ['"name":"uws-4b","version":""', '"name":"uws-4b","version":1'],
      ['"waitMillis":1', '"waitMillis":-'],
      // It would not fit into a URL.
      ["AAECAw==", "A".repeat(2049)]
    ] as const) {
      assert.include(stored.metadata, from)
      assert.strictEqual(reasonOf(stored.metadata.replace(from, to)), "Damaged", to)
    }
    const [first = bytesOf(0), ...others] = stored.parts
    assert.strictEqual(reasonOf(stored.metadata, [first.subarray(1), ...others]), "Damaged")
  })

  it("is refused when it is of another service, or of other lists", () => {
    for (const other of [
      source("SECRET-KEY", "https://other.example/"),
      source(undefined, undefined, ["se-4b"])
    ])
      assert.strictEqual(reasonOf(stored.metadata, stored.parts, HashListSet.format(other)), "OtherService")
    assert.isUndefined(reasonOf(stored.metadata, stored.parts, HashListSet.format(source("OTHER-KEY"))))
  })

  it("shows neither the key nor the address", () => {
    for (const secret of ["SECRET-KEY", "safebrowsing.example"]) assert.notInclude(stored.metadata, secret)
  })
})

describe("the name of a fleet's set", () => {
  it("differs by service, key and lists, and shows none of them", () => {
    const digest = HashListSet.digestOf(source())
    assert.match(digest, /^[0-9a-f]{64}$/)
    assert.strictEqual(
      HashListSet.digestOf(source(undefined, undefined, [...source().names].reverse())),
      digest
    )
    for (const other of [
      HashListSet.digestOf(source("OTHER-KEY")),
      HashListSet.digestOf(source("SECRET-KEY", "https://other.example/")),
      HashListSet.digestOf(source(undefined, undefined, ["se-4b"]))
    ])
      assert.notStrictEqual(other, digest)
  })
})
