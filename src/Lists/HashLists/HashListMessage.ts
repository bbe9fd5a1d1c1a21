import { ListError } from "../ListError.ts"
import type { HashWidth } from "./HashList.ts"
import * as ProtobufMessage from "./ProtobufMessage.ts"
import type { RiceCoded } from "./RiceCoding.ts"

/** What a response says of one list (`HashList` of `google/security/safebrowsing/v5/safebrowsing.proto`). */
export interface HashListMessage {
  readonly name: string
  /** Opaque, in base64. Empty if absent. */
  readonly version: string
  /** If false, the list replaces the earlier one. */
  readonly isPartial: boolean
  /** Undefined: none. A message without any field is one entry of value 0. */
  readonly additions: RiceCoded | undefined
  /** Indices in the earlier list; undefined: none. A message without any field is the index 0. */
  readonly removals: RiceCoded | undefined
  /** How long to send no request for this list; 0 if absent. */
  readonly waitMillis: number
  /** In hexadecimal. Undefined: the earlier list's still holds. */
  readonly checksum: string | undefined
}

const { bytes, fixed64, varint } = ProtobufMessage

/** The first number of a wide message comes in parts of eight bytes, the highest as a varint and the others as `fixed64`. */
const PART_BYTES = 8

const readRice = (width: HashWidth, message: Uint8Array): RiceCoded => {
  const first = new DataView(new ArrayBuffer(width))
  const parts: Record<`part${number}`, ProtobufMessage.Field<void>> = {
    part1: varint(1, (reader) =>
      width < PART_BYTES
        ? first.setUint32(0, reader.uint32())
        : first.setBigUint64(0, BigInt(reader.uint64()))
    )
  }
  let number = 2
  for (let at = PART_BYTES; at < width; at += PART_BYTES)
    parts[`part${number}`] = fixed64(number++, (reader) => first.setBigUint64(at, BigInt(reader.fixed64())))
  const rice = ProtobufMessage.read(message, {
    ...parts,
    parameter: varint(number, (reader) => reader.int32()),
    count: varint(number + 1, (reader) => reader.int32()),
    data: bytes(number + 2, (data) => data)
  })
  const { parameter = 0, count = 0, data = new Uint8Array() } = rice
  return { width, first: new Uint8Array(first.buffer), parameter, count, data }
}

/** The longest `google.protobuf.Duration`, of 10,000 years. */
const MAX_DURATION_MS = 315_576_000_000_000

/** Rounded up. Throws on a negative or over-large duration. */
const waitOf = (duration: Uint8Array): number => {
  const millis = ProtobufMessage.durationMillis(duration)
  if (millis < 0 || millis > MAX_DURATION_MS) throw new Error("duration")
  return Math.ceil(millis)
}

/**
 * Of a name, a version and a checksum, each of which Google makes shorter than 100 bytes. A version has to fit into a URL, and
 * a text of megabytes can end the process: it is beyond the memory of the worker thread.
 */
const MAX_TEXT_BYTES = 1024

const text = (number: number, encoding: "utf8" | "base64" | "hex") =>
  bytes(number, (bytes) => {
    if (bytes.length > MAX_TEXT_BYTES) throw new Error("too long")
    return Buffer.from(bytes).toString(encoding)
  })

const readList = (message: Uint8Array): HashListMessage => {
  let additions: RiceCoded | undefined
  // At most one of the four fields counts: the last.
  const additionsOf = (number: number, width: HashWidth) =>
    bytes(number, (rice) => {
      additions = readRice(width, rice)
    })
  const list = ProtobufMessage.read(message, {
    name: text(1, "utf8"),
    version: text(2, "base64"),
    isPartial: varint(3, (reader) => reader.bool()),
    additions4: additionsOf(4, 4),
    removals: bytes(5, (rice) => readRice(4, rice)),
    waitMillis: bytes(6, waitOf),
    checksum: text(7, "hex"),
    additions32: additionsOf(11, 32)
  })
  const { name = "", version = "", isPartial = false, removals, waitMillis = 0, checksum } = list
  return { name, version, isPartial, additions, removals, waitMillis, checksum }
}

/**
 * Reads a `BatchGetHashListsResponse`: its lists in order, the first `maxLists` of them. Throws a `ListError` of
 * `Malformed`. Empty bytes are a response without lists.
 */
export const decode = (response: Uint8Array, maxLists: number): ReadonlyArray<HashListMessage> => {
  const lists: Array<Uint8Array> = []
  try {
    ProtobufMessage.read(response, {
      lists: bytes(1, (list) => {
        if (lists.length < maxLists) lists.push(list)
      })
    })
    return lists.map(readList)
  } catch {
    throw new ListError("Malformed")
  }
}
