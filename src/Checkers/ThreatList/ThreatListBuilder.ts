import { Buffer } from "node:buffer"
import { meta, ThreatList } from "../ThreatList.ts"
import type { Category } from "./Category.ts"
import type * as Coverage from "./Coverage.ts"
import { ExpressionKeys } from "./ExpressionKeys.ts"
import { KeyColumns, merge } from "./KeyColumns.ts"
import type { HashKey } from "./KeyedHash.ts"
import * as StampClock from "./StampClock.ts"
import * as ThreatListBytes from "./ThreatListBytes.ts"

/** Keys are collected in pieces of this many, so that a growing list is never copied. */
const PIECE = 16_384

/**
 * Makes a `ThreatList` from expressions that come one by one; neither they nor anything else is held as text.
 *
 * Use it once: `add` every expression of the document, then `keep` the list before this one if the feed has a retention,
 * then `build`. A million keys take some tenths of a second: not for the thread that answers requests.
 */
export class ThreatListBuilder {
  readonly #hashKey: HashKey
  readonly #keys: ExpressionKeys
  readonly #clock: StampClock.StampClock | undefined
  readonly #pieces: Array<KeyColumns> = []
  #hostHigh = 0
  #hostLow = 0

  /**
   * Without a clock nothing can be kept from an earlier list. With one the hash key must be the earlier list's: a list
   * holds nothing but hashes, so that a key stays with all the lists in which an entry lives on.
   */
  constructor(hashKey: HashKey, clock?: StampClock.StampClock) {
    this.#hashKey = hashKey
    this.#keys = new ExpressionKeys(hashKey)
    this.#clock = clock
  }

  /** How many keys were added and kept so far, duplicates included: each takes 9 bytes until `build`, 11 with a clock. */
  get keys(): number {
    const last = this.#pieces.at(-1)
    return last === undefined ? 0 : (this.#pieces.length - 1) * PIECE + last.length
  }

  /** `path` holds the query, if there is one. Both are ASCII, as in canonical URLs. */
  add(host: string, path: string, coverage: Coverage.Coverage, category: Category): void {
    const bytes = Buffer.from(host + path, "latin1")
    const { hosts } = this.#keys
    this.#hashHost(bytes, 0, host.length)
    this.#keys.enterHost(hosts.high, hosts.low)
    this.addPath(bytes, host.length, bytes.length, coverage, category)
    this.#keys.enterHost(this.#hostHigh, this.#hostLow)
  }

  /** The host of all calls of `addPath` from now on, as a part of some bytes. */
  enterHost(bytes: Uint8Array, start: number, end: number): void {
    const { hosts } = this.#keys
    this.#hashHost(bytes, start, end)
    this.#hostHigh = hosts.high
    this.#hostLow = hosts.low
    this.#keys.enterHost(hosts.high, hosts.low)
  }

  /** Adds the expression of the host entered and this part of some bytes: a path with the query, if there is one. */
  addPath(
    bytes: Uint8Array,
    start: number,
    end: number,
    coverage: Coverage.Coverage,
    category: Category
  ): void {
    const { paths, pairs } = this.#keys
    paths.reset()
    paths.absorb(bytes, start, end)
    paths.digest()
    this.#keys.pair(paths.high, paths.low)
    this.#push(pairs.high, pairs.low, meta(coverage, category), StampClock.CURRENT)
  }

  /**
   * Takes over what an earlier list holds and is not past its retention.
   *
   * `seenAt` is when the earlier list's document was last the feed's answer. Undefined when it still is: then its
   * entries stay current.
   *
   * Ends even when the earlier list is overwritten meanwhile, as can be once nobody waits any more for what is made here.
   */
  keep(earlier: ThreatList, seenAt: number | undefined): void {
    const clock = this.#clock
    if (clock === undefined) return
    const itsClock = earlier.header.stampClock
    const { offsets, low, middle, stamps, meta } = earlier.sections
    let bucket = 0
    for (let i = 0; i < earlier.header.keys; i++) {
      while (bucket < ThreatListBytes.BUCKETS - 1 && (offsets[bucket + 1] ?? 0) <= i) bucket++
      const stamp = stamps[i] ?? StampClock.CURRENT
      const lastSeen =
        stamp === StampClock.CURRENT || itsClock === undefined ? seenAt : StampClock.time(itsClock, stamp)
      if (lastSeen !== undefined && lastSeen < clock.epoch) continue
      this.#push(
        (bucket << 16) | (middle[i] ?? 0),
        low[i] ?? 0,
        meta[i] ?? 0,
        lastSeen === undefined ? StampClock.CURRENT : StampClock.stamp(clock, lastSeen)
      )
    }
  }

  build(): ThreatList {
    const offsets = this.#countBuckets()
    const keys = this.#sort(offsets)
    const { entries, current } = merge(keys, offsets)

    const list = ThreatListBytes.allocate({
      hashKey: this.#hashKey,
      keys: keys.length,
      entries,
      current,
      stampClock: this.#clock
    })
    list.sections.offsets.set(offsets)
    list.sections.low.set(keys.low.subarray(0, keys.length))
    list.sections.stamps.set(keys.stamps.subarray(0, list.sections.stamps.length))
    list.sections.meta.set(keys.meta.subarray(0, keys.length))
    for (let i = 0; i < keys.length; i++) list.sections.middle[i] = keys.high[i] ?? 0
    return new ThreatList(list)
  }

  #hashHost(bytes: Uint8Array, start: number, end: number): void {
    const { hosts } = this.#keys
    hosts.reset()
    hosts.absorb(bytes, end - 1, start - 1)
    hosts.digest()
  }

  #push(high: number, low: number, meta: number, stamp: number): void {
    let piece = this.#pieces.at(-1)
    if (piece === undefined || piece.length === PIECE) {
      piece = new KeyColumns(PIECE, this.#clock !== undefined)
      this.#pieces.push(piece)
    }
    piece.set(piece.length++, high, low, meta, stamp)
  }

  /** Where each bucket will begin, and, as the last element, how many keys there are. */
  #countBuckets(): Uint32Array<ArrayBuffer> {
    const offsets = new Uint32Array(ThreatListBytes.BUCKETS + 1)
    for (const piece of this.#pieces)
      for (let i = 0; i < piece.length; i++) {
        const after = ((piece.high[i] ?? 0) >>> 16) + 1
        offsets[after] = (offsets[after] ?? 0) + 1
      }
    for (let bucket = 1, sum = 0; bucket < offsets.length; bucket++) {
      sum += offsets[bucket] ?? 0
      offsets[bucket] = sum
    }
    return offsets
  }

  /** The keys in the order of their buckets, each bucket's in the order in which they came. Gives up the pieces. */
  #sort(offsets: Uint32Array): KeyColumns {
    const next = offsets.slice(0, ThreatListBytes.BUCKETS)
    const sorted = new KeyColumns(offsets[ThreatListBytes.BUCKETS] ?? 0, this.#clock !== undefined)
    for (let piece = this.#pieces.shift(); piece !== undefined; piece = this.#pieces.shift())
      for (let i = 0; i < piece.length; i++) {
        const high = piece.high[i] ?? 0
        const bucket = high >>> 16
        const at = next[bucket] ?? 0
        next[bucket] = at + 1
        sorted.set(at, high, piece.low[i] ?? 0, piece.meta[i] ?? 0, piece.stamp(i))
      }
    return sorted
  }
}
