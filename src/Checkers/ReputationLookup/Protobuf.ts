import { Data, Either } from "effect"

/** The bytes are no protobuf message. `reason` says what is wrong with them. */
export class MalformedProtobuf extends Data.TaggedError("MalformedProtobuf")<{
  readonly reason: "Truncated" | "OverlongVarint" | "InvalidTag" | "UnbalancedGroup"
}> {}

/**
 * One field of a message. `Varint` holds the 64 bits as a signed integer (`int32`, `int64`, `bool` and enumerations;
 * beyond 2^53 it is rounded), `Bytes` a view of the message (strings, bytes, messages, packed fields), and `Other` stands
 * for a fixed-width number or a group, which is passed over.
 */
export type Field =
  | { readonly number: number; readonly wire: "Varint"; readonly value: number }
  | { readonly number: number; readonly wire: "Bytes"; readonly value: Uint8Array }
  | { readonly number: number; readonly wire: "Other" }

const WIRE_TYPES = 8
const VARINT = 0
const FIXED64 = 1
const LENGTH_DELIMITED = 2
const START_GROUP = 3
const END_GROUP = 4
const FIXED32 = 5

const LONGEST_VARINT = 10
const TWO_TO_32 = 2 ** 32

/** Where a varint ended and what it held. */
interface Varint {
  readonly value: number
  readonly end: number
}

const malformed = (reason: MalformedProtobuf["reason"]) => Either.left(new MalformedProtobuf({ reason }))

const varintAt = (bytes: Uint8Array, start: number): Either.Either<Varint, MalformedProtobuf> => {
  let low = 0
  let high = 0
  for (let index = 0; index < LONGEST_VARINT; index++) {
    const byte = bytes[start + index]
    if (byte === undefined) return malformed("Truncated")
    const bits = byte & 0x7f
    if (index < 4) low |= bits << (7 * index)
    else if (index === 4) {
      low |= bits << 28
      high = bits >>> 4
    } else high |= bits << (7 * index - 32)
    if (byte === bits) {
      const isBeyond64Bits = index === LONGEST_VARINT - 1 && bits > 1
      return isBeyond64Bits
        ? malformed("OverlongVarint")
        : Either.right({ value: high * TWO_TO_32 + (low >>> 0), end: start + index + 1 })
    }
  }
  return malformed("OverlongVarint")
}

/**
 * The fields of a message in the order in which they stand
 * (https://protobuf.dev/programming-guides/encoding/): what they mean is the caller's business, and so is passing over
 * the numbers it does not know. Groups are skipped whole. Linear in the length, never throws.
 *
 * `fields(Uint8Array.of(0x08, 0xac, 0x02))` is `[{ number: 1, wire: "Varint", value: 300 }]`.
 */
export const fields = (bytes: Uint8Array): Either.Either<ReadonlyArray<Field>, MalformedProtobuf> =>
  Either.gen(function* () {
    const found: Array<Field> = []
    const openGroups: Array<number> = []
    let position = 0
    const emit = (field: Field) => {
      if (openGroups.length === 0) found.push(field)
    }
    while (position < bytes.length) {
      const tag = yield* varintAt(bytes, position)
      position = tag.end
      const wireType = tag.value % WIRE_TYPES
      const number = Math.floor(tag.value / WIRE_TYPES)
      if (number < 1 || tag.value >= TWO_TO_32) return yield* malformed("InvalidTag")
      switch (wireType) {
        case VARINT: {
          const { value, end } = yield* varintAt(bytes, position)
          position = end
          emit({ number, wire: "Varint", value })
          break
        }
        case LENGTH_DELIMITED: {
          const { value: length, end } = yield* varintAt(bytes, position)
          if (length < 0 || length > bytes.length - end) return yield* malformed("Truncated")
          position = end + length
          emit({ number, wire: "Bytes", value: bytes.subarray(end, position) })
          break
        }
        case FIXED64:
        case FIXED32: {
          position += wireType === FIXED64 ? 8 : 4
          if (position > bytes.length) return yield* malformed("Truncated")
          emit({ number, wire: "Other" })
          break
        }
        case START_GROUP: {
          emit({ number, wire: "Other" })
          openGroups.push(number)
          break
        }
        case END_GROUP: {
          if (openGroups.pop() !== number) return yield* malformed("UnbalancedGroup")
          break
        }
        default:
          return yield* malformed("InvalidTag")
      }
    }
    return openGroups.length === 0 ? found : yield* malformed("UnbalancedGroup")
  })

/**
 * The numbers of a packed repeated field.
 *
 * `packed(Uint8Array.of(0x01, 0xac, 0x02))` is `[1, 300]`.
 */
export const packed = (bytes: Uint8Array): Either.Either<ReadonlyArray<number>, MalformedProtobuf> =>
  Either.gen(function* () {
    const values: Array<number> = []
    let position = 0
    while (position < bytes.length) {
      const { value, end } = yield* varintAt(bytes, position)
      values.push(value)
      position = end
    }
    return values
  })
