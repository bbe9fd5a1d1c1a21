import * as Digest from "../../Url/Digest.ts"
import * as Coverage from "./Coverage.ts"
import * as LastSeen from "./LastSeen.ts"
import * as OtherPages from "./OtherPages.ts"
import * as RecordMeta from "./RecordMeta.ts"
import * as ThreatListBytes from "./ThreatListBytes.ts"

/**
 * Reads records in the order of host and path; several may have the same. The fields are those of the record that the last
 * call of `next` found. `meta` is 0 for a host without records.
 */
export interface Cursor {
  readonly hostHigh: number
  readonly hostLow: number
  readonly pathHigh: number
  readonly pathLow: number
  readonly meta: RecordMeta.RecordMeta
  readonly lastSeen: LastSeen.LastSeen
  /** False at the end. */
  readonly next: () => boolean
}

/** Converts when a record was last seen; undefined if it is past its retention. */
export type Redate = (lastSeen: LastSeen.LastSeen) => LastSeen.LastSeen | undefined

/** Reads the records of a list that are not past their retention. */
export class ListCursor implements Cursor {
  hostHigh = 0
  hostLow = 0
  pathHigh = 0
  pathLow = 0
  meta = 0
  lastSeen = LastSeen.CURRENT
  readonly #sections: ThreatListBytes.Sections
  readonly #redate: Redate
  #host = -1
  #at = 0
  #end = 0

  constructor(sections: ThreatListBytes.Sections, redate: Redate) {
    this.#sections = sections
    this.#redate = redate
  }

  next(): boolean {
    const { hosts, starts, paths, days, meta } = this.#sections
    for (;;) {
      while (this.#at < this.#end) {
        const at = this.#at++
        const lastSeen = this.#redate(days[at] ?? LastSeen.CURRENT)
        if (lastSeen === undefined) continue
        this.pathHigh = paths[2 * at] ?? 0
        this.pathLow = paths[2 * at + 1] ?? 0
        this.meta = meta[at] ?? 0
        this.lastSeen = lastSeen
        return true
      }
      const host = ++this.#host
      if (2 * host >= hosts.length) return false
      this.hostHigh = hosts[2 * host] ?? 0
      this.hostLow = hosts[2 * host + 1] ?? 0
      this.#at = starts[host] ?? 0
      this.#end = starts[host + 1] ?? 0
      if (this.#at < this.#end) continue
      this.pathHigh = 0
      this.pathLow = 0
      this.meta = 0
      return true
    }
  }
}

/** Reads nothing. */
export const nothing: Cursor = {
  ...{ hostHigh: 0, hostLow: 0, pathHigh: 0, pathLow: 0, meta: 0, lastSeen: LastSeen.CURRENT },
  next: () => false
}

const compare = (one: Cursor, other: Cursor): number =>
  one.hostHigh - other.hostHigh ||
  one.hostLow - other.hostLow ||
  one.pathHigh - other.pathHigh ||
  one.pathLow - other.pathLow

/** Bits of a meta in `Writer.#records`. */
const META_BITS = 8

/** Counts the parts of a list and, in its second use, writes them. Takes records in order. */
class Writer {
  hosts = 0
  records = 0
  entries = 0
  entriesInDocument = 0
  readonly #sections: ThreatListBytes.Sections | undefined
  /** Of the path that is being read: each time at which it was last seen, with its meta in the lowest bits. */
  readonly #records: Array<number> = []
  #hostHigh = -1
  #hostLow = -1
  #pathHigh = 0
  #pathLow = 0

  constructor(sections?: ThreatListBytes.Sections) {
    this.#sections = sections
  }

  take({ hostHigh, hostLow, pathHigh, pathLow, meta, lastSeen }: Cursor): void {
    const isOfHost = hostHigh === this.#hostHigh && hostLow === this.#hostLow
    if (!isOfHost || pathHigh !== this.#pathHigh || pathLow !== this.#pathLow) {
      this.endPath()
      this.#pathHigh = pathHigh
      this.#pathLow = pathLow
    }
    if (!isOfHost) this.#enterHost(hostHigh, hostLow)
    if (meta === 0) {
      if (!isOfHost) this.#countEntry(lastSeen)
      return
    }
    const records = this.#records
    const twin = records.findIndex((record) => record >>> META_BITS === lastSeen)
    if (twin === -1) records.push((lastSeen << META_BITS) | meta)
    else
      records[twin] =
        (lastSeen << META_BITS) | RecordMeta.merge((records[twin] ?? 0) & ((1 << META_BITS) - 1), meta)
  }

  /**
   * Adds the records of the last path. An older one loses the coverage that a newer one has, because only the older one
   * expires. Example: `a.example/x` is current with `PAGE` and was in an earlier document with `EXACT | PAGE`. The result is
   * a current record with `PAGE` and an older one with `EXACT`.
   */
  endPath(): void {
    const records = this.#records
    if (records.length > 1) records.sort((left, right) => right - left)
    let covered = 0
    for (const record of records) {
      const meta = record & ((1 << META_BITS) - 1) & ~covered
      covered |= meta & Coverage.ALL
      if ((meta & Coverage.ALL) !== 0) this.#add(meta, record >>> META_BITS)
    }
    records.length = 0
  }

  #enterHost(high: number, low: number): void {
    this.#hostHigh = high
    this.#hostLow = low
    const host = this.hosts++
    const sections = this.#sections
    if (sections === undefined) return
    sections.hosts[2 * host] = high
    sections.hosts[2 * host + 1] = low
    sections.starts[host + 1] = this.records
  }

  #add(meta: RecordMeta.RecordMeta, lastSeen: LastSeen.LastSeen): void {
    if ((meta & Coverage.EXACT) !== 0) this.#countEntry(lastSeen)
    const at = this.records++
    const sections = this.#sections
    if (sections === undefined) return
    const digest = { high: this.#pathHigh, low: this.#pathLow }
    sections.paths[2 * at] = digest.high
    sections.paths[2 * at + 1] = digest.low
    sections.days[at] = lastSeen
    sections.meta[at] = meta
    const host = this.hosts - 1
    sections.starts[host + 1] = this.records
    if ((meta & Coverage.PAGE) !== 0 && !Digest.isRoot(digest))
      sections.otherPages[host] = OtherPages.withPage(sections.otherPages[host] ?? 0, meta)
  }

  #countEntry(lastSeen: LastSeen.LastSeen): void {
    this.entries++
    if (lastSeen === LastSeen.CURRENT) this.entriesInDocument++
  }
}

const write = (writer: Writer, document: Cursor, earlier: Cursor): Writer => {
  let isDocumentLeft = document.next()
  let isEarlierLeft = earlier.next()
  while (isDocumentLeft || isEarlierLeft)
    if (isDocumentLeft && (!isEarlierLeft || compare(document, earlier) <= 0)) {
      writer.take(document)
      isDocumentLeft = document.next()
    } else {
      writer.take(earlier)
      isEarlierLeft = earlier.next()
    }
  writer.endPath()
  return writer
}

/**
 * Makes a list of the records of a document and of an earlier list. The cursors are made twice: first the list's parts are
 * counted, so that its bytes are allocated once. `isDated`: see `Header`.
 */
export const merge = (
  document: () => Cursor,
  earlier: () => Cursor,
  isDated: boolean
): ThreatListBytes.Opened => {
  const { hosts, records, entries, entriesInDocument } = write(new Writer(), document(), earlier())
  const list = ThreatListBytes.allocate({ hosts, records, entries, entriesInDocument, isDated })
  write(new Writer(list.sections), document(), earlier())
  return list
}
