import { LRUCache } from "lru-cache"

/** `value` may be replaced in place by one of the same weight. */
export interface Entry<V> {
  value: V
  /** On the time line of the `now` that is passed to the operations. */
  readonly deadline: number
}

/** A map whose entries expire and whose total weight is bounded: the least recently used entries are evicted. */
export interface ExpiringMap<V> {
  /** Undefined: never set, expired or evicted. */
  readonly get: (key: string, now: number) => Entry<V> | undefined
  /** Replaces the entry of the key. An entry that has expired, or is heavier than the whole map, is not stored. */
  readonly set: (key: string, value: V, deadline: number, now: number) => void
  readonly delete: (key: string) => void
}

/**
 * `weigh` returns a positive integer. Expired entries are removed when they are read or evicted. The deadline is compared
 * here: lru-cache's own expiry treats a clock that starts at 0 as no expiry.
 */
export const make = <V>(maxWeight: number, weigh: (key: string, value: V) => number): ExpiringMap<V> => {
  const entries = new LRUCache<string, Entry<V>>({
    maxSize: maxWeight,
    sizeCalculation: ({ value }, key) => weigh(key, value)
  })
  return {
    get: (key, now) => {
      const entry = entries.get(key)
      if (entry === undefined || entry.deadline > now) return entry
      entries.delete(key)
      return undefined
    },
    set: (key, value, deadline, now) => {
      if (deadline > now) entries.set(key, { value, deadline })
      else entries.delete(key)
    },
    delete: (key) => void entries.delete(key)
  }
}
