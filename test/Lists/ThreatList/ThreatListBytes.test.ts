import { assert, describe, it } from "@effect/vitest"
import { FastCheck, Option } from "effect"
import { ThreatListBuilder } from "../../../src/Lists/ThreatList/ThreatListBuilder.ts"
import * as ThreatListBytes from "../../../src/Lists/ThreatList/ThreatListBytes.ts"
import { ThreatList } from "../../../src/Lists/ThreatList.ts"
import { runs } from "../../fixtures/Seed.ts"
import { addAll, kindOf, listOf } from "../../fixtures/ThreatLists.ts"

const entries = [
  "http://evil.example/a?b",
  "http://evil.example/c/",
  "worse.example",
  ...["http://busy.example/1", "http://busy.example/2", "http://busy.example/3"]
]
const asked = [
  ...entries,
  "http://evil.example/a",
  "http://sub.worse.example/x",
  "http://busy.example/4",
  "http://good.example/"
]

const HOSTS = 3
const RECORDS = 7
/** The word at which `starts` begin, behind the header and the digests of the hosts. */
const STARTS = 6 + 2 * HOSTS

const copyOf = (bytes: Uint8Array, length = bytes.length): ThreatListBytes.Bytes => {
  const copy = new Uint8Array(new SharedArrayBuffer(length))
  copy.set(bytes.subarray(0, length))
  return copy
}

const isList = (bytes: ThreatListBytes.Bytes): boolean => Option.isSome(ThreatListBytes.open(bytes))

/** The bytes with one 32-bit word changed. */
const withWord = (bytes: Uint8Array, at: number, value: number): ThreatListBytes.Bytes => {
  const changed = copyOf(bytes)
  new Uint32Array(changed.buffer, 0, at + 1)[at] = value
  return changed
}

describe("ThreatListBytes", () => {
  it("are the list itself: opened again they answer the same", () => {
    const list = listOf(entries)
    assert.deepInclude(list.header, { hosts: HOSTS, records: RECORDS, isDated: false })
    const again = new ThreatList(Option.getOrThrow(ThreatListBytes.open(copyOf(list.bytes))))
    assert.deepStrictEqual(again.header, list.header)
    for (const url of asked) assert.strictEqual(kindOf(again, url), kindOf(list, url), url)
  })

  it("are shared memory, and not copied", () => {
    const { bytes } = listOf(entries)
    assert.instanceOf(bytes.buffer, SharedArrayBuffer)
    assert.strictEqual(Option.getOrThrow(ThreatListBytes.open(bytes)).bytes, bytes)
  })

  it("take 12 bytes a host and 9 a record, 11 with a retention", () => {
    assert.strictEqual(listOf(entries).bytes.length, 28 + 12 * HOSTS + 9 * RECORDS)
    const builder = new ThreatListBuilder(0)
    addAll(builder, entries)
    assert.strictEqual(builder.build().bytes.length, 28 + 12 * HOSTS + 11 * RECORDS)
  })

  it("are refused when they are cut, lengthened, or no list", () => {
    const { bytes } = listOf(entries)
    assert.isFalse(isList(copyOf(bytes, bytes.length - 1)))
    assert.isFalse(isList(copyOf(bytes, bytes.length + 1)))
    assert.isFalse(isList(copyOf(bytes, 23)))
    assert.isFalse(isList(copyOf(bytes, 0)))
    assert.isFalse(isList(new Uint8Array(new SharedArrayBuffer(bytes.length))))
    assert.isTrue(isList(bytes))
  })

  it("are refused in another byte order", () => {
    const { bytes } = listOf(entries)
    const [magic = 0] = new Uint32Array(bytes.buffer, 0, 1)
    const swapped = Buffer.alloc(4)
    swapped.writeUInt32LE(magic)
    assert.isFalse(isList(withWord(bytes, 0, swapped.readUInt32BE())))
  })

  it("are refused when a host has records outside of the list", () => {
    const { bytes } = listOf(entries)
    assert.isFalse(isList(withWord(bytes, STARTS, 1)))
    assert.isFalse(isList(withWord(bytes, STARTS + 1, 0xffff)))
    assert.isFalse(isList(withWord(bytes, STARTS + HOSTS, RECORDS - 1)))
    assert.isFalse(isList(withWord(bytes, STARTS + HOSTS, 0xffffffff)))
  })

  it("never throw and never hang a lookup or a merge, whatever is changed in them", () => {
    const builder = new ThreatListBuilder(0)
    addAll(builder, entries)
    const { bytes } = builder.build()
    const change = FastCheck.tuple(FastCheck.nat(bytes.length - 1), FastCheck.nat(255))
    FastCheck.assert(
      FastCheck.property(FastCheck.array(change, { minLength: 1, maxLength: 20 }), (changes) => {
        const damaged = copyOf(bytes)
        for (const [at, value] of changes) damaged[at] = value
        const opened = ThreatListBytes.open(damaged)
        if (Option.isNone(opened)) return
        const list = new ThreatList(opened.value)
        for (const url of asked) kindOf(list, url)
        list.hasHost("worse.example")
        const merged = new ThreatListBuilder(0)
        addAll(merged, entries)
        merged.keep(list, 0)
        merged.build()
      }),
      { numRuns: runs(2000) }
    )
  })
})
