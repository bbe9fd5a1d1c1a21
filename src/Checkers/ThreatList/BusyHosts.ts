import type { HostPages } from "./BusyHosts/HostPages.ts"
import * as HostWord from "./BusyHosts/HostWord.ts"
import type { Category } from "./Category.ts"

/** Hosts with fewer listed pages say nothing about their other pages. */
export const MIN_PAGES = 3

/** The listed pages of a busy host. */
export interface ListedPages {
  readonly pages: number
  readonly category: Category
}

/** The hosts with MIN_PAGES or more listed pages, as an open-addressing hash table with linear probing. */
export interface BusyHosts {
  /** Of each slot (see `HostWord`). */
  readonly words: Uint32Array<ArrayBuffer>
  /** Of each slot; 0 in an empty one. */
  readonly pages: Uint32Array<ArrayBuffer>
}

/** More slots than hosts, so that a search soon ends at an empty one. */
const SLOTS_PER_HOST = 1.5

/** How many slots the table of the busy ones among these hosts has. */
export const slotsFor = (hostPages: HostPages): number => {
  let hosts = 0
  hostPages.forEachHost((_high, _low, pages) => {
    if (pages >= MIN_PAGES) hosts++
  })
  return Math.ceil(SLOTS_PER_HOST * hosts)
}

const firstSlot = (high: number, slots: number): number => Math.floor(((high >>> 0) / 2 ** 32) * slots)

/** Fills an empty table of so many slots. */
export const fill = (table: BusyHosts, hostPages: HostPages): void => {
  const slots = table.pages.length
  hostPages.forEachHost((high, low, pages) => {
    if (pages < MIN_PAGES) return
    let slot = firstSlot(high, slots)
    while ((table.pages[slot] ?? 0) > 0) slot = (slot + 1) % slots
    HostWord.set(table.words, slot, high, low)
    table.pages[slot] = pages
  })
}

/** The listed pages of the host with this hash; undefined when it is not busy. */
export const find = ({ words, pages }: BusyHosts, high: number, low: number): ListedPages | undefined => {
  const slots = pages.length
  const first = firstSlot(high, slots)
  for (let tried = 0; tried < slots; tried++) {
    const slot = (first + tried) % slots
    const found = pages[slot] ?? 0
    if (found === 0) return undefined
    if (HostWord.compareAt(words, slot, high, low) === 0)
      return { pages: found, category: HostWord.category(HostWord.lowAt(words, slot)) }
  }
  return undefined
}
