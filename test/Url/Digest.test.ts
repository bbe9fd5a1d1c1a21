import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Digest from "../../src/Url/Digest.ts"

const hex = ({ high, low }: Digest.Digest): string =>
  [high, low].map((word) => word.toString(16).padStart(8, "0")).join("")

const expected = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

const wordsOf = (digests: ReadonlyArray<Digest.Digest>): Uint32Array =>
  Uint32Array.from(digests.flatMap(({ high, low }) => [high, low]))

describe("Digest", () => {
  it("is the beginning of the SHA-256", () => {
    // https://developers.google.com/safe-browsing/reference/URLs.and.Hashing
    assert.strictEqual(hex(Digest.digestOf("foo.com/")), "af30010e4c011fc7")
    for (const text of ["", "/", "evil.example", "x".repeat(100_000)])
      assert.strictEqual(hex(Digest.digestOf(text)), expected(text))
    assert.isTrue(Digest.isRoot(Digest.digestOf("/")))
    assert.isFalse(Digest.isRoot(Digest.digestOf("/a")))
  })

  it("is found among sorted ones, or its place, whatever they are", () => {
    const word = FastCheck.oneof(
      FastCheck.integer({ min: 0, max: 0xffffffff }),
      FastCheck.integer({ min: 0, max: 3 }),
      FastCheck.integer({ min: 0xfffffffe, max: 0xffffffff })
    )
    const digest = FastCheck.record({ high: word, low: word })
    const less = (one: Digest.Digest, other: Digest.Digest) => one.high - other.high || one.low - other.low
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(digest, { maxLength: 300 }),
        FastCheck.nat(300),
        FastCheck.nat(300),
        digest,
        (digests, one, other, wanted) => {
          const sorted = [...digests].sort(less)
          const from = Math.min(one, other, sorted.length)
          const end = Math.min(Math.max(one, other), sorted.length)
          for (const search of [wanted, ...sorted.slice(from, end)]) {
            const place = sorted.slice(from, end).findIndex((digest) => less(digest, search) >= 0)
            assert.strictEqual(
              Digest.search(wordsOf(sorted), from, end, search),
              place === -1 ? end : from + place
            )
          }
          // Words in any order must not hang it.
          Digest.search(wordsOf(digests), from, end, wanted)
        }
      ),
      { numRuns: 500 }
    )
  })
})
