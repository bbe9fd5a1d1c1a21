import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as ThreatListBytes from "../../../src/Lists/ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../../../src/Lists/ThreatList.ts"
import { kindOf, listOf } from "../../fixtures/ThreatLists.ts"

const entries = [
  "http://evil.example/a?b",
  "http://evil.example/c/",
  "worse.example",
  ...["http://busy.example/1", "http://busy.example/2", "http://busy.example/3"]
]

const copyOf = (bytes: Uint8Array, length = bytes.length): ThreatListBytes.Bytes => {
  const copy = new Uint8Array(length)
  copy.set(bytes.subarray(0, length))
  return copy
}

const reasonOf = (bytes: ThreatListBytes.Bytes): string | undefined =>
  Either.match(ThreatListBytes.open(bytes), { onLeft: ({ reason }) => reason, onRight: () => undefined })

/** The bytes with one 32-bit word changed. */
const withWord = (bytes: Uint8Array, at: number, value: number): ThreatListBytes.Bytes => {
  const changed = copyOf(bytes)
  new Uint32Array(changed.buffer, 0, at + 1)[at] = value
  return changed
}

describe("ThreatListBytes", () => {
  it("are the list itself: opened again they answer the same", () => {
    const list = listOf(entries)
    const again = new ThreatList(Either.getOrThrow(ThreatListBytes.open(copyOf(list.bytes))))
    assert.deepStrictEqual(again.header, list.header)
    for (const url of [
      ...entries,
      "http://evil.example/a",
      "http://sub.worse.example/x",
      "http://busy.example/4",
      "http://good.example/"
    ])
      assert.strictEqual(kindOf(again, url), kindOf(list, url), url)
  })

  it("are refused when they are cut, lengthened, or no list", () => {
    const { bytes } = listOf(entries)
    assert.strictEqual(reasonOf(copyOf(bytes, bytes.length - 1)), "Length")
    assert.strictEqual(reasonOf(copyOf(bytes, bytes.length + 1)), "Length")
    assert.strictEqual(reasonOf(copyOf(bytes, 100)), "TooShort")
    assert.strictEqual(reasonOf(copyOf(bytes, 0)), "TooShort")
    assert.strictEqual(reasonOf(new Uint8Array(bytes.length)), "Version")
    assert.isUndefined(reasonOf(bytes))
  })

  it("are refused in another version or byte order", () => {
    const { bytes } = listOf(entries)
    const [magic = 0] = new Uint32Array(bytes.buffer, 0, 1)
    const swapped = Buffer.alloc(4)
    swapped.writeUInt32LE(magic)
    assert.strictEqual(reasonOf(withWord(bytes, 1, ThreatListBytes.VERSION + 1)), "Version")
    assert.strictEqual(reasonOf(withWord(bytes, 0, swapped.readUInt32BE())), "Version")
  })

  it("are refused with another number of busy hosts", () => {
    const { bytes } = listOf(entries)
    const busySlots = 8
    assert.strictEqual(new Uint32Array(bytes.buffer, 0, 10)[busySlots], 2)
    assert.strictEqual(reasonOf(withWord(bytes, busySlots, 1)), "Length")
    assert.strictEqual(reasonOf(withWord(bytes, busySlots, 0xffffffff)), "Length")
  })

  it("end a search in a table of busy hosts without an empty slot", () => {
    const list = listOf(entries)
    list.sections.busyHosts.pages.fill(5)
    assert.isUndefined(kindOf(list, "http://good.example/"))
    assert.strictEqual(kindOf(list, "http://busy.example/4"), "otherPagesListed")
  })

  it("are refused when a bucket lies outside of the keys", () => {
    const { bytes } = listOf(entries)
    const offsets = 56 / 4
    assert.strictEqual(reasonOf(withWord(bytes, offsets + 100, 0xffff)), "Buckets")
    assert.strictEqual(reasonOf(withWord(bytes, offsets + ThreatListBytes.BUCKETS, 5)), "Buckets")
    assert.strictEqual(reasonOf(withWord(bytes, offsets, 1)), "Buckets")
  })
})
