import type { HostPages } from "./BusyHosts/HostPages.ts"
import * as HostWord from "./BusyHosts/HostWord.ts"
import type { Category } from "./Category.ts"

/** Hosts with fewer listed pages say nothing about their other pages. */
export const MIN_PAGES = 3

/** The listed pages of a busy host. */
interface ListedPages {
  readonly pages: number
  readonly category: Category
}

/** The hosts with MIN_PAGES or more listed pages, as an open-addressing hash table with linear probing. */
export interface BusyHosts {
  /** Of each slot (see `HostWord`). */
  readonly words: Uint32Array
  /** Of each slot; 0 in an empty one. */
  readonly pages: Uint32Array
}

/** More slots than hosts, so that a search soon ends at an empty one. */
const SLOTS_PER_HOST = 2

/** How many slots the table of the busy ones among these hosts has. */
export const slotsFor = (hostPages: HostPages): number => {
  let hosts = 0
  hostPages.forEachHost((_high, _low, pages) => {
    if (pages >= MIN_PAGES) hosts++
  })
  return SLOTS_PER_HOST * hosts
}

const firstSlot = (high: number, slots: number): number => Math.floor(((high >>> 0) / 2 ** 32) * slots)

const slotAfter = (slot: number, slots: number): number => (slot + 1 === slots ? 0 : slot + 1)

/** Fills an empty table of so many slots. */
export const fill = ({ words, pages }: BusyHosts, hostPages: HostPages): void => {
  const slots = pages.length
  hostPages.forEachHost((high, low, count) => {
    if (count < MIN_PAGES) return
    let slot = firstSlot(high, slots)
    while (pages[slot] !== 0) slot = slotAfter(slot, slots)
    HostWord.set(words, slot, high, low)
    pages[slot] = count
  })
}

/** The listed pages of the host with this hash; undefined when it is not busy. Ends even in a table without an empty slot. */
export const find = ({ words, pages }: BusyHosts, high: number, low: number): ListedPages | undefined => {
  const slots = pages.length
  let slot = firstSlot(high, slots)
  for (let tried = 0; tried < slots; tried++) {
    const count = pages[slot] ?? 0
    if (count === 0) return undefined
    if (HostWord.compareAt(words, slot, high, low) === 0)
      return { pages: count, category: HostWord.category(HostWord.lowAt(words, slot)) }
    slot = slotAfter(slot, slots)
  }
  return undefined
}
