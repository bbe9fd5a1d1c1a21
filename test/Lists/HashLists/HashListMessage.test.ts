import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire"
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import * as HashSearchClient from "../../../src/Checkers/ReputationLookup/HashSearchClient.ts"
import * as HashListMessage from "../../../src/Lists/HashLists/HashListMessage.ts"
import * as RiceCoding from "../../../src/Lists/HashLists/RiceCoding.ts"
import { field, hashesOf, listOf, listsOf, reasonOr, response } from "../../fixtures/HashListMessages.ts"
import vectors from "../../fixtures/local-lists-vectors.json" with { type: "json" }
import { runs } from "../../fixtures/Seed.ts"

const hex = (...parts: ReadonlyArray<string>) => Uint8Array.from(Buffer.from(parts.join(""), "hex"))

/** The length of hexadecimal bytes, below 128, as a varint. */
const length = (digits: string) => (digits.length / 2).toString(16).padStart(2, "0")

const nothing: HashListMessage.HashListMessage = {
  name: "",
  version: "",
  isPartial: false,
  additions: undefined,
  removals: undefined,
  waitMillis: 0,
  checksum: undefined
}

const vector = (name: string) => {
  const found = vectors.wire_messages.find((vector) => vector.name === name)
  return found === undefined ? assert.fail(name) : hex(found.hex)
}

/** Whether the only list of a response can be read. */
const isReadable = (...parts: ReadonlyArray<string>) => {
  const [list] = listsOf(response(hex(...parts)))
  return list !== undefined && Either.isRight(list)
}

const name = Buffer.from(field(1, Buffer.from("se-4b"))).toString("hex")

