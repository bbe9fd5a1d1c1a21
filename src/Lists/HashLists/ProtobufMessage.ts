import { BinaryReader, WireType } from "@bufbuild/protobuf/wire"

/** A field of a message: its number, its wire type, and what reads its value. */
export interface Field<A> {
  readonly number: number
  readonly wireType: WireType
  readonly read: (reader: BinaryReader) => A
}

const ofType =
  (wireType: WireType) =>
  <A>(number: number, read: Field<A>["read"]): Field<A> => ({ number, wireType, read })

export const varint = ofType(WireType.Varint)
export const fixed64 = ofType(WireType.Bit64)
export const bytes = <A>(number: number, read: (bytes: Uint8Array) => A): Field<A> =>
  ofType(WireType.LengthDelimited)(number, (reader) => read(reader.bytes()))

type Values<Fields> = { [K in keyof Fields]?: Fields[K] extends Field<infer A> ? A : never }

/**
 * Reads the values of known fields, of one that is repeated the last, and skips all other fields. Throws on bytes that are
 * not protobuf and, other than the library's messages, on a known number with another wire type.
 */
export const read = <Fields extends Readonly<Record<string, Field<unknown>>>>(
  message: Uint8Array,
  fields: Fields
): Values<Fields> => {
  const reader = new BinaryReader(message)
  const known = Object.entries(fields)
  const values: Record<string, unknown> = {}
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    const found = known.filter(([, field]) => field.number === number)
    const [name, field] = found.find(([, field]) => field.wireType === wireType) ?? []
    if (name !== undefined && field !== undefined) values[name] = field.read(reader)
    else if (found.length === 0) reader.skip(wireType, number)
    else throw new Error("wire type")
  }
  return values as Values<Fields>
}

const MILLIS_PER_SECOND = 1000
const NANOS_PER_MILLI = 1_000_000

/** A `google.protobuf.Duration` in milliseconds: with a fraction, negative or endless if it was sent so. */
export const durationMillis = (message: Uint8Array): number => {
  const { seconds = 0, nanos = 0 } = read(message, {
    seconds: varint(1, (reader) => Number(reader.int64())),
    nanos: varint(2, (reader) => reader.int32())
  })
  return seconds * MILLIS_PER_SECOND + nanos / NANOS_PER_MILLI
}
