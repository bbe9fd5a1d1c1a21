import { Buffer } from "node:buffer"
import * as LongPath from "../../Url/LongPath.ts"
import { ThreatList } from "../ThreatList.ts"
import * as PageCount from "./BusyHosts/PageCount.ts"
import { PageRows } from "./BusyHosts/PageRows.ts"
import { RetainedPages } from "./BusyHosts/RetainedPages.ts"
import * as BusyHosts from "./BusyHosts.ts"
import type { Category } from "./Category.ts"
import * as Coverage from "./Coverage.ts"
import { ExpressionKeys } from "./ExpressionKeys.ts"
import { KeyColumns, merge } from "./KeyColumns.ts"
import type { HashKey } from "./KeyedHash.ts"
import * as KeyMeta from "./KeyMeta.ts"
import * as StampClock from "./StampClock.ts"
import * as ThreatListBytes from "./ThreatListBytes.ts"

/** Keys are collected in blocks of this many, so that a growing list is never copied. */
const BLOCK_KEYS = 16_384

/**
 * Builds a `ThreatList` from expressions that are added one by one; it stores no text.
 *
 * Use it once: `add` every expression of the document, then `keep` the previous list if the feed has a retention, then
 * `build`. A million keys take some tenths of a second: not for the thread that answers requests.
 */
export class ThreatListBuilder {
  readonly #hashKey: HashKey
  readonly #keys: ExpressionKeys
  readonly #clock: StampClock.StampClock | undefined
  readonly #blocks: Array<KeyColumns> = []
  readonly #pages = new PageRows()
  #retained: RetainedPages | undefined
  #hostHigh = 0
  #hostLow = 0

  /**
   * Without a clock `keep` does nothing. With one the hash key must be the earlier list's, because a list contains only
   * hashes.
   */
  constructor(hashKey: HashKey, clock?: StampClock.StampClock) {
    this.#hashKey = hashKey
    this.#keys = new ExpressionKeys(hashKey)
    this.#clock = clock
  }

