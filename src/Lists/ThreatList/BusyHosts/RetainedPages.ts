import * as Coverage from "../Coverage.ts"
import * as StampClock from "../StampClock.ts"
import type { Sections } from "../ThreatListBytes.ts"
import type { HostPages } from "./HostPages.ts"
import * as HostWord from "./HostWord.ts"

/** Converts a stamp of the earlier list to one of the new list; undefined when it is past its retention. */
type Restamp = (stamp: number) => number | undefined

/**
 * The pages of earlier documents, without those that are in the current one. To be read once, in the order of the hosts.
 *
 * The earlier list must have been built with a retention: other lists do not have the counts.
 */
export class RetainedPages {
  readonly #sections: Sections
  readonly #restamp: Restamp
  readonly #pages: Uint32Array
  #next = 0

  constructor(sections: Sections, restamp: Restamp) {
    this.#sections = sections
    this.#restamp = restamp
    this.#pages = sections.hostPages.pages.slice()
  }

  /** How many records there are. */
  get length(): number {
    return this.#pages.length
  }

  /** Takes a page of the current document away from those of earlier ones, if it is there. */
  remove(hostHigh: number, hostLow: number, high: number, low: number): void {
    const stamp = this.#stampOfPage(high, low)
    if (stamp === undefined) return
    const { stamps, words } = this.#sections.hostPages
    for (
      let at = this.#firstOf(hostHigh, hostLow);
      at < this.length && HostWord.compareAt(words, at, hostHigh, hostLow) === 0;
      at++
    ) {
      const pages = this.#pages[at] ?? 0
      if (stamps[at] !== stamp || pages === 0) continue
      this.#pages[at] = pages - 1
      return
    }
  }

  /** Moves the records of the hosts before this one. */
  moveBefore(high: number, low: number, to: HostPages): void {
    const { words } = this.#sections.hostPages
    while (this.#next < this.length && HostWord.compareAt(words, this.#next, high, low) < 0) this.#move(to)
  }

  moveRest(to: HostPages): void {
    while (this.#next < this.length) this.#move(to)
  }

  #move(to: HostPages): void {
    const at = this.#next++
    const { stamps, words } = this.#sections.hostPages
    const pages = this.#pages[at] ?? 0
    const stamp = this.#restamp(stamps[at] ?? StampClock.CURRENT)
    if (pages > 0 && stamp !== undefined)
      to.add(HostWord.highAt(words, at), HostWord.lowAt(words, at), stamp, pages)
  }

  /** When the page of this key was last seen. */
  #stampOfPage(high: number, wantedLow: number): number | undefined {
    const { low, meta, middle, offsets, stamps } = this.#sections
    const bucket = high >>> 16
    const end = offsets[bucket + 1] ?? 0
    for (let i = offsets[bucket] ?? 0; i < end; i++)
      if (low[i] === wantedLow && middle[i] === (high & 0xffff) && ((meta[i] ?? 0) & Coverage.PAGE) !== 0)
        return stamps[i]
    return undefined
  }

  /** The index of the first record of the host, or of those after it. */
  #firstOf(high: number, low: number): number {
    const { words } = this.#sections.hostPages
    let from = 0
    let to = this.length
    while (from < to) {
      const at = (from + to) >>> 1
      if (HostWord.compareAt(words, at, high, low) < 0) from = at + 1
      else to = at
    }
    return from
  }
}
