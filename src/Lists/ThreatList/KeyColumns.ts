import * as Coverage from "./Coverage.ts"
import * as KeyMeta from "./KeyMeta.ts"
import * as StampClock from "./StampClock.ts"
import * as ThreatListBytes from "./ThreatListBytes.ts"

/** Keys in some order, as columns. */
export class KeyColumns {
  readonly high: Int32Array
  readonly low: Int32Array
  readonly meta: Uint8Array
  readonly stamps: Uint16Array
  length = 0

  constructor(capacity: number, stamped: boolean) {
    this.high = new Int32Array(capacity)
    this.low = new Int32Array(capacity)
    this.meta = new Uint8Array(capacity)
    this.stamps = new Uint16Array(stamped ? capacity : 0)
  }

  set(at: number, high: number, low: number, meta: number, stamp: number): void {
    this.high[at] = high
    this.low[at] = low
    this.meta[at] = meta
    this.stamps[at] = stamp
  }

  stamp(at: number): number {
    return this.stamps[at] ?? StampClock.CURRENT
  }

  /** The index of a key of the current document, in keys that are sorted by bucket; -1 when it is not there. */
  indexOfCurrent(offsets: Uint32Array, high: number, low: number): number {
    const bucket = high >>> 16
    const end = offsets[bucket + 1] ?? 0
    for (let at = offsets[bucket] ?? 0; at < end; at++)
      if (this.low[at] === low && this.high[at] === high && this.stamp(at) === StampClock.CURRENT) return at
    return -1
  }
}

/**
 * Merges, in place, the keys that occur more than once in a bucket, and closes the gaps between the buckets.
 *
 * Keys of the current document and of earlier documents stay apart, because only the latter expire. Such an older key loses
 * the coverage that the current one has. Example: `a.example/x` is current with `PAGE` and was in an
 * earlier document with `EXACT | PAGE`. The result is a current key with `PAGE` and an older key with `EXACT`.
 */
export const merge = (
  keys: KeyColumns,
  offsets: Uint32Array
): { readonly entries: number; readonly entriesInDocument: number } => {
  let entries = 0
  let entriesInDocument = 0
  let end = 0
  let from = 0
  for (let bucket = 0; bucket < ThreatListBytes.BUCKETS; bucket++) {
    const start = end
    const to = offsets[bucket + 1] ?? 0
    for (let i = from; i < to; i++) {
      const high = keys.high[i] ?? 0
      const low = keys.low[i] ?? 0
      const stamp = keys.stamp(i)
      let meta = keys.meta[i] ?? 0
      let twin = end
      for (let other = start; other < end; other++) {
        if (keys.low[other] !== low || keys.high[other] !== high) continue
        if (keys.stamp(other) === stamp) twin = other
        else meta &= ~((keys.meta[other] ?? 0) & Coverage.ALL)
      }
      if ((meta & Coverage.ALL) === 0) continue
      if (twin < end) keys.meta[twin] = KeyMeta.merge(keys.meta[twin] ?? 0, meta)
      else keys.set(end++, high, low, meta, stamp)
    }
    for (let i = start; i < end; i++)
      if (((keys.meta[i] ?? 0) & Coverage.EXACT) !== 0) {
        entries++
        if (keys.stamp(i) === StampClock.CURRENT) entriesInDocument++
      }
    offsets[bucket] = start
    from = to
  }
  offsets[ThreatListBytes.BUCKETS] = end
  keys.length = end
  return { entries, entriesInDocument }
}
