import * as Digest from "../../Url/Digest.ts"
import { ThreatList } from "../ThreatList.ts"
import type { Category } from "./Category.ts"
import type * as Coverage from "./Coverage.ts"
import * as LastSeen from "./LastSeen.ts"
import * as RecordMeta from "./RecordMeta.ts"
import type * as ThreatListBytes from "./ThreatListBytes.ts"
import * as ThreatListMerge from "./ThreatListMerge.ts"

const FIRST_ROWS = 16_384

/** Of a row: the digest of its host and that of its path, in two words each. */
const WORDS_PER_ROW = 4

/** The indices of rows in ascending order of their words: a merge sort, which is as fast for any rows. */
const sorted = (words: Uint32Array, rows: number): Uint32Array => {
  const isGreater = (one: number, other: number): boolean => {
    for (let word = 0; word < WORDS_PER_ROW; word++) {
      const left = words[WORDS_PER_ROW * one + word] ?? 0
      const right = words[WORDS_PER_ROW * other + word] ?? 0
      if (left !== right) return left > right
    }
    return false
  }
  let from = new Uint32Array(rows)
  let to = new Uint32Array(rows)
  for (let row = 0; row < rows; row++) from[row] = row
  for (let width = 1; width < rows; width *= 2) {
    for (let start = 0; start < rows; start += 2 * width) {
      const middle = Math.min(start + width, rows)
      const end = Math.min(middle + width, rows)
      let left = start
      let right = middle
      for (let at = start; at < end; at++) {
        const isRight = left === middle || (right < end && isGreater(from[left] ?? 0, from[right] ?? 0))
        to[at] = from[isRight ? right++ : left++] ?? 0
      }
    }
    ;[from, to] = [to, from]
  }
  return from
}

/** Reads rows in this order. */
class RowCursor implements ThreatListMerge.Cursor {
  hostHigh = 0
  hostLow = 0
  pathHigh = 0
  pathLow = 0
  meta = 0
  readonly lastSeen = LastSeen.CURRENT
  readonly #words: Uint32Array
  readonly #metas: Uint8Array
  readonly #order: Uint32Array
  #at = 0

  constructor(words: Uint32Array, metas: Uint8Array, order: Uint32Array) {
    this.#words = words
    this.#metas = metas
    this.#order = order
  }

  next(): boolean {
    if (this.#at === this.#order.length) return false
    const row = this.#order[this.#at++] ?? 0
    const word = WORDS_PER_ROW * row
    this.hostHigh = this.#words[word] ?? 0
    this.hostLow = this.#words[word + 1] ?? 0
    this.pathHigh = this.#words[word + 2] ?? 0
    this.pathLow = this.#words[word + 3] ?? 0
    this.meta = this.#metas[row] ?? 0
    return true
  }
}

/**
 * Builds a `ThreatList` from the expressions of a document, which are added one by one; it stores no text.
 *
 * Use it once: `add` every expression, then `keep` the previous list if the feed has a retention, then `build`. A million
 * expressions take a second: not for the thread that answers requests.
 */
export class ThreatListBuilder {
  readonly #oldestDay: LastSeen.LastSeen | undefined
  #words = new Uint32Array(WORDS_PER_ROW * FIRST_ROWS)
  #metas = new Uint8Array(FIRST_ROWS)
  #rows = 0
  #host = ""
  #hostDigest = Digest.digestOf("")
  #earlier: () => ThreatListMerge.Cursor = () => ThreatListMerge.nothing
  #earlierRecords = 0

  /** `oldestDay` is the first day of the retention; undefined if the feed has none: then `keep` does nothing. */
  constructor(oldestDay?: LastSeen.LastSeen) {
    this.#oldestDay = oldestDay
  }

  /** How many records were added, those of `keep` and duplicates included. Each takes 17 bytes until `build`. */
  get records(): number {
    return this.#rows + this.#earlierRecords
  }

  /** Adds an expression; the query is part of `path`. Both are ASCII, as in canonical URLs. */
  add(host: string, path: string, coverage: Coverage.Coverage, category: Category): void {
    const { high, low } = path === "/" ? Digest.ROOT : Digest.digestOf(path)
    this.#push(host, high, low, RecordMeta.make(coverage, category))
  }

  /** Adds a host without pages, which covers nothing: see `ThreatList.hasHost`. */
  addHost(host: string): void {
    this.#push(host, 0, 0, 0)
  }

  /**
   * Adds the records of an earlier list that are not past their retention. `fetchedAt` is when the feed last confirmed the
   * earlier list's document. Undefined after a 304: current records stay current.
   */
  keep({ sections }: Pick<ThreatListBytes.Opened, "sections">, fetchedAt: number | undefined): void {
    const oldestDay = this.#oldestDay
    if (oldestDay === undefined) return
    const confirmed = fetchedAt === undefined ? LastSeen.CURRENT : LastSeen.dayOf(fetchedAt)
    const redate = (before: LastSeen.LastSeen): LastSeen.LastSeen | undefined => {
      const lastSeen = before === LastSeen.CURRENT ? confirmed : before
      return lastSeen < oldestDay ? undefined : lastSeen
    }
    this.#earlier = () => new ThreatListMerge.ListCursor(sections, redate)
    for (const cursor = this.#earlier(); cursor.next(); ) this.#earlierRecords++
  }

  build(): ThreatList {
    const order = sorted(this.#words, this.#rows)
    const document = () => new RowCursor(this.#words, this.#metas, order)
    return new ThreatList(ThreatListMerge.merge(document, this.#earlier, this.#oldestDay !== undefined))
  }

  #push(host: string, pathHigh: number, pathLow: number, meta: RecordMeta.RecordMeta): void {
    // Rows of one host often follow each other.
    if (host !== this.#host) {
      this.#host = host
      this.#hostDigest = Digest.digestOf(host)
    }
    const row = this.#rows++
    if (row === this.#metas.length) this.#grow()
    const word = WORDS_PER_ROW * row
    this.#words[word] = this.#hostDigest.high
    this.#words[word + 1] = this.#hostDigest.low
    this.#words[word + 2] = pathHigh
    this.#words[word + 3] = pathLow
    this.#metas[row] = meta
  }

  #grow(): void {
    const words = new Uint32Array(2 * this.#words.length)
    const metas = new Uint8Array(2 * this.#metas.length)
    words.set(this.#words)
    metas.set(this.#metas)
    this.#words = words
    this.#metas = metas
  }
}
