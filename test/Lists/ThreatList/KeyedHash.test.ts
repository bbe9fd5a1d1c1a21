import { assert, describe, it } from "@effect/vitest"
import { KeyedHash } from "../../../src/Lists/ThreatList/KeyedHash.ts"

/** `vectors_hsip64` of the reference (https://github.com/veorq/SipHash): the bytes 0, 1, 2, ... under the key 0 to 7. */
const vectors = [
  "218d1f59b9b83cc8",
  "be552412f8387315",
  "064f39ef7c50eb57",
  "ce0f1a45f7060679",
  "d5e78a175be52ea1",
  "cb9d7c3f2f3db580",
  "ce3e91358aa2bc25",
  "ff202728b07bc684",
  "edfee820bce4858c",
  "5b51cccc13888307",
  "95b0469f06a6f2ee",
  "ae26333994ddcd48",
  "7bc71f9faef5c799",
  "5a2352d75a0c3744",
  "3bb1a870eae8e658",
  "217d0bcb4e81c902",
  "7336aad25f7bf3b5"
]

const hashOf = (hash: KeyedHash): string => {
  hash.digest()
  const bytes = Buffer.alloc(8)
  bytes.writeInt32LE(hash.low, 0)
  bytes.writeInt32LE(hash.high, 4)
  return bytes.toString("hex")
}

const key = [0x03020100, 0x07060504] as const
const text = Uint8Array.from(vectors, (_, byte) => byte)

describe("KeyedHash", () => {
  it("is HalfSipHash-2-4 with 64 bits of output", () => {
    const hash = new KeyedHash(key)
    const hashes = vectors.map((_, length) => {
      hash.reset()
      hash.absorb(text, 0, length)
      return hashOf(hash)
    })
    assert.deepStrictEqual(hashes, vectors)
  })

  it("goes on after each digest, upwards or downwards, byte by byte or in words", () => {
    const hash = new KeyedHash(key)
    const byByte = vectors.map((_, length) => {
      if (length > 0) hash.absorb(text, length - 1, length)
      return hashOf(hash)
    })
    assert.deepStrictEqual(byByte, vectors)

    const backwards = text.toReversed()
    for (const [first, end] of [
      [15, 3],
      [11, 6],
      [8, 0]
    ] as const) {
      hash.reset()
      // What is left out of the beginning was absorbed before.
      hash.absorb(text, 0, 16 - first)
      hash.absorb(backwards, first, end)
      assert.strictEqual(hashOf(hash), vectors[16 - end], `${first} down to ${end}`)
    }

    hash.reset()
    for (const word of new Int32Array(text.slice(0, 16).buffer)) hash.absorbWord(word)
    assert.strictEqual(hashOf(hash), vectors[16])
  })

  it("gives one text other hashes under keys that differ in one bit", () => {
    const hashes = [0, 1, 0x80000000].flatMap((word) =>
      [new KeyedHash([word, 0]), new KeyedHash([0, word])].map((hash) => {
        hash.absorb(text, 0, 13)
        return hashOf(hash)
      })
    )
    assert.strictEqual(new Set(hashes).size, 5)
  })
})
