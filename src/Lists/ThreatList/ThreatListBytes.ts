import { Data, Either } from "effect"
import type { HostPages } from "./BusyHosts/HostPages.ts"
import * as HostWord from "./BusyHosts/HostWord.ts"
import type { BusyHosts } from "./BusyHosts.ts"
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
  /** Slots of the table of busy hosts. */
  readonly busySlots: number
  /** Records of the pages of hosts; 0 in a list without a stamp clock, which needs none. */
  readonly hostRecords: number
}

/** A list as bytes, from the beginning of their buffer, which threads share. */
export type Bytes = Uint8Array

/** The keys of a list by bucket, and the pages of its hosts, as views on its bytes. */
export interface Sections {
  /** Where each bucket begins; one element more than buckets. */
  readonly offsets: Uint32Array
  /** Bits 0 to 31 of each key's hash. */
  readonly low: Int32Array
  /** Bits 32 to 47; the bucket is bits 48 to 63. */
  readonly middle: Uint16Array
  /** When each key was last seen. Empty in a list without a stamp clock, where all are current. */
  readonly stamps: Uint16Array
  /** See `KeyMeta`. */
  readonly meta: Uint8Array
  readonly busyHosts: BusyHosts
  readonly hostPages: Pick<HostPages, "words" | "stamps" | "pages">
}

export const BUCKETS = 65_536

/** It differs between the byte orders, so that a list of the other order is refused. */
const MAGIC = 0x4c524854
/** Increase it with each change of the format, or of how the rows of a feed become keys. */
export const VERSION = 3
const WORDS = 10
const CLOCK_AT = WORDS * Uint32Array.BYTES_PER_ELEMENT
const OFFSETS_AT = CLOCK_AT + 2 * Float64Array.BYTES_PER_ELEMENT
const KEYS_AT = OFFSETS_AT + (BUCKETS + 1) * Uint32Array.BYTES_PER_ELEMENT
const KEY_BYTES = 7
const STAMP_BYTES = 2
const BUSY_SLOT_BYTES = 12
const HOST_RECORD_BYTES = 14

/** How many elements the sections have. */
interface Sizes {
  readonly keys: number
  readonly stamps: number
  readonly busySlots: number
  readonly hostRecords: number
}

const byteLength = ({ keys, stamps, busySlots, hostRecords }: Sizes): number =>
  KEYS_AT +
  keys * KEY_BYTES +
  stamps * STAMP_BYTES +
  busySlots * BUSY_SLOT_BYTES +
  hostRecords * HOST_RECORD_BYTES

/** The sections lie one after the other, those with the largest elements first. */
const view = ({ buffer }: Bytes, { keys, stamps, busySlots, hostRecords }: Sizes): Sections => {
  let at = OFFSETS_AT
  const words = (length: number) => {
    const section = new Uint32Array(buffer, at, length)
    at += section.byteLength
    return section
  }
  const halfWords = (length: number) => {
    const section = new Uint16Array(buffer, at, length)
    at += section.byteLength
    return section
  }
  const offsets = words(BUCKETS + 1)
  const low = new Int32Array(buffer, at, keys)
  at += low.byteLength
  const busyHosts = { words: words(HostWord.HALVES * busySlots), pages: words(busySlots) }
  const hosts = { words: words(HostWord.HALVES * hostRecords), pages: words(hostRecords) }
  const middle = halfWords(keys)
  const ownStamps = halfWords(stamps)
  const hostPages = { ...hosts, stamps: halfWords(hostRecords) }
  return {
    offsets,
    low,
    middle,
    stamps: ownStamps,
    meta: new Uint8Array(buffer, at, keys),
    busyHosts,
    hostPages
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
  const { keys, busySlots, hostRecords, stampClock: clock } = header
  const sizes = { keys, stamps: clock === undefined ? 0 : keys, busySlots, hostRecords }
  const bytes = new Uint8Array(new SharedArrayBuffer(byteLength(sizes)))
  new Uint32Array(bytes.buffer, 0, WORDS).set([
    MAGIC,
    VERSION,
    ...header.hashKey,
    keys,
    header.entries,
    header.entriesInDocument,
    clock === undefined ? 0 : 1,
    busySlots,
    hostRecords
  ])
  new Float64Array(bytes.buffer, CLOCK_AT, 2).set([clock?.epoch ?? 0, clock?.unit ?? 0])
  return { bytes, header, sections: view(bytes, sizes) }
}

/**
 * The header and the sections of a list's bytes, without copying them. Refuses bytes that are not exactly as long as their
 * header says or have buckets out of order, so that no lookup can leave its bucket. It does not detect changed keys: what
 * stores or sends the bytes needs a checksum.
 */
export const open = (bytes: Bytes): Either.Either<Opened, NotAThreatList> => {
  const refuse = (reason: NotAThreatList["reason"]) => Either.left(new NotAThreatList({ reason }))
  if (bytes.byteLength < KEYS_AT) return refuse("TooShort")
  const [magic, version, k0 = 0, k1 = 0, keys = 0, ...others] = new Uint32Array(bytes.buffer, 0, WORDS)
  const [entries = 0, entriesInDocument = 0, stamped, busySlots = 0, hostRecords = 0] = others
  if (magic !== MAGIC || version !== VERSION) return refuse("Version")
  const sizes = { keys, stamps: stamped === 1 ? keys : 0, busySlots, hostRecords }
  if (bytes.byteLength !== byteLength(sizes)) return refuse("Length")
  const sections = view(bytes, sizes)
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
      stampClock: stamped === 1 ? { epoch, unit } : undefined,
      busySlots,
      hostRecords
    },
    sections
  })
}