  /**
   * How many keys were added, those of `keep` and duplicates included. Each takes 9 bytes until `build`, 11 with a clock, and
   * 16 more when it is that of a page.
   */
  get keys(): number {
    const last = this.#blocks.at(-1)
    return last === undefined ? 0 : (this.#blocks.length - 1) * BLOCK_KEYS + last.length
  }

  /** Adds an expression; the query is part of `path`. Both are ASCII, as in canonical URLs. */
  add(host: string, path: string, coverage: Coverage.Coverage, category: Category): void {
    const bytes = Buffer.from(host + path, "latin1")
    const high = this.#hostHigh
    const low = this.#hostLow
    this.enterHost(bytes, 0, host.length)
    this.addPath(bytes, host.length, bytes.length, coverage, category)
    this.#enterHost(high, low)
  }

  /** Sets the host of the following calls of `addPath`. */
  enterHost(bytes: Uint8Array, start: number, end: number): void {
    const { hosts } = this.#keys
    hosts.reset()
    hosts.absorb(bytes, end - 1, start - 1)
    hosts.digest()
    this.#enterHost(hosts.high, hosts.low)
  }

  /** Adds the expression of the entered host and a path with its query. */
  addPath(
    bytes: Uint8Array,
    start: number,
    end: number,
    coverage: Coverage.Coverage,
    category: Category
  ): void {
    const { paths, pairs } = this.#keys
    paths.reset()
    if (end - start <= LongPath.MAX_BYTES) paths.absorb(bytes, start, end)
    else for (const digest of LongPath.digests(bytes, start, [end])) paths.absorb(digest, 0, digest.length)
    paths.digest()
    this.#keys.pair(paths.high, paths.low)
    this.#push(pairs.high, pairs.low, KeyMeta.make(coverage, category), StampClock.CURRENT)
    const isRoot = end - start === 1
    if ((coverage & Coverage.PAGE) !== 0 && !isRoot)
      this.#pages.push(this.#hostHigh, this.#hostLow, pairs.high, pairs.low)
  }

  /**
   * Adds the entries of an earlier list that are not past their retention. `fetchedAt` is when the feed last
   * confirmed the earlier list's document. Undefined after a 304: current entries stay current.
   */
  keep(earlier: Pick<ThreatListBytes.Opened, "header" | "sections">, fetchedAt: number | undefined): void {
    const clock = this.#clock
    if (clock === undefined) return
    const itsClock = earlier.header.stampClock
    const restamp = (stamp: number): number | undefined => {
      const lastSeen =
        stamp === StampClock.CURRENT || itsClock === undefined ? fetchedAt : StampClock.time(itsClock, stamp)
      if (lastSeen === undefined) return StampClock.CURRENT
      return lastSeen < clock.epoch ? undefined : StampClock.stamp(clock, lastSeen)
    }
    const { offsets, low, middle, stamps, meta } = earlier.sections
    let bucket = 0
    for (let i = 0; i < earlier.header.keys; i++) {
      while (bucket < ThreatListBytes.BUCKETS - 1 && (offsets[bucket + 1] ?? 0) <= i) bucket++
      const stamp = restamp(stamps[i] ?? StampClock.CURRENT)
      if (stamp !== undefined) this.#push((bucket << 16) | (middle[i] ?? 0), low[i] ?? 0, meta[i] ?? 0, stamp)
    }
    this.#retained = new RetainedPages(earlier.sections, restamp)
  }

  build(): ThreatList {
    // Before the keys are sorted, which takes the most memory. Later documents may add pages to what has a retention.
    if (this.#clock === undefined) this.#pages.forgetRareHosts(BusyHosts.MIN_PAGES)
    const offsets = this.#countBuckets()
    const keys = this.#sort(offsets)
    const { entries, entriesInDocument } = merge(keys, offsets)
    const hostPages = PageCount.count(this.#pages, keys, offsets, this.#retained)
    const hostRecords = this.#clock === undefined ? 0 : hostPages.length

    const list = ThreatListBytes.allocate({
      hashKey: this.#hashKey,
      keys: keys.length,
      entries,
      entriesInDocument,
      stampClock: this.#clock,
      busySlots: BusyHosts.slotsFor(hostPages),
      hostRecords
    })
    list.sections.offsets.set(offsets)
    list.sections.low.set(keys.low.subarray(0, keys.length))
    list.sections.stamps.set(keys.stamps.subarray(0, list.sections.stamps.length))
    list.sections.meta.set(keys.meta.subarray(0, keys.length))
    for (let i = 0; i < keys.length; i++) list.sections.middle[i] = keys.high[i] ?? 0
    BusyHosts.fill(list.sections.busyHosts, hostPages)
    if (hostRecords > 0) hostPages.copyTo(list.sections.hostPages)
    return new ThreatList(list)
  }

  #enterHost(high: number, low: number): void {
    this.#hostHigh = high
    this.#hostLow = low
    this.#keys.enterHost(high, low)
  }

  #push(high: number, low: number, meta: number, stamp: number): void {
    let block = this.#blocks.at(-1)
    if (block === undefined || block.length === BLOCK_KEYS) {
      block = new KeyColumns(BLOCK_KEYS, this.#clock !== undefined)
      this.#blocks.push(block)
    }
    block.set(block.length++, high, low, meta, stamp)
  }

  /** The index at which each bucket begins, and as the last element the number of keys. */
  #countBuckets(): Uint32Array {
    const offsets = new Uint32Array(ThreatListBytes.BUCKETS + 1)
    for (const block of this.#blocks)
      for (let i = 0; i < block.length; i++) {
        const after = ((block.high[i] ?? 0) >>> 16) + 1
        offsets[after] = (offsets[after] ?? 0) + 1
      }
    for (let bucket = 1, sum = 0; bucket < offsets.length; bucket++) {
      sum += offsets[bucket] ?? 0
      offsets[bucket] = sum
    }
    return offsets
  }

  /** The keys in the order of their buckets, within a bucket in the order in which they were added. Empties the blocks. */
  #sort(offsets: Uint32Array): KeyColumns {
    const next = offsets.slice(0, ThreatListBytes.BUCKETS)
    const sorted = new KeyColumns(offsets[ThreatListBytes.BUCKETS] ?? 0, this.#clock !== undefined)
    for (let block = this.#blocks.shift(); block !== undefined; block = this.#blocks.shift())
      for (let i = 0; i < block.length; i++) {
        const high = block.high[i] ?? 0
        const bucket = high >>> 16
        const at = next[bucket] ?? 0
        next[bucket] = at + 1
        sorted.set(at, high, block.low[i] ?? 0, block.meta[i] ?? 0, block.stamp(i))
      }
    return sorted
  }
}
