import { endianness } from "node:os"
import * as Digest from "../../Url/Digest.ts"
import { ThreatList } from "../ThreatList.ts"
import * as ListRecord from "./ListRecord.ts"
import * as ThreatListBytes from "./ThreatListBytes.ts"

const FIRST_ROWS = 16_384

/** A row is the digests of a host and a path, in two words each, and age and meta in one. */
const WORDS_PER_ROW = 5
const HOST_WORDS = 2
const PATH_WORDS = 4

const META_BITS = 8
const MAX_META = 0xff

/** A newer record comes before an older one in the order of this word. The age is 0 for a current record. */
const ageAndMeta = (lastSeen: ListRecord.LastSeen, meta: ListRecord.Meta): number =>
  ((ListRecord.CURRENT - lastSeen) << META_BITS) | meta

const digestAt = (digests: Uint32Array, index: number): Digest.Digest => ({
  high: digests[2 * index] ?? 0,
  low: digests[2 * index + 1] ?? 0
})

/** Of the words of two rows, the place of the first that differs; `WORDS_PER_ROW` if none does. */
const firstDifference = (words: Uint32Array, one: number, other: number): number => {
  let word = 0
  while (word < WORDS_PER_ROW && words[one + word] === words[other + word]) word++
  return word
}

/** The same words, or a copy of twice the length if they are full. */
const withRoom = (words: Uint32Array<ArrayBuffer>, count: number): Uint32Array<ArrayBuffer> => {
  if (count < words.length) return words
  const larger = new Uint32Array(2 * words.length)
  larger.set(words)
  return larger
}

/** Where the halves of a number of 64 bits are, which is sorted natively. As a BigInt each would be an object. */
const [LOW_WORD, HIGH_WORD] = endianness() === "LE" ? [0, 1] : [1, 0]

/** Where the rows begin, in ascending order of their words. Only rows of the same host are compared. */
const sorted = (words: Uint32Array, rows: number): Uint32Array => {
  const keys = new BigUint64Array(rows)
  const halves = new Uint32Array(keys.buffer)
  for (let row = 0; row < rows; row++) {
    halves[2 * row + HIGH_WORD] = words[WORDS_PER_ROW * row] ?? 0
    halves[2 * row + LOW_WORD] = row
  }
  keys.sort()
  const order = new Uint32Array(rows)
  for (let at = 0; at < rows; at++) order[at] = WORDS_PER_ROW * (halves[2 * at + LOW_WORD] ?? 0)
  const compare = (one: number, other: number): number => {
    const word = firstDifference(words, one, other)
    return word === WORDS_PER_ROW ? 0 : (words[one + word] ?? 0) - (words[other + word] ?? 0)
  }
  for (let start = 0, end = 1; start < rows; start = end++) {
    while (end < rows && halves[2 * end + HIGH_WORD] === halves[2 * start + HIGH_WORD]) end++
    if (end - start > 1) order.subarray(start, end).sort(compare)
  }
  return order
}

/**
 * Merges rows of the same path: in place, into the first of each age. Returns the rows that remain, in the same order.
 *
 * An older record of a path loses the coverage that a newer one has, because only the older one expires. Example:
 * `a.example/x` is current with `PAGE` and was in an earlier document with `EXACT | PAGE`. The result is a current record
 * with `PAGE` and an older one with `EXACT`.
 */
const merge = (words: Uint32Array, order: Uint32Array): Uint32Array => {
  let kept = 0
  /** What newer records of the path cover. */
  let covered = 0
  for (let next = 0; next < order.length; ) {
    const row = order[next++] ?? 0
    const word = words[row + PATH_WORDS] ?? 0
    let meta = word & MAX_META
    for (; next < order.length; next++) {
      const twin = order[next] ?? 0
      const other = words[twin + PATH_WORDS] ?? 0
      if (other >>> META_BITS !== word >>> META_BITS || firstDifference(words, row, twin) < PATH_WORDS) break
      meta = ListRecord.merge(meta, other & MAX_META)
    }
    if (kept === 0 || firstDifference(words, order[kept - 1] ?? 0, row) < PATH_WORDS) covered = 0
    meta &= ~covered
    if ((meta & ListRecord.ALL) === 0) continue
    covered |= meta & ListRecord.ALL
    words[row + PATH_WORDS] = word - (word & MAX_META) + meta
    order[kept++] = row
  }
  return order.subarray(0, kept)
}

/**
 * Builds a `ThreatList` from the expressions of a document, which are added one by one; it stores no text.
 *
 * Use it once: `add` every expression, then `keep` the previous list if the feed has a retention, then `build`. A million
 * expressions take a second: not for the thread that answers requests.
 */
export class ThreatListBuilder {
  readonly #oldestDay: ListRecord.LastSeen | undefined
  #words = new Uint32Array(WORDS_PER_ROW * FIRST_ROWS)
  #rows = 0
  /** Most expressions of a host follow each other. */
  #lastHost = "/"
  #lastDigest = Digest.ROOT

  /** `oldestDay` is the first day of the retention; undefined if the feed has none: then `keep` does nothing. */
  constructor(oldestDay?: ListRecord.LastSeen) {
    this.#oldestDay = oldestDay
  }

  /** How many records were added, including those of `keep` and duplicates. Each takes 20 bytes until `build`. */
  get records(): number {
    return this.#rows
  }

