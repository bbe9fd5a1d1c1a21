import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import * as Protobuf from "../../../src/Checkers/ReputationLookup/Protobuf.ts"

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"))

/** What was read, or the reason why not. */
const read = (hex: string): ReadonlyArray<Protobuf.Field> | string =>
  Either.merge(Either.mapLeft(Protobuf.fields(bytes(hex)), ({ reason }) => reason))

const varint = (value: bigint): ReadonlyArray<number> => {
  const out: Array<number> = []
  let rest = BigInt.asUintN(64, value)
  while (rest > 0x7fn) {
    out.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  return [...out, Number(rest)]
}

describe("Protobuf", () => {
  it("reads each wire type and the signed 64 bits of a varint", () => {
    assert.deepStrictEqual(read(""), [])
    assert.deepStrictEqual(read("08ac02"), [{ number: 1, wire: "Varint", value: 300 }])
    assert.deepStrictEqual(read("08ffffffffffffffffff01"), [{ number: 1, wire: "Varint", value: -1 }])
    assert.deepStrictEqual(read("1203616263"), [
      { number: 2, wire: "Bytes", value: Uint8Array.of(0x61, 0x62, 0x63) }
    ])
    assert.deepStrictEqual(read("1200"), [{ number: 2, wire: "Bytes", value: new Uint8Array() }])
    assert.deepStrictEqual(read("0900000000000000002500000000"), [
      { number: 1, wire: "Other" },
      { number: 4, wire: "Other" }
    ])
    assert.deepStrictEqual(read("f8ffffff0f01"), [{ number: 2 ** 29 - 1, wire: "Varint", value: 1 }])
  })

  it("skips a group with everything in it, nested ones too", () => {
    // group 1 { field 1: 1, group 2 { field 2: 1 } }, field 3: 1
    assert.deepStrictEqual(read("0b0801131001140c1801"), [
      { number: 1, wire: "Other" },
      { number: 3, wire: "Varint", value: 1 }
    ])
  })

  it.each([
    ["a tag that is cut off", "88", "Truncated"],
    ["a varint that is cut off", "08ac", "Truncated"],
    ["a varint that is not there", "08", "Truncated"],
    ["a length beyond the end", "1204616263", "Truncated"],
    ["a length beyond all memory", "12ffffffffffffff7f", "Truncated"],
    ["a negative length", "12ffffffffffffffffff01", "Truncated"],
    ["a fixed number that is cut off", "0900000000000000", "Truncated"],
    ["a short fixed number that is cut off", "0d000000", "Truncated"],
    ["a varint of eleven bytes", "08ffffffffffffffffffff01", "OverlongVarint"],
    ["a varint of more than 64 bits", "08ffffffffffffffffff02", "OverlongVarint"],
    ["field number zero", "0001", "InvalidTag"],
    ["a field number beyond 29 bits", "808080801001", "InvalidTag"],
    ["wire type 6", "0e", "InvalidTag"],
    ["wire type 7", "0f", "InvalidTag"],
    ["a group that never ends", "0b0801", "UnbalancedGroup"],
    ["a group that ends as another", "0b14", "UnbalancedGroup"],
    ["the end of a group that never began", "0c", "UnbalancedGroup"]
  ])("refuses %s", (_, hex, reason) => {
    assert.strictEqual(read(hex), reason)
  })

  it("reads back every varint, also as an element of a packed field", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
        (values) => {
          const written = Uint8Array.from(values.flatMap(varint))
          assert.deepStrictEqual(Protobuf.packed(written), Either.right(values.map(Number)))
          const message = Uint8Array.from(values.flatMap((value) => [0x08, ...varint(value)]))
          assert.deepStrictEqual(
            Protobuf.fields(message),
            Either.right(
              values.map((value) => ({ number: 1, wire: "Varint" as const, value: Number(value) }))
            )
          )
        }
      ),
      { seed: 1, numRuns: 500 }
    )
  })

  it("never throws, and never reads past the end", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.uint8Array({ maxLength: 64 }), (message) => {
        for (const field of Either.getOrElse(Protobuf.fields(message), () => []))
          assert.isAtMost(field.wire === "Bytes" ? field.value.length : 0, message.length)
        Protobuf.packed(message)
      }),
      { seed: 1, numRuns: 20_000 }
    )
  })
})
