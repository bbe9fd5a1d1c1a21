import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import type { HashWidth } from "../../../src/Lists/HashLists/HashList.ts"
import * as RiceCoding from "../../../src/Lists/HashLists/RiceCoding.ts"
import {
  additionsOf,
  errorOfVector,
  hashesOf,
  reasonOr,
  sortedList
} from "../../fixtures/HashListMessages.ts"
import vectors from "../../fixtures/local-lists-vectors.json" with { type: "json" }
import * as RiceEncoder from "../../fixtures/RiceEncoder.ts"

const MAX_ENTRIES = 1_000_000

const decode = (coded: RiceCoding.RiceCoded, maxEntries = MAX_ENTRIES) =>
  reasonOr(() => RiceCoding.decode(coded, maxEntries))

/** What is read, or the error. */
const readOr = (read: () => number) => Either.getOrElse(reasonOr(read), (error) => error)

const hex = (text: string) => Uint8Array.from(Buffer.from(text, "hex"))

/** The decoded numbers in hexadecimal, or the error. */
const decoded = (coded: RiceCoding.RiceCoded, maxEntries?: number) =>
  Either.match(decode(coded, maxEntries), {
    onLeft: (error): unknown => error,
    onRight: (bytes) => hashesOf({ width: coded.width, bytes })
  })

/** A message of four-byte numbers. */
const coded = (changes: Partial<RiceCoding.RiceCoded>): RiceCoding.RiceCoded => ({
  width: 4,
  first: hex("00000000"),
  parameter: 0,
  count: 0,
  data: new Uint8Array(),
  ...changes
})

describe("BitReader", () => {
  it.each(vectors.bit_reader)(
    "reads $bits_in_order from the lowest bit of each byte up",
    ({ data_hex, bits_in_order, reads }) => {
      const reader = new RiceCoding.BitReader(hex(data_hex))
      for (const { bits, value, expected_error } of reads) {
        const expected = expected_error === undefined ? value : errorOfVector(expected_error)
        assert.strictEqual(
          readOr(() => reader.number(bits)),
          expected
        )
      }
      const single = new RiceCoding.BitReader(hex(data_hex))
      const each = Array.from({ length: bits_in_order.length }, () => single.number(1))
      assert.strictEqual(each.join(""), bits_in_order)
    }
  )

  it("counts ones across words", () => {
    const reader = new RiceCoding.BitReader(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x03, 0x01))
    assert.strictEqual(reader.number(3), 7)
    assert.strictEqual(reader.ones(), 47)
    assert.strictEqual(reader.number(5), 0)
    assert.strictEqual(reader.ones(), 1)
  })

  it("reads numbers of up to 32 bits at any bit", () => {
    const reader = new RiceCoding.BitReader(hex("f7ffffffff010000"))
    assert.strictEqual(reader.number(3), 7)
    assert.strictEqual(reader.number(32), 0xfffffffe)
    assert.strictEqual(reader.number(25), 0x3f)
  })

  it("does not read zeros past the end: it fails", () => {
    assert.strictEqual(
      readOr(() => new RiceCoding.BitReader(hex("ff")).number(9)),
      "ChecksumMismatch"
    )
    assert.strictEqual(
      readOr(() => new RiceCoding.BitReader(hex("ffffffff")).ones()),
      "ChecksumMismatch"
    )
    assert.strictEqual(
      readOr(() => new RiceCoding.BitReader(new Uint8Array()).ones()),
      "ChecksumMismatch"
    )
  })
})

