import { BinaryReader, WireType } from "@bufbuild/protobuf/wire"

/** Reads the value of a field. Throws on a wire type that the field does not have. */
export type Field = (reader: BinaryReader, wireType: WireType) => void

const ofType =
  (expected: WireType) =>
  (read: (reader: BinaryReader) => void): Field =>
  (reader, wireType) => {
    if (wireType !== expected) throw new Error("wire type")
    read(reader)
  }

export const varint = ofType(WireType.Varint)
export const fixed64 = ofType(WireType.Bit64)
export const bytes = (read: (bytes: Uint8Array) => void): Field =>
  ofType(WireType.LengthDelimited)((reader) => read(reader.bytes()))

/**
 * Reads the fields of a message that are known by their numbers, skips the others, and returns how many were known. Throws on
 * bytes that are not protobuf and, other than the library's messages, on a known field of another wire type.
 */
export const read = (
  message: Uint8Array,
  fields: { readonly [number: number]: Field | undefined }
): number => {
  const reader = new BinaryReader(message)
  let known = 0
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    const field = fields[number]
    if (field === undefined) reader.skip(wireType, number)
    else {
      known++
      field(reader, wireType)
    }
  }
  return known
}

const MILLIS_PER_SECOND = 1000
const NANOS_PER_MILLI = 1_000_000

/** A `google.protobuf.Duration` in milliseconds: with a fraction, negative or endless if it was sent so. */
export const durationMillis = (message: Uint8Array): number => {
  let seconds = 0
  let nanos = 0
  read(message, {
    1: varint((reader) => {
      seconds = Number(reader.int64())
    }),
    2: varint((reader) => {
      nanos = reader.int32()
    })
  })
  return seconds * MILLIS_PER_SECOND + nanos / NANOS_PER_MILLI
}
