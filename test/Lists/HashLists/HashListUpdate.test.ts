import { hash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import type { HashList, HashWidth } from "../../../src/Lists/HashLists/HashList.ts"
import type { HashListMessage } from "../../../src/Lists/HashLists/HashListMessage.ts"
import * as HashListUpdate from "../../../src/Lists/HashLists/HashListUpdate.ts"
import type { UpdatedList } from "../../../src/Lists/ListWorker/Messages.ts"
import {
  additionsOf,
  field,
  hashesOf,
  listOf,
  reasonOr,
  sortedList
} from "../../fixtures/HashListMessages.ts"
import vectors from "../../fixtures/local-lists-vectors.json" with { type: "json" }
import * as RiceEncoder from "../../fixtures/RiceEncoder.ts"
import * as SafeBrowsingLists from "../../fixtures/SafeBrowsingLists.ts"
import { isNightly, runs } from "../../fixtures/Seed.ts"

const MAX_ENTRIES = 2_000_000

const sha256 = (bytes: Uint8Array) => hash("sha256", bytes, "hex")

const nameOf = (width: HashWidth) => (width === 4 ? "se-4b" : "gc-32b")

/** Hashes of four bytes by their numbers. */
const numbers = (...numbers: ReadonlyArray<number>) =>
  sortedList(
    4,
    numbers.map((number) => number.toString(16).padStart(8, "0"))
  )

const removalsOf = (...indices: ReadonlyArray<number>) =>
  listOf(field(5, RiceEncoder.removals(indices))).removals

const addition = (list: HashList) => additionsOf(list.width, RiceEncoder.message(list))

/** A message of a partial update of a list of four bytes to this content. */
const partial = (to: HashList, changes: Partial<HashListMessage> = {}): HashListMessage => ({
  name: nameOf(to.width),
  version: "Ag==",
  isPartial: true,
  additions: undefined,
  removals: undefined,
  waitMillis: 1_800_000,
  checksum: sha256(to.bytes),
  ...changes
})

const full = (to: HashList, changes: Partial<HashListMessage> = {}) =>
  partial(to, { isPartial: false, ...changes })

const stored = (list: HashList) => ({ version: "AQ==", bytes: Uint8Array.from(list.bytes) })

const none = { version: undefined, bytes: undefined }

const apply = (
  message: HashListMessage,
  earlier: Parameters<typeof HashListUpdate.apply>[1],
  maxEntries = MAX_ENTRIES
) => reasonOr(() => HashListUpdate.apply(message, earlier, maxEntries))

const errorOf = (...parameters: Parameters<typeof apply>) =>
  Either.match(apply(...parameters), { onLeft: (error) => error, onRight: () => "Updated" })

const updated = (...parameters: Parameters<typeof apply>): UpdatedList =>
  Either.getOrThrow(apply(...parameters))

/** The hashes of an updated list as numbers. */
const numbersOf = ({ bytes }: UpdatedList) =>
  hashesOf({ width: 4, bytes: bytes ?? assert.fail("no new bytes") }).map((hash) => Number.parseInt(hash, 16))

describe("HashListUpdate", () => {
  it.each(vectors.checksums.cases)(
    "accepts the checksum $sha256_checksum, and no other",
    ({ hashes_hex, sha256_checksum }) => {
      const [first = ""] = hashes_hex
      const width = (first === "" ? 4 : first.length / 2) as HashWidth
      const list = sortedList(width, hashes_hex)
      const additions = first === "" ? undefined : addition(list)
      assert.deepStrictEqual(updated(full(list, { additions, checksum: sha256_checksum }), none), {
        name: nameOf(width),
        bytes: list.bytes,
        version: "Ag==",
        waitMillis: 1_800_000
      })
      const checksum = sha256_checksum.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))
      assert.strictEqual(errorOf(full(list, { additions, checksum }), none), "ChecksumMismatch")
    }
  )

  // The million of the last case take seconds.
  it.each(vectors.bulk.cases.slice(0, isNightly ? undefined : -1))(
    "decodes and checks $distinct entries",
    ({ n, distinct, sha256_checksum, rice_parameter, entries_count, encoded_sha256 }) => {
      const { bytes } = SafeBrowsingLists.bulk(n)
      const additions = addition({ width: 4, bytes })
      assert.deepInclude(additions, { parameter: rice_parameter, count: entries_count })
      assert.strictEqual(sha256(additions.data), encoded_sha256)
      const whole = full({ width: 4, bytes }, { additions, checksum: sha256_checksum })
      const result = updated(whole, none).bytes ?? assert.fail("no new bytes")
      assert.strictEqual(result.length, distinct * 4)
      assert.strictEqual(Buffer.compare(result, bytes), 0)
    }
  )

  it("removes by the position in the earlier list, not by the value", () => {
    const message = partial(numbers(0, 10, 40), { removals: removalsOf(1, 2) })
    assert.deepStrictEqual(numbersOf(updated(message, stored(numbers(0, 1, 2, 10, 40)))), [0, 10, 40])
  })

  it("removes before it adds: a position counts in the list without the additions", () => {
    const message = partial(numbers(1, 2, 30), {
      removals: removalsOf(0),
      additions: addition(numbers(1, 2))
    })
    assert.deepStrictEqual(numbersOf(updated(message, stored(numbers(20, 30)))), [1, 2, 30])
  })

  it("adds before, between, after, and beside what is removed", () => {
    const message = partial(numbers(1, 10, 21, 29, 40, 41, 60), {
      removals: removalsOf(1, 2, 4),
      additions: addition(numbers(1, 21, 29, 41, 60))
    })
    assert.deepStrictEqual(
      numbersOf(updated(message, stored(numbers(10, 20, 30, 40, 50)))),
      [1, 10, 21, 29, 40, 41, 60]
    )
  })

  it("leaves the earlier list's bytes as they are", () => {
    const earlier = stored(numbers(1, 2, 3))
    updated(partial(numbers(1, 3, 4), { removals: removalsOf(1), additions: addition(numbers(4)) }), earlier)
    assert.deepStrictEqual(earlier, stored(numbers(1, 2, 3)))
  })

  it("removes from a list of whole hashes too", () => {
    const hashes = ["1", "5", "9"].map((digit) => digit.repeat(64))
    const message = partial(sortedList(32, hashes.slice(0, 2)), { removals: removalsOf(2) })
    const { bytes = new Uint8Array() } = updated(message, stored(sortedList(32, hashes)))
    assert.deepStrictEqual(hashesOf({ width: 32, bytes }), hashes.slice(0, 2))
  })

  it("tells hashes of one beginning apart when it adds to a list of whole hashes", () => {
    const [a, b, c] = ["1", "5", "9"].map((digit) => `${"a".repeat(63)}${digit}`) as [string, string, string]
    const message = partial(sortedList(32, [a, b, c]), { additions: addition(sortedList(32, [b])) })
    const { bytes = new Uint8Array() } = updated(message, stored(sortedList(32, [a, c])))
    assert.deepStrictEqual(hashesOf({ width: 32, bytes }), [a, b, c])
    assert.strictEqual(errorOf(message, stored(sortedList(32, [a, b]))), "ChecksumMismatch")
  })

  it("empties a list by removals, and by a full update without additions", () => {
    const list = numbers(7)
    assert.deepStrictEqual(
      numbersOf(updated(partial(numbers(), { removals: removalsOf(0) }), stored(list))),
      []
    )
    assert.deepStrictEqual(numbersOf(updated(full(numbers()), stored(list))), [])
  })

  it("replaces the list by a full update", () => {
    const message = full(numbers(1, 8), { additions: addition(numbers(1, 8)) })
    assert.deepStrictEqual(numbersOf(updated(message, stored(numbers(1, 2, 3)))), [1, 8])
  })

  it("refuses a full update with removals", () => {
    const message = full(numbers(8), { additions: addition(numbers(8)), removals: removalsOf(0) })
    assert.strictEqual(errorOf(message, stored(numbers(1))), "ChecksumMismatch")
  })

  it("keeps the bytes when nothing changes, and takes the version that comes", () => {
    const list = numbers(1, 2)
    const checksum = sha256(list.bytes)
    for (const sent of [checksum, undefined])
      assert.deepStrictEqual(updated(partial(list, { version: "CQ==", checksum: sent }), stored(list)), {
        name: "se-4b",
        bytes: undefined,
        version: "CQ==",
        waitMillis: 1_800_000
      })
    assert.strictEqual(updated(partial(list, { version: "" }), stored(list)).version, "AQ==")
  })

  it("finds a stored list that is not Google's, also when nothing changes", () => {
    assert.strictEqual(errorOf(partial(numbers(1, 2)), stored(numbers(1, 3))), "ChecksumMismatch")
  })

  it("refuses a change without a checksum", () => {
    const additions = addition(numbers(5))
    const checksum = undefined
    const earlier = stored(numbers(1))
    for (const [message, before] of [
      [partial(numbers(1, 5), { additions, checksum }), earlier],
      [full(numbers(5), { additions, checksum }), earlier],
      [full(numbers(5), { additions, checksum }), none],
      [full(numbers(), { checksum }), earlier],
      [full(numbers(), { checksum }), none]
    ] as const)
      assert.strictEqual(errorOf(message, before), "ChecksumMismatch")
  })

  it("refuses a change without a version", () => {
    const additions = addition(numbers(5))
    for (const message of [
      partial(numbers(1, 5), { additions, version: "" }),
      partial(numbers(), { removals: removalsOf(0), version: "" }),
      full(numbers(5), { additions, version: "" }),
      full(numbers(), { version: "" })
    ])
      assert.strictEqual(errorOf(message, stored(numbers(1))), "Malformed")
  })

  it("refuses a partial update of a list that is not there, or whose version was not sent", () => {
    const message = partial(numbers(1, 5), { additions: addition(numbers(5)) })
    for (const earlier of [none, { ...stored(numbers(1)), version: undefined }, { ...none, version: "AQ==" }])
      assert.strictEqual(errorOf(message, earlier), "ChecksumMismatch")
  })

  it("refuses additions of another width", () => {
    const additions = addition(sortedList(32, ["1".padStart(64, "0")]))
    assert.strictEqual(errorOf(full(numbers(1), { additions }), none), "ChecksumMismatch")
  })

  it("refuses an addition that is there already, unless it is removed by the same update", () => {
    const additions = addition(numbers(2))
    const earlier = stored(numbers(1, 2, 3))
    assert.strictEqual(errorOf(partial(numbers(1, 2, 3), { additions }), earlier), "ChecksumMismatch")
    const both = partial(numbers(1, 2, 3), { additions, removals: removalsOf(1) })
    assert.deepStrictEqual(numbersOf(updated(both, earlier)), [1, 2, 3])
  })

  it("refuses a removal that is not in the list", () => {
    for (const indices of [[3], [0, 3], [0, 1, 2, 3], [0xffffffff]])
      assert.strictEqual(
        errorOf(partial(numbers(), { removals: removalsOf(...indices) }), stored(numbers(1, 2, 3))),
        "ChecksumMismatch"
      )
    assert.strictEqual(
      errorOf(partial(numbers(), { removals: removalsOf(0) }), stored(numbers())),
      "ChecksumMismatch"
    )
  })

  it("refuses a list of more entries than allowed, also when it grows slowly", () => {
    const whole = full(numbers(1, 2, 3), { additions: addition(numbers(1, 2, 3)) })
    assert.strictEqual(errorOf(whole, none, 3), "Updated")
    assert.strictEqual(errorOf(whole, none, 2), "TooLarge")
    const grown = partial(numbers(1, 2, 3), { additions: addition(numbers(3)) })
    assert.strictEqual(errorOf(grown, stored(numbers(1, 2)), 3), "Updated")
    assert.strictEqual(errorOf(grown, stored(numbers(1, 2)), 2), "TooLarge")
  })

  it("merges as a set does", () => {
    const width = FastCheck.constantFrom<HashWidth>(4, 32)
    const change = width.chain((width) => {
      const hash = FastCheck.oneof(
        FastCheck.nat({ max: 60 }).map((number) => number.toString(16).padStart(2 * width, "0")),
        FastCheck.nat({ max: 60 }).map((number) => number.toString(16).padEnd(2 * width, "f"))
      )
      const hashes = FastCheck.uniqueArray(hash, { maxLength: 60 })
      return FastCheck.record({
        width: FastCheck.constant(width),
        earlier: hashes,
        others: hashes,
        isRemoved: FastCheck.func(FastCheck.boolean())
      })
    })
    FastCheck.assert(
      FastCheck.property(change, ({ width, earlier, others, isRemoved }) => {
        const before = sortedList(width, earlier)
        const sorted = hashesOf(before)
        const indices = [...sorted.keys()].filter((index) => isRemoved(sorted[index]))
        const added = others.filter((hash) => !sorted.includes(hash))
        const after = sortedList(width, [...sorted.filter((_, index) => !indices.includes(index)), ...added])
        const message = partial(after, {
          additions: added.length === 0 ? undefined : addition(sortedList(width, added)),
          removals: indices.length === 0 ? undefined : removalsOf(...indices)
        })
        const { bytes = before.bytes } = updated(message, stored(before))
        assert.deepStrictEqual(hashesOf({ width, bytes }), hashesOf(after))
      }),
      { numRuns: runs(1000) }
    )
  })
})
