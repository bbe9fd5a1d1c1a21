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

/**
 * Numbers of 64 bits that are sorted natively, without a comparison in JavaScript. Each is written and read as two words: a BigInt
 * would be an object.
 */
class SortedNumbers {
  readonly #numbers: BigUint64Array<ArrayBuffer>
  readonly #words: Uint32Array

  constructor(length: number) {
    this.#numbers = new BigUint64Array(length)
    this.#words = new Uint32Array(this.#numbers.buffer)
  }

  get length(): number {
    return this.#numbers.length
  }

  set(at: number, high: number, low: number): void {
    this.#words[2 * at + HIGH_WORD] = high
    this.#words[2 * at + LOW_WORD] = low
  }

  high(at: number): number {
    return this.#words[2 * at + HIGH_WORD] ?? 0
  }

  low(at: number): number {
    return this.#words[2 * at + LOW_WORD] ?? 0
  }

  /** Sorts the first of the numbers. */
  sort(count = this.length): void {
    this.#numbers.subarray(0, count).sort()
  }

  /** The same numbers with room for as many others. */
  doubled(): SortedNumbers {
    const larger = new SortedNumbers(2 * this.length)
    larger.#numbers.set(this.#numbers)
    return larger
  }
}

const [LOW_WORD, HIGH_WORD] = endianness() === "LE" ? [0, 1] : [1, 0]

/** Where the rows begin, in ascending order of their words. Only rows of the same host are compared. */
const sorted = (words: Uint32Array, rows: number): Uint32Array => {
  const keys = new SortedNumbers(rows)
  for (let row = 0; row < rows; row++) keys.set(row, words[WORDS_PER_ROW * row] ?? 0, row)
  keys.sort()
  const order = new Uint32Array(rows)
  for (let at = 0; at < rows; at++) order[at] = WORDS_PER_ROW * keys.low(at)
  const compare = (one: number, other: number): number => {
    const word = firstDifference(words, one, other)
    return word === WORDS_PER_ROW ? 0 : (words[one + word] ?? 0) - (words[other + word] ?? 0)
  }
  for (let start = 0, end = 1; start < rows; start = end++) {
    while (end < rows && keys.high(end) === keys.high(start)) end++
    if (end - start > 1) order.subarray(start, end).sort(compare)
  }
  return order
}

/**
 * Counts the parts of the list of these rows and, with sections, writes them.
 *
 * An older record of a path loses the coverage that a newer one has, because only the older one expires. Example:
 * `a.example/x` is current with `PAGE` and was in an earlier document with `EXACT | PAGE`. The result is a current record
 * with `PAGE` and an older one with `EXACT`.
 */
const write = (
  words: Uint32Array,
  order: Uint32Array,
  sections?: ThreatListBytes.Sections
): Omit<ThreatListBytes.Header, "isDated"> => {
  const counts = { hosts: 0, records: 0, entries: 0, entriesInDocument: 0 }
  let before = -1
  /** What newer records of the path cover. */
  let covered = 0
  for (let next = 0; next < order.length; ) {
    const row = order[next++] ?? 0
    const same = before === -1 ? 0 : firstDifference(words, before, row)
    before = row
    const word = words[row + PATH_WORDS] ?? 0
    const age = word >>> META_BITS
    let meta = word & MAX_META
    for (; next < order.length; next++) {
      const twin = order[next] ?? 0
      const word = words[twin + PATH_WORDS] ?? 0
      if (word >>> META_BITS !== age || firstDifference(words, row, twin) < PATH_WORDS) break
      meta = ListRecord.merge(meta, word & MAX_META)
    }
    if (same < PATH_WORDS) covered = 0
    if (same < HOST_WORDS) {
      if (sections !== undefined) {
        sections.hosts[2 * counts.hosts] = words[row] ?? 0
        sections.hosts[2 * counts.hosts + 1] = words[row + 1] ?? 0
        sections.starts[counts.hosts + 1] = counts.records
      }
      counts.hosts++
    }
    meta &= ~covered
    if ((meta & ListRecord.ALL) === 0) continue
    covered |= meta & ListRecord.ALL
    if ((meta & ListRecord.EXACT) !== 0) {
      counts.entries++
      if (age === 0) counts.entriesInDocument++
    }
    if (sections !== undefined) {
      sections.paths[2 * counts.records] = words[row + HOST_WORDS] ?? 0
      sections.paths[2 * counts.records + 1] = words[row + HOST_WORDS + 1] ?? 0
      sections.days[counts.records] = ListRecord.CURRENT - age
      sections.meta[counts.records] = meta
      sections.starts[counts.hosts] = counts.records + 1
    }
    counts.records++
  }
  return counts
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
    const order = sorted(this.#words, this.#rows)
    const isDated = this.#oldestDay !== undefined
    const list = ThreatListBytes.allocate({ ...write(this.#words, order), isDated })
    write(this.#words, order, list.sections)
    return new ThreatList(list)
  }

  #push(
    host: Digest.Digest,
    path: Digest.Digest,
    lastSeen: ListRecord.LastSeen,
    meta: ListRecord.Meta
  ): void {
    const at = WORDS_PER_ROW * this.#rows++
    if (at === this.#words.length) {
      const words = new Uint32Array(2 * at)
      words.set(this.#words)
      this.#words = words
    }
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
  #digests = new SortedNumbers(FIRST_ROWS)
  #count = 0

  /** How many hosts were added, including duplicates. Each takes 8 bytes until `build`. */
  get records(): number {
    return this.#count
  }

  add(host: string): void {
    if (this.#count === this.#digests.length) this.#digests = this.#digests.doubled()
    const { high, low } = Digest.digestOf(host)
    this.#digests.set(this.#count++, high, low)
  }

  build(): ThreatList {
    const digests = this.#digests
    digests.sort(this.#count)
    let hosts = 0
    for (let at = 0; at < this.#count; at++) {
      const high = digests.high(at)
      const low = digests.low(at)
      if (hosts === 0 || high !== digests.high(hosts - 1) || low !== digests.low(hosts - 1))
        digests.set(hosts++, high, low)
    }
    const list = ThreatListBytes.allocate({
      hosts,
      records: 0,
      entries: hosts,
      entriesInDocument: hosts,
      isDated: false
    })
    for (let host = 0; host < hosts; host++) {
      list.sections.hosts[2 * host] = digests.high(host)
      list.sections.hosts[2 * host + 1] = digests.low(host)
    }
    return new ThreatList(list)
  }
}
