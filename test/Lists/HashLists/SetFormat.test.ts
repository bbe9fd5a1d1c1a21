import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import type { HashListSet } from "../../../src/Lists/HashLists/HashListSet.ts"
import * as SetFormat from "../../../src/Lists/HashLists/SetFormat.ts"
import * as SnapshotBytes from "../../../src/Lists/RefreshedList/SnapshotBytes.ts"

const source = (
  key = "SECRET-KEY",
  url = "https://safebrowsing.example/",
  names: ReadonlyArray<string> = ["se-4b", "uws-4b", "gc-32b", "gone-4b"]
): SetFormat.Source => ({ key: Redacted.make(key), baseUrl: new URL(url), names })

const format = SetFormat.format(source())
const encode = (set: HashListSet) => SnapshotBytes.encode(format, set)
const decode = (bytes: Uint8Array, of = format) => SnapshotBytes.decode(of, bytes)

const bytesOf = (length: number) => Uint8Array.from({ length }, (_, i) => i % 251)

const set: HashListSet = {
  lists: [
    { name: "se-4b", version: "AAECAw==", list: { width: 4, bytes: bytesOf(4 * 100_000) } },
    { name: "uws-4b", version: "", list: { width: 4, bytes: new Uint8Array() } },
    { name: "gc-32b", version: "BAUG", list: { width: 32, bytes: bytesOf(32 * 3) } }
  ],
  refused: ["gone-4b"],
  answeredAt: 1_795_000_000_000,
  waitMillis: 1_800_000.5
}

const bytes = Buffer.concat([...encode(set)])

const reasonOf = (bytes: Uint8Array, of = format) =>
  decode(bytes, of).pipe(
    Effect.flip,
    Effect.map(({ reason }) => reason),
    Effect.orElseSucceed(() => undefined)
  )

/** The same with other text in the metadata, and the digest for it. */
const changed = (from: string, to: string) => {
  assert.strictEqual(from.length, to.length)
  const content = Buffer.from(bytes.toString("latin1").replace(from, to), "latin1").subarray(0, -32)
  return Buffer.concat([content, createHash("sha256").update(content).digest()])
}

describe("a set of lists as bytes", () => {
  it.effect("is decoded as it was encoded", () =>
    Effect.gen(function* () {
      const again = yield* decode(bytes)
      assert.deepStrictEqual(again, set)
    })
  )

  it.effect("is decoded with a buffer of its own for each list", () =>
    Effect.gen(function* () {
      const { lists } = yield* decode(bytes)
      for (const { list } of lists) assert.strictEqual(list.bytes.buffer.byteLength, list.bytes.length)
    })
  )

  it.effect("is refused when any bit has flipped, and at any length but its own", () =>
    Effect.gen(function* () {
      for (let at = 0; at < bytes.length; at += 1 + Math.floor(at / 20)) {
        const flipped = Buffer.from(bytes)
        flipped[at] = (flipped[at] ?? 0) ^ 0x10
        assert.strictEqual(yield* reasonOf(flipped), "Damaged", `byte ${at}`)
        assert.strictEqual(yield* reasonOf(bytes.subarray(0, at)), "Damaged", `${at} bytes`)
      }
      assert.strictEqual(yield* reasonOf(Buffer.concat([bytes, Buffer.alloc(1)])), "Damaged")
    })
  )

  it.effect("is refused when its parts do not fit together", () =>
    Effect.gen(function* () {
      for (const [from, to] of [
        ['"entries":100000', '"entries":100001'],
        ['"entries":100000', '"entries":100000'.replace("100000", "099999")],
        ['"entries":3', '"entries":2'],
        ['"name":"gc-32b"', '"name":"gc-16b"'],
        ['"name":"gc-32b"', '"name":"gc-32x"'],
        ['"waitMillis":1', '"waitMillis":-']
      ] as const)
        assert.strictEqual(yield* reasonOf(changed(from, to)), "Damaged", to)
    })
  )

  it.effect("is refused when it is of another service, or of other lists", () =>
    Effect.gen(function* () {
      for (const other of [
        source("SECRET-KEY", "https://other.example/"),
        source(undefined, undefined, ["se-4b"])
      ])
        assert.strictEqual(yield* reasonOf(bytes, SetFormat.format(other)), "OtherService")
      assert.isUndefined(yield* reasonOf(bytes, SetFormat.format(source("OTHER-KEY"))))
    })
  )

  it("shows neither the key nor the address", () => {
    const text = bytes.toString("latin1")
    for (const secret of ["SECRET-KEY", "safebrowsing.example"]) assert.notInclude(text, secret)
  })

  it("is encoded in pieces of 256 KiB at most", () => {
    for (const piece of encode(set)) assert.isAtMost(piece.length, 262_144)
  })
})

describe("the metadata of a set", () => {
  it("are those of another replica or of a later answer, with our lists", () => {
    const later = { ...set, answeredAt: set.answeredAt + 1000 }
    const text = format.metadata(later)
    assert.isBelow(text.length, 2000)
    const found = Option.getOrThrow(format.withMetadata(set, text))
    assert.deepStrictEqual(found, later)
    assert.strictEqual(found.lists[0]?.list, set.lists[0]?.list)
  })

  it("are not used when they are something else, or of lists that we do not have", () => {
    const without = { ...set, lists: set.lists.slice(1) }
    for (const [own, text] of [
      [set, "nonsense"],
      [set, "{}"],
      [without, format.metadata(set)],
      [set, format.metadata(set).replace('"entries":3', '"entries":2')],
      // It would not fit into a URL.
      [set, format.metadata(set).replace("AAECAw==", "A".repeat(2049))]
    ] as const)
      assert.deepStrictEqual(format.withMetadata(own, text), Option.none())
  })
})

describe("the name of a fleet's set", () => {
  it("differs by service, key and lists, and shows none of them", () => {
    const digest = SetFormat.digestOf(source())
    assert.match(digest, /^[0-9a-f]{64}$/)
    assert.strictEqual(
      SetFormat.digestOf(source(undefined, undefined, [...source().names].reverse())),
      digest
    )
    for (const other of [
      SetFormat.digestOf(source("OTHER-KEY")),
      SetFormat.digestOf(source("SECRET-KEY", "https://other.example/")),
      SetFormat.digestOf(source(undefined, undefined, ["se-4b"]))
    ])
      assert.notStrictEqual(other, digest)
  })
})
