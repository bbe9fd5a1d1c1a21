import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as HashList from "../../../src/Lists/HashLists/HashList.ts"
import * as ExpressionHash from "../../../src/Url/ExpressionHash.ts"

const HASH_DIGITS = 64

/** Digits to the length of a hash. */
const padded = (digits: string) => digits.padEnd(HASH_DIGITS, "0")

const listOf = (width: HashList.HashWidth, hexadecimal: Iterable<string>): HashList.HashList => ({
  width,
  bytes: Uint8Array.from(Buffer.from([...new Set(hexadecimal)].sort().join(""), "hex"))
})

describe("HashList.contains", () => {
  it("finds a hash by its beginning of the list's width", () => {
    const foo = ExpressionHash.ofExpression("foo.com/")
    for (const width of [4, 32] as const) {
      const list = listOf(width, [foo.slice(0, 2 * width)])
      assert.isTrue(HashList.contains(list, foo))
      assert.isFalse(HashList.contains(list, ExpressionHash.ofExpression("bar.com/")))
      const lastDigit = 2 * width - 1
      const other = foo[lastDigit] === "0" ? "1" : "0"
      assert.isFalse(HashList.contains(list, foo.slice(0, lastDigit) + other + foo.slice(lastDigit + 1)))
    }
  })

  it("finds nothing in an empty list", () => {
    const list = listOf(4, [])
    for (const hash of ["00000000", "80000000", "ffffffff"])
      assert.isFalse(HashList.contains(list, padded(hash)))
  })

  it("finds the lowest and the highest hash, and none beside them", () => {
    const hashes = ["00000000", "000fffff", "00100000", "7fffffff", "80000000", "ffefffff", "ffffffff"]
    const list = listOf(4, hashes)
    for (const hash of hashes) assert.isTrue(HashList.contains(list, padded(hash)), hash)
    for (const hash of ["00000001", "000ffffe", "00100001", "7ffffffe", "80000001", "fff00000", "fffffffe"])
      assert.isFalse(HashList.contains(list, padded(hash)), hash)
  })

  it("reads a list that is a part of a buffer", () => {
    const bytes = Uint8Array.from(Buffer.from("ffffffff0000000aeeeeeeee", "hex")).subarray(4, 8)
    const list = { width: 4, bytes } as const
    assert.isTrue(HashList.contains(list, padded("0000000a")))
    assert.isFalse(HashList.contains(list, padded("ffffffff")))
    assert.isFalse(HashList.contains(list, padded("eeeeeeee")))
  })

  it("tells hashes of one beginning apart in a list of whole hashes", () => {
    const beginning = "af30010e"
    const last = (digit: string) => beginning.padEnd(HASH_DIGITS - 1, "0") + digit
    const list = listOf(32, ["2", "4", "6"].map(last))
    const found = ["1", "2", "3", "4", "5", "6", "7"].filter((digit) => HashList.contains(list, last(digit)))
    assert.deepStrictEqual(found, ["2", "4", "6"])
  })

  it("agrees with a set, wherever the hashes are", () => {
    const width = FastCheck.constantFrom<HashList.HashWidth>(4, 32)
    // Few values of the first four bytes, so that some hashes share them.
    const head = FastCheck.oneof(
      FastCheck.integer({ min: 0, max: 3 }),
      FastCheck.integer({ min: 0xffffe, max: 0x100001 }),
      FastCheck.integer({ min: 0, max: 0xffffffff })
    )
    const hash = FastCheck.tuple(head, FastCheck.constantFrom("0", "f")).map(([head, rest]) =>
      head.toString(16).padStart(8, "0").padEnd(HASH_DIGITS, rest)
    )
    FastCheck.assert(
      FastCheck.property(
        width,
        FastCheck.array(hash, { maxLength: 40 }),
        FastCheck.array(hash, { maxLength: 20 }),
        (width, listed, others) => {
          const beginning = (hash: string) => hash.slice(0, 2 * width)
          const set = new Set(listed.map(beginning))
          const list = listOf(width, set)
          for (const hash of [...listed, ...others])
            assert.strictEqual(HashList.contains(list, hash), set.has(beginning(hash)))
        }
      ),
      { numRuns: 300 }
    )
  })
})
