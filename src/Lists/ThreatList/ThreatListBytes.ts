import { Option } from "effect"

/** The head of a list's bytes. */
export interface Header {
  readonly hosts: number
  /** Listed paths of all hosts. */
  readonly records: number
  /** Distinct URLs and hosts, also of earlier documents. */
  readonly entries: number
  /** Distinct URLs and hosts of the last document. */
  readonly entriesInDocument: number
  /** Whether records have a day: the feed has a retention. */
  readonly isDated: boolean
}

/** A list as bytes that threads share: the whole buffer. */
export type Bytes = Uint8Array<SharedArrayBuffer>

/** The hosts of a list and the records of each, as views on its bytes. Digests are ascending, high and low word in turn. */
export interface Sections {
  /** The digest of each host. */
  readonly hosts: Uint32Array<SharedArrayBuffer>
  /** Where the records of each host begin; one element more than hosts. */
  readonly starts: Uint32Array<SharedArrayBuffer>
  /** The digest of each record's path and query, or of its content form. */
  readonly paths: Uint32Array<SharedArrayBuffer>
  /** When each record was last seen: see `ListRecord.LastSeen`. Empty in a list that is not dated, where all are current. */
  readonly days: Uint16Array<SharedArrayBuffer>
  /** See `ListRecord.Meta`. */
  readonly meta: Uint8Array<SharedArrayBuffer>
}

/** A list's bytes, its header, and its sections. */
export interface Opened {
  readonly bytes: Bytes
  readonly header: Header
  readonly sections: Sections
}

/** It differs between the byte orders, so that a list of the other order is refused. */
const MAGIC = 0x4c524854
/** Increase it with each change of the format, or of how the rows of a feed become records. */
export const VERSION = 18
const HEADER_WORDS = 6
const HEADER_BYTES = HEADER_WORDS * Uint32Array.BYTES_PER_ELEMENT
const HOST_BYTES = 12
const RECORD_BYTES = 9
const DAY_BYTES = 2

type Sizes = Pick<Header, "hosts" | "records" | "isDated">

const byteLength = ({ hosts, records, isDated }: Sizes): number =>
  HEADER_BYTES +
  hosts * HOST_BYTES +
  Uint32Array.BYTES_PER_ELEMENT +
  records * (RECORD_BYTES + (isDated ? DAY_BYTES : 0))

/** The sections lie one after the other, those with the largest elements first. */
const view = ({ buffer }: Bytes, { hosts, records, isDated }: Sizes): Sections => {
  let at = HEADER_BYTES
  const words = (length: number) => {
    const section = new Uint32Array(buffer, at, length)
    at += section.byteLength
    return section
  }
  const wide = { hosts: words(2 * hosts), starts: words(hosts + 1), paths: words(2 * records) }
  const days = new Uint16Array(buffer, at, isDated ? records : 0)
  return { ...wide, days, meta: new Uint8Array(buffer, at + days.byteLength, records) }
}

/** A list with its header written and its sections still empty. */
export const allocate = (header: Header): Opened => {
  const bytes = new Uint8Array(new SharedArrayBuffer(byteLength(header)))
  const { hosts, records, entries, entriesInDocument, isDated } = header
  const words = [MAGIC, hosts, records, entries, entriesInDocument, isDated ? 1 : 0]
  new Uint32Array(bytes.buffer, 0, HEADER_WORDS).set(words)
  return { bytes, header, sections: view(bytes, header) }
}

/** By index: an iterator takes ten times as long, on the thread that answers requests. */
const areInOrder = (starts: Uint32Array): boolean => {
  let previous = 0
  for (let host = 0; host < starts.length; host++) {
    const start = starts[host] ?? 0
    if (start < previous) return false
    previous = start
  }
  return true
}

/**
 * The header and the sections of a list's bytes. None for bytes of another byte order, not exactly as long as their header says, or
 * whose hosts do not have all records in their order, so that no lookup can leave them: the caller must build the list anew. It
 * detects neither changed digests nor another version: what stores or sends the bytes needs a checksum and the version.
 */
export const open = (bytes: Bytes): Option.Option<Opened> => {
  if (bytes.byteLength < HEADER_BYTES) return Option.none()
  const words = new Uint32Array(bytes.buffer, 0, HEADER_WORDS)
  const [magic, hosts = 0, records = 0, entries = 0, entriesInDocument = 0, dated] = words
  const header = { hosts, records, entries, entriesInDocument, isDated: dated === 1 }
  if (magic !== MAGIC || bytes.byteLength !== byteLength(header)) return Option.none()
  const sections = view(bytes, header)
  const { starts } = sections
  const hasAllRecords = areInOrder(starts) && starts[0] === 0 && starts[hosts] === records
  return hasAllRecords ? Option.some({ bytes, header, sections }) : Option.none()
}