  /** Adds an expression; the query is part of `path`. Both are ASCII, as in canonical URLs. */
  add(
    host: string,
    path: string,
    coverage: ListRecord.Coverage,
    category: ListRecord.Category,
    isCopied = false
  ): void {
    const meta = ListRecord.metaOf(coverage, category, isCopied)
    if (host !== this.#lastHost) {
      this.#lastHost = host
      this.#lastDigest = Digest.digestOf(host)
    }
    this.#push(this.#lastDigest, Digest.digestOf(path), ListRecord.CURRENT, meta)
  }

  /**
   * Adds the records of an earlier list that are not past their retention. `fetchedAt` is when the feed last confirmed the
   * earlier list's document. Undefined after a 304: current records stay current. Stops above `maxRecords`, before the rows of
   * a list that will be refused take memory.
   */
  keep(
    { sections }: Pick<ThreatListBytes.Opened, "sections">,
    fetchedAt: number | undefined,
    maxRecords = Number.POSITIVE_INFINITY
  ): void {
    const oldestDay = this.#oldestDay
    if (oldestDay === undefined) return
    const { hosts, starts, paths, days, meta } = sections
    const confirmed = fetchedAt === undefined ? ListRecord.CURRENT : ListRecord.dayOf(fetchedAt)
    for (let host = 0; 2 * host < hosts.length && this.#rows <= maxRecords; host++)
      for (let at = starts[host] ?? 0; at < (starts[host + 1] ?? 0) && this.#rows <= maxRecords; at++) {
        const before = days[at] ?? ListRecord.CURRENT
        const lastSeen = before === ListRecord.CURRENT ? confirmed : before
        if (lastSeen >= oldestDay)
          this.#push(digestAt(hosts, host), digestAt(paths, at), lastSeen, meta[at] ?? 0)
      }
  }

  /** The list. Its parts are counted first, so that its bytes are allocated once. */
  build(): ThreatList {
    const words = this.#words
    const rows = merge(words, sorted(words, this.#rows))
    const isNewHost = (record: number): boolean =>
      record === 0 || firstDifference(words, rows[record - 1] ?? 0, rows[record] ?? 0) < HOST_WORDS
    const counts = { hosts: 0, records: rows.length, entries: 0, entriesInDocument: 0 }
    for (let record = 0; record < rows.length; record++) {
      const word = words[(rows[record] ?? 0) + PATH_WORDS] ?? 0
      if (isNewHost(record)) counts.hosts++
      if ((word & ListRecord.EXACT) === 0) continue
      counts.entries++
      if (word >>> META_BITS === 0) counts.entriesInDocument++
    }
    const list = ThreatListBytes.allocate({ ...counts, isDated: this.#oldestDay !== undefined })
    const { hosts, starts, paths, days, meta } = list.sections
    let host = 0
    for (let record = 0; record < rows.length; record++) {
      const row = rows[record] ?? 0
      if (isNewHost(record)) {
        hosts[2 * host] = words[row] ?? 0
        hosts[2 * host + 1] = words[row + 1] ?? 0
        starts[host++] = record
      }
      paths[2 * record] = words[row + HOST_WORDS] ?? 0
      paths[2 * record + 1] = words[row + HOST_WORDS + 1] ?? 0
      const word = words[row + PATH_WORDS] ?? 0
      days[record] = ListRecord.CURRENT - (word >>> META_BITS)
      meta[record] = word & MAX_META
    }
    starts[host] = rows.length
    return new ThreatList(list)
  }

  #push(
    host: Digest.Digest,
    path: Digest.Digest,
    lastSeen: ListRecord.LastSeen,
    meta: ListRecord.Meta
  ): void {
    const at = WORDS_PER_ROW * this.#rows++
    this.#words = withRoom(this.#words, at)
    this.#words[at] = host.high
    this.#words[at + 1] = host.low
    this.#words[at + 2] = path.high
    this.#words[at + 3] = path.low
    this.#words[at + 4] = ageAndMeta(lastSeen, meta)
  }
}

/**
 * Builds a `ThreatList` of hosts without records, so that only `hasHost` can find them: 12 bytes a host. `add` every host, then
 * `build`.
 */
export class HostListBuilder {
  #digests = new Uint32Array(2 * FIRST_ROWS)
  #count = 0

  /** How many hosts were added, including duplicates. Each takes 8 bytes until `build`. */
  get records(): number {
    return this.#count
  }

  add(host: string): void {
    const at = 2 * this.#count++
    this.#digests = withRoom(this.#digests, at)
    const { high, low } = Digest.digestOf(host)
    this.#digests[at + HIGH_WORD] = high
    this.#digests[at + LOW_WORD] = low
  }

  build(): ThreatList {
    const digests = this.#digests
    new BigUint64Array(digests.buffer, 0, this.#count).sort()
    let hosts = 0
    for (let at = 0; at < 2 * this.#count; at += 2) {
      const isTwin = digests[at] === digests[2 * hosts - 2] && digests[at + 1] === digests[2 * hosts - 1]
      if (hosts === 0 || !isTwin) digests.copyWithin(2 * hosts++, at, at + 2)
    }
    const list = ThreatListBytes.allocate({
      hosts,
      records: 0,
      entries: hosts,
      entriesInDocument: hosts,
      isDated: false
    })
    for (let at = 0; at < 2 * hosts; at += 2) {
      list.sections.hosts[at] = digests[at + HIGH_WORD] ?? 0
      list.sections.hosts[at + 1] = digests[at + LOW_WORD] ?? 0
    }
    return new ThreatList(list)
  }
}