describe("RiceCoding", () => {
  const widths: ReadonlyArray<
    readonly [
      HashWidth,
      ReadonlyArray<{
        readonly message_hex: string
        readonly values_hex: ReadonlyArray<string>
        readonly rice_parameter: number
        readonly entries_count: number
        readonly encoded_data_hex: string
      }>
    ]
  > = [
    [4, vectors.rice_32],
    [32, vectors.rice_256]
  ]
  describe.each(widths)("for %s bytes", (width, cases) => {
    it.each(cases)(
      "decodes the message $message_hex",
      ({ message_hex, values_hex, rice_parameter, entries_count, encoded_data_hex }) => {
        const additions = additionsOf(width, hex(message_hex))
        assert.deepStrictEqual(decoded(additions), [...values_hex])
        assert.deepInclude(additions, { width, parameter: rice_parameter, count: entries_count })
        assert.strictEqual(Buffer.from(additions.data).toString("hex"), encoded_data_hex)
      }
    )
  })

  it.each(vectors.rice_errors.filter(({ width }) => width === 32 || width === 256))(
    "refuses a message of $width bits with $expected_error: parameter $rice_parameter, count $entries_count, data $encoded_data_hex",
    ({ width, first_value_hex, rice_parameter, entries_count, encoded_data_hex, expected_error }) => {
      const error = decoded({
        width: (width / 8) as HashWidth,
        first: hex(first_value_hex),
        parameter: rice_parameter,
        count: entries_count,
        data: hex(encoded_data_hex)
      })
      assert.strictEqual(error, errorOfVector(expected_error))
    }
  )

  it("reads a message without any field as the one number 0, with count 0", () => {
    assert.deepStrictEqual(decoded(coded({})), ["00000000"])
    assert.deepStrictEqual(decoded(coded({ width: 32, first: new Uint8Array(32) })), ["0".repeat(64)])
  })

  it("looks at neither the parameter nor the data of a single number", () => {
    assert.deepStrictEqual(decoded(coded({ first: hex("0000002a"), parameter: 99, data: hex("ff") })), [
      "0000002a"
    ])
  })

  it("ignores bits after the last number", () => {
    assert.deepStrictEqual(decoded(coded({ parameter: 3, count: 1, data: hex("02ffff") })), [
      "00000000",
      "00000001"
    ])
  })

  it("fails at the end of the data inside a number, and does not read the missing bits as zeros", () => {
    // A count for which there are enough bits, if each difference had one bit and its parameter.
    const missing = coded({ parameter: 3, count: 2, data: hex("7f") })
    assert.strictEqual(decoded(missing), "ChecksumMismatch")
  })

  it("refuses a number that is there twice", () => {
    const twice = coded({ parameter: 3, count: 1, data: hex("00") })
    assert.strictEqual(decoded(twice), "ChecksumMismatch")
    const wide = coded({ width: 32, first: hex("05".padStart(64, "0")), parameter: 240, count: 1 })
    assert.strictEqual(decoded({ ...wide, data: new Uint8Array(31) }), "ChecksumMismatch")
  })

  it("refuses a carry out of the highest byte, and only that", () => {
    const first = "f".repeat(8).padStart(64, "0")
    const data = Buffer.alloc(31)
    data[0] = 2
    const added = { width: 32, parameter: 240, count: 1, data } as const
    assert.deepStrictEqual(decoded(coded({ ...added, first: hex(first) })), [
      first,
      `1${"0".repeat(8)}`.padStart(64, "0")
    ])
    assert.strictEqual(decoded(coded({ ...added, first: hex("f".repeat(64)) })), "ChecksumMismatch")
  })

  it("takes as many entries as allowed, and reserves no memory for one more", () => {
    const three = coded({ parameter: 3, count: 2, data: hex("22") })
    assert.deepStrictEqual(decoded(three, 3), ["00000000", "00000001", "00000002"])
    assert.strictEqual(decoded(three, 2), "TooLarge")
    const announced = coded({ parameter: 3, count: 2 ** 31 - 1, data: new Uint8Array(1_000_000) })
    assert.strictEqual(decoded(announced), "ChecksumMismatch")
    // One bit for each number, where each takes at least four.
    assert.strictEqual(
      decoded(coded({ parameter: 3, count: 8000, data: new Uint8Array(1000) }), 10),
      "ChecksumMismatch"
    )
  })

  it("decodes what is encoded, in each width, with the shortest coding and with others", () => {
    const width = FastCheck.constantFrom<HashWidth>(4, 32)
    const number = (width: HashWidth) => {
      const max = 2n ** BigInt(8 * width) - 1n
      // Near each other, near the ends, and anywhere.
      return FastCheck.oneof(
        FastCheck.bigInt({ min: 0n, max: 50n }),
        FastCheck.bigInt({ min: max - 50n, max }),
        FastCheck.bigInt({ min: 0n, max })
      )
    }
    const list = width.chain((width) =>
      FastCheck.array(number(width), { minLength: 1, maxLength: 30 }).map((numbers) =>
        sortedList(
          width,
          numbers.map((number) => number.toString(16).padStart(2 * width, "0"))
        )
      )
    )
    FastCheck.assert(
      FastCheck.property(list, FastCheck.option(FastCheck.integer({ min: 24, max: 30 })), (list, high) => {
        const parameter = high === null ? undefined : high + 8 * (list.width - 4)
        const message = RiceEncoder.message(list, parameter)
        assert.deepStrictEqual(decoded(additionsOf(list.width, message)), hashesOf(list))
      }),
      { numRuns: 1000 }
    )
  })

  it("decodes each data without a defect: to ascending numbers, or to an error", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.constantFrom<HashWidth>(4, 32),
        FastCheck.integer({ min: 3, max: 30 }),
        FastCheck.integer({ min: 0, max: 20 }),
        FastCheck.uint8Array({ maxLength: 200 }),
        (width, parameter, count, data) => {
          const first = new Uint8Array(width)
          const result = decode({ width, first, parameter: parameter + 8 * (width - 4), count, data })
          if (Either.isLeft(result)) return assert.strictEqual(result.left, "ChecksumMismatch")
          const hashes = hashesOf({ width, bytes: result.right })
          assert.strictEqual(hashes.length, count + 1)
          assert.deepStrictEqual(hashes, [...new Set(hashes)].sort())
        }
      ),
      { numRuns: 2000 }
    )
  })
})
