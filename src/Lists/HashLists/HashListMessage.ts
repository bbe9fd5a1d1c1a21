import { ThrownListError } from "../ListWorker/Messages.ts"
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
  const rice = { parameter: 0, count: 0, data: new Uint8Array() as Uint8Array }
  const highest = varint((reader) =>
    width < PART_BYTES ? first.setUint32(0, reader.uint32()) : first.setBigUint64(0, BigInt(reader.uint64()))
  )
  const lower: Array<ProtobufMessage.Field> = []
  for (let at = PART_BYTES; at < width; at += PART_BYTES)
    lower.push(fixed64((reader) => first.setBigUint64(at, BigInt(reader.fixed64()))))
  ProtobufMessage.read(message, [
    undefined, // no field has the number 0
    highest,
    ...lower,
    varint((reader) => {
      rice.parameter = reader.int32()
    }),
    varint((reader) => {
      rice.count = reader.int32()
    }),
    bytes((data) => {
      rice.data = data
    })
  ])
  return { width, first: new Uint8Array(first.buffer), ...rice }
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

const text = (encoding: "utf8" | "base64" | "hex", read: (text: string) => void): ProtobufMessage.Field =>
  bytes((bytes) => {
    if (bytes.length > MAX_TEXT_BYTES) throw new Error("too long")
    read(Buffer.from(bytes).toString(encoding))
  })

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

const readList = (message: Uint8Array): HashListMessage => {
  const list: Mutable<HashListMessage> = {
    name: "",
    version: "",
    isPartial: false,
    additions: undefined,
    removals: undefined,
    waitMillis: 0,
    checksum: undefined
  }
  // At most one of the four fields counts: the last.
  const additions = (width: HashWidth) =>
    bytes((rice) => {
      list.additions = readRice(width, rice)
    })
  ProtobufMessage.read(message, {
    1: text("utf8", (name) => {
      list.name = name
    }),
    2: text("base64", (version) => {
      list.version = version
    }),
    3: varint((reader) => {
      list.isPartial = reader.bool()
    }),
    4: additions(4),
    5: bytes((rice) => {
      list.removals = readRice(4, rice)
    }),
    6: bytes((duration) => {
      list.waitMillis = waitOf(duration)
    }),
    7: text("hex", (checksum) => {
      list.checksum = checksum
    }),
    9: additions(8),
    10: additions(16),
    11: additions(32)
  })
  return list
}

/** What reads the bytes, or undefined if they are not the message: the reader then throws an `Error`. */
const ifReadable = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/**
 * Reads a `BatchGetHashListsResponse`: its lists in order, the first `maxLists` of them. One that cannot be read is undefined
 * and does not spoil the others. Throws a `ThrownListError` of `Malformed`. Empty bytes are a response without lists.
 */
export const decode = (
  response: Uint8Array,
  maxLists: number
): ReadonlyArray<HashListMessage | undefined> => {
  const lists = ifReadable(() => {
    const lists: Array<Uint8Array> = []
    ProtobufMessage.read(response, {
      1: bytes((list) => {
        if (lists.length < maxLists) lists.push(list)
      })
    })
    return lists
  })
  if (lists === undefined) throw new ThrownListError("Malformed")
  return lists.map((list) => ifReadable(() => readList(list)))
}
