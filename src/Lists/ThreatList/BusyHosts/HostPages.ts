import * as HostWord from "./HostWord.ts"

/**
 * How many distinct pages of each host are on a list, by when they were last seen: one record for each host and stamp, in
 * the order of the hosts. Those of one host begin with the latest.
 */
export class HostPages {
  /** See `HostWord`. */
  readonly words: Uint32Array
  readonly stamps: Uint16Array
  readonly pages: Uint32Array
  length = 0

  constructor(capacity: number) {
    this.words = new Uint32Array(HostWord.HALVES * capacity)
    this.stamps = new Uint16Array(capacity)
    this.pages = new Uint32Array(capacity)
  }

  /** Adds pages of the last host, or of one that comes after it. */
  add(high: number, low: number, stamp: number, pages: number): void {
    const last = this.length - 1
    const isSame = this.stamps[last] === stamp && HostWord.compareAt(this.words, last, high, low) === 0
    const at = isSame ? last : this.length++
    const lowest = isSame ? Math.min(HostWord.lowAt(this.words, at), low >>> 0) : low
    HostWord.set(this.words, at, high, lowest)
    this.stamps[at] = stamp
    this.pages[at] = (this.pages[at] ?? 0) + pages
  }

  copyTo({ words, stamps, pages }: Pick<HostPages, "words" | "stamps" | "pages">): void {
    words.set(this.words.subarray(0, words.length))
    stamps.set(this.stamps.subarray(0, stamps.length))
    pages.set(this.pages.subarray(0, pages.length))
  }

  /** Calls `use` with each host and the number of its pages. */
  forEachHost(use: (high: number, low: number, pages: number) => void): void {
    for (let at = 0; at < this.length; ) {
      const high = HostWord.highAt(this.words, at)
      let low = HostWord.lowAt(this.words, at)
      let pages = 0
      for (; at < this.length && HostWord.compareAt(this.words, at, high, low) === 0; at++) {
        low = Math.min(low, HostWord.lowAt(this.words, at))
        pages += this.pages[at] ?? 0
      }
      use(high, low, pages)
    }
  }
}
