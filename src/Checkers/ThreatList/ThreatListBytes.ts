import { Data, Either } from "effect"
import type { HashKey } from "./KeyedHash.ts"
import type { StampClock } from "./StampClock.ts"

/** The bytes are no list, or one of another version, byte order or length. The caller must build the list anew. */
class NotAThreatList extends Data.TaggedError("NotAThreatList")<{
  /** `Version`: of another version or byte order, or no list. `Buckets`: the buckets do not hold the keys. */
  readonly reason: "TooShort" | "Version" | "Length" | "Buckets"
}> {
  override get message(): string {
    return this.reason
  }
}

/** The head of a list's bytes. */
export interface Header {
  readonly hashKey: HashKey
  readonly keys: number
  /** Distinct URLs and hosts, those of earlier documents included. */
  readonly entries: number
  /** Distinct URLs and hosts of the last document. */
  readonly entriesInDocument: number
  /** Undefined when the feed has no retention. */
  readonly stampClock: StampClock | undefined
}

/** A list as bytes, from the beginning of their buffer. */
export type Bytes = Uint8Array<ArrayBuffer>

/** The keys of a list by bucket, as views on its bytes. */
export interface Sections {
  /** Where each bucket begins; one element more than buckets. */
  readonly offsets: Uint32Array<ArrayBuffer>
  /** Bits 0 to 31 of each key's hash. */
  readonly low: Int32Array<ArrayBuffer>
  /** Bits 32 to 47; the bucket is bits 48 to 63. */
  readonly middle: Uint16Array<ArrayBuffer>
  /** When each key was last seen. Empty in a list without a stamp clock, where all are current. */
  readonly stamps: Uint16Array<ArrayBuffer>
  /** See `KeyMeta`. */
  readonly meta: Uint8Array<ArrayBuffer>
}

export const BUCKETS = 65_536

/** It differs between the byte orders, so that a list of the other order is refused. */
const MAGIC = 0x4c524854
/** Increase it with each change of the format. */
export const VERSION = 2
const WORDS = 8
const CLOCK_AT = WORDS * Uint32Array.BYTES_PER_ELEMENT
const OFFSETS_AT = CLOCK_AT + 2 * Float64Array.BYTES_PER_ELEMENT
const KEYS_AT = OFFSETS_AT + (BUCKETS + 1) * Uint32Array.BYTES_PER_ELEMENT
const KEY_BYTES = 7
const STAMP_BYTES = 2

const byteLength = (keys: number, stamped: boolean): number =>
  KEYS_AT + keys * (stamped ? KEY_BYTES + STAMP_BYTES : KEY_BYTES)

const view = ({ buffer }: Bytes, keys: number, stamped: boolean): Sections => {
  const middleAt = KEYS_AT + keys * Int32Array.BYTES_PER_ELEMENT
  const stampsAt = middleAt + keys * Uint16Array.BYTES_PER_ELEMENT
  const stamps = stamped ? keys : 0
  return {
    offsets: new Uint32Array(buffer, OFFSETS_AT, BUCKETS + 1),
    low: new Int32Array(buffer, KEYS_AT, keys),
    middle: new Uint16Array(buffer, middleAt, keys),
    stamps: new Uint16Array(buffer, stampsAt, stamps),
    meta: new Uint8Array(buffer, stampsAt + stamps * STAMP_BYTES, keys)
  }
}

/** A list's bytes, its header, and its keys as views on the bytes. */
export interface Opened {
  readonly bytes: Bytes
  readonly header: Header
  readonly sections: Sections
}

/** A list with its header written and its sections still empty. */
export const allocate = (header: Header): Opened => {
  const clock = header.stampClock
  const bytes = new Uint8Array(byteLength(header.keys, clock !== undefined))
  new Uint32Array(bytes.buffer, 0, WORDS).set([
    MAGIC,
    VERSION,
    ...header.hashKey,
    header.keys,
    header.entries,
    header.entriesInDocument,
    clock === undefined ? 0 : 1
  ])
  new Float64Array(bytes.buffer, CLOCK_AT, 2).set([clock?.epoch ?? 0, clock?.unit ?? 0])
  return { bytes, header, sections: view(bytes, header.keys, clock !== undefined) }
}

/**
 * The header and the sections of a list's bytes, without copying them. Refuses bytes that are not exactly as long as their
 * header says or have buckets out of order, so that no lookup can leave its bucket. It does not detect changed keys: what
 * stores or sends the bytes needs a checksum.
 */
export const open = (bytes: Bytes): Either.Either<Opened, NotAThreatList> => {
  const refuse = (reason: NotAThreatList["reason"]) => Either.left(new NotAThreatList({ reason }))
  if (bytes.byteLength < KEYS_AT) return refuse("TooShort")
  const [magic, version, k0 = 0, k1 = 0, keys = 0, entries = 0, entriesInDocument = 0, stamped] =
    new Uint32Array(bytes.buffer, 0, WORDS)
  if (magic !== MAGIC || version !== VERSION) return refuse("Version")
  if (bytes.byteLength !== byteLength(keys, stamped === 1)) return refuse("Length")
  const sections = view(bytes, keys, stamped === 1)
  let previous = 0
  for (let bucket = 0; bucket < sections.offsets.length; bucket++) {
    const offset = sections.offsets[bucket] ?? 0
    if (offset < previous) return refuse("Buckets")
    previous = offset
  }
  if (sections.offsets[0] !== 0 || previous !== keys) return refuse("Buckets")
  const [epoch = 0, unit = 0] = new Float64Array(bytes.buffer, CLOCK_AT, 2)
  return Either.right({
    bytes,
    header: {
      hashKey: [k0, k1],
      keys,
      entries,
      entriesInDocument,
      stampClock: stamped === 1 ? { epoch, unit } : undefined
    },
    sections
  })
}
