import type { KeyColumns } from "../KeyColumns.ts"
import * as StampClock from "../StampClock.ts"
import { HostPages } from "./HostPages.ts"
import * as HostWord from "./HostWord.ts"
import type { PageRows } from "./PageRows.ts"
import type { RetainedPages } from "./RetainedPages.ts"

/** The hosts of the distinct pages of a document, sorted: a host with three pages is there three times. */
const sortedHosts = (
  rows: PageRows,
  keys: KeyColumns,
  offsets: Uint32Array,
  retained: RetainedPages | undefined
): Uint32Array => {
  const words = new Uint32Array(HostWord.HALVES * rows.length)
  const isCounted = new Uint8Array(keys.length)
  let pages = 0
  rows.forEach((hostHigh, hostLow, high, low) => {
    const key = keys.indexOfCurrent(offsets, high, low)
    if (isCounted[key] === 1) return
    isCounted[key] = 1
    HostWord.set(words, pages++, hostHigh, HostWord.low(hostLow, keys.meta[key] ?? 0))
    retained?.remove(hostHigh, hostLow, high, low)
  })
  new BigUint64Array(words.buffer, 0, pages).sort()
  return words.subarray(0, HostWord.HALVES * pages)
}

/** The index of the first word of another host. */
const endOfHost = (words: Uint32Array, start: number): number => {
  const high = HostWord.highAt(words, start)
  const low = HostWord.lowAt(words, start)
  let end = start + 1
  while (end * HostWord.HALVES < words.length && HostWord.compareAt(words, end, high, low) === 0) end++
  return end
}

const countHosts = (words: Uint32Array): number => {
  let hosts = 0
  for (let at = 0; at * HostWord.HALVES < words.length; at = endOfHost(words, at)) hosts++
  return hosts
}

/**
 * Counts the pages of a document, without duplicates, and those of earlier documents that are not in it.
 * `keys` and `offsets` are the merged keys of the list.
 */
export const count = (
  rows: PageRows,
  keys: KeyColumns,
  offsets: Uint32Array,
  retained: RetainedPages | undefined
): HostPages => {
  const current = sortedHosts(rows, keys, offsets, retained)
  const hostPages = new HostPages(countHosts(current) + (retained?.length ?? 0))
  for (let at = 0; at * HostWord.HALVES < current.length; ) {
    const high = HostWord.highAt(current, at)
    const low = HostWord.lowAt(current, at)
    const end = endOfHost(current, at)
    retained?.moveBefore(high, low, hostPages)
    hostPages.add(high, low, StampClock.CURRENT, end - at)
    at = end
  }
  retained?.moveRest(hostPages)
  return hostPages
}