describe("HashListMessage", () => {
  it("reads the lists of a Go client", () => {
    assert.deepStrictEqual(listOf(vector("go_client_partial_wait")), {
      ...nothing,
      name: "mw-4b",
      version: Buffer.from("7632", "hex").toString("base64"),
      isPartial: true,
      waitMillis: 3000
    })
  })

  it("reads a response with metadata of lists by their names", () => {
    assert.deepStrictEqual(
      listsOf(vector("list_of_lists")).map(Either.getOrThrow),
      ["se-4b", "gc-32b"].map((name) => ({ ...nothing, name }))
    )
  })

  it.each(["attributes_packed", "attributes_unpacked"])(
    "belongs to a search that drops a hash with %s",
    (name) => {
      const search = Either.getOrThrow(HashSearchClient.decode(vector(name)))
      assert.deepStrictEqual(search.listed, [])
    }
  )

  it("reads empty bytes as a response without lists, and an empty list", () => {
    assert.deepStrictEqual(listsOf(new Uint8Array()), [])
    assert.deepStrictEqual(listsOf(hex("0a00")), [Either.right(nothing)])
  })

  it.each(vectors.removal_indices)("reads the removals $field_hex", ({ field_hex, indices }) => {
    const { removals } = listOf(hex(field_hex))
    if (removals === undefined) return assert.fail("no removals")
    const bytes = RiceCoding.decode(removals, 100)
    assert.deepStrictEqual(
      hashesOf({ width: 4, bytes }).map((index) => Number.parseInt(index, 16)),
      indices
    )
  })

  it("tells an absent message of removals or additions from an empty one", () => {
    const one = { parameter: 0, count: 0, data: new Uint8Array() }
    assert.deepStrictEqual(listOf(hex("2200", "2a00")), {
      ...nothing,
      additions: { width: 4, first: new Uint8Array(4), ...one },
      removals: { width: 4, first: new Uint8Array(4), ...one }
    })
    assert.deepStrictEqual(listOf(hex("5a", "00")).additions, {
      width: 32,
      first: new Uint8Array(32),
      ...one
    })
  })

  it("takes additions from the fields 4 and 11 only", () => {
    for (let number = 1; number <= 20; number++) {
      const isAddition = [4, 11].includes(number)
      const isVarint = number === 3
      const list = isVarint ? listOf(hex("1801")) : listOf(field(number, new Uint8Array()))
      assert.strictEqual(list.additions !== undefined, isAddition, String(number))
    }
  })

  it("takes the last of several additions", () => {
    assert.deepInclude(listOf(hex("5a00", "2200")).additions, { width: 4 })
    assert.deepInclude(listOf(hex("2200", "5a00")).additions, { width: 32 })
  })

  it("reads a first number of each width big-endian, fixed64 parts being little-endian", () => {
    const part = (tag: string, digits: string) => `${tag}${digits.repeat(8)}`
    const first = (tag: string, content: string) =>
      Buffer.from(listOf(hex(tag, length(content), content)).additions?.first ?? []).toString("hex")
    assert.strictEqual(first("22", "08ffffffff0f"), "ffffffff")
    assert.strictEqual(
      first("5a", ["0801", part("11", "22"), part("19", "33"), part("21", "44")].join("")),
      `0000000000000001${"22".repeat(8)}${"33".repeat(8)}${"44".repeat(8)}`
    )
  })

  it("reads a negative count as it is", () => {
    assert.deepInclude(listOf(hex("220b", "18ffffffffffffffffff01")).additions, { count: -1 })
  })

  it("skips unknown fields of the wire types 0, 1, 2 and 5, at every level", () => {
    const unknown = ["7807", "820106667574757265", "89010100000000000000", "950101020304"].join("")
    assert.deepStrictEqual(listOf(hex(name, unknown)), { ...nothing, name: "se-4b" })
    assert.deepInclude(listOf(hex("22", length(unknown), unknown)).additions, { count: 0 })
    assert.deepInclude(listOf(hex("32", length(`0805${unknown}`), `0805${unknown}`)), { waitMillis: 5000 })
    assert.lengthOf(HashListMessage.decode(hex(unknown, "0a07", name), 10), 1)
  })

  it("ignores metadata, whatever is in it", () => {
    assert.deepStrictEqual(listOf(hex(name, "4202ffff")), { ...nothing, name: "se-4b" })
  })

  it("skips unknown groups, and refuses the end of one that never began", () => {
    assert.isTrue(isReadable(name, "7b7c"))
    assert.isFalse(isReadable(name, "7c"))
    assert.isFalse(isReadable(name, "7b".repeat(10_000), "7c".repeat(10_000)))
  })

  it("refuses a known field of another wire type, a length past the end, and an endless varint", () => {
    for (const list of [
      "0801", // a name that is a number
      "1a00", // a flag that is bytes
      "2001", // additions that are a number
      "22020a00", // a first number that is bytes
      "1205ff", // a version of five bytes, one of which is there
      "2a0208", // removals of two bytes, one of which is there
      "18ffffffffffffffffffff01",
      "5a020900", // a part of eight bytes, one of which is there
      "80"
    ])
      assert.isFalse(isReadable(name, list), list)
  })

  it("reads nothing of a response with a list that cannot be read", () => {
    const lists = listsOf(response(hex(name), hex("0801"), hex(name)))
    assert.deepStrictEqual(
      lists.map((list) => (Either.isRight(list) ? list.right.name : list.left)),
      ["Malformed"]
    )
  })

  it("refuses a name, a version or a checksum of more than 1,024 bytes", () => {
    for (const number of [1, 2, 7]) {
      assert.isTrue(isReadable(Buffer.from(field(number, new Uint8Array(1024))).toString("hex")))
      assert.isFalse(isReadable(Buffer.from(field(number, new Uint8Array(1025))).toString("hex")))
    }
  })

  it("reads no more lists than it may, of which a response of 64 MiB has millions", () => {
    assert.lengthOf(HashListMessage.decode(hex("0a00".repeat(100)), 3), 3)
  })

  it("reads a duration in milliseconds, rounded up", () => {
    const wait = (seconds: bigint, nanos = 0) => {
      const duration = new BinaryWriter().tag(1, WireType.Varint).int64(seconds)
      const [list] = listsOf(response(field(6, duration.tag(2, WireType.Varint).int32(nanos).finish())))
      return list === undefined ? assert.fail("no list") : Either.map(list, ({ waitMillis }) => waitMillis)
    }
    const longest = 315_576_000_000n
    assert.deepStrictEqual(listOf(hex("3200")).waitMillis, 0)
    assert.deepStrictEqual(wait(1800n), Either.right(1_800_000))
    assert.deepStrictEqual(wait(2100n, 500_000_000), Either.right(2_100_500))
    assert.deepStrictEqual(wait(0n, 1), Either.right(1))
    assert.deepStrictEqual(wait(1n, 999_999_999), Either.right(2000))
    assert.deepStrictEqual(wait(longest), Either.right(Number(longest) * 1000))
    for (const [seconds, nanos] of [
      [-8n, 0],
      [0n, -1],
      [longest + 1n, 0],
      [2n ** 63n - 1n, 0]
    ] as const)
      assert.deepStrictEqual(wait(seconds, nanos), Either.left("Malformed"), `${seconds} ${nanos}`)
  })

  it("throws nothing else, whatever the bytes", () => {
    const known = FastCheck.constantFrom(
      ...vectors.update_sequences.flatMap(({ steps }) =>
        steps.map(({ body_base64 }) => Buffer.from(body_base64, "base64"))
      )
    )
    const damaged = FastCheck.tuple(known, FastCheck.nat(), FastCheck.nat({ max: 255 })).map(
      ([body, at, byte]) => {
        const bytes = Uint8Array.from(body)
        bytes[at % bytes.length] = byte
        return bytes.subarray(0, at % 3 === 0 ? at % bytes.length : bytes.length)
      }
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.oneof(damaged, FastCheck.uint8Array({ maxLength: 50 })), (bytes) => {
        const lists = reasonOr(() => HashListMessage.decode(bytes, 10))
        if (Either.isLeft(lists)) assert.strictEqual(lists.left, "Malformed")
      }),
      { numRuns: runs(3000) }
    )
  })
})
