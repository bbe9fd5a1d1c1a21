/** Rows are collected in blocks of this many, so that a growing list is never copied. */
const BLOCK_ROWS = 16_384

/** So that at most one in eleven hosts with a single row shares its counter with two others. */
const MIN_COUNTERS_PER_ROW = 2

/** The hash of the host and the key of the page, in two halves each. */
const WORDS_PER_ROW = 4

type UseRow = (hostHigh: number, hostLow: number, high: number, low: number) => void

/** The rows of a document that name a page, duplicates included: its host and the key of host and path, 16 bytes a row. */
export class PageRows {
  readonly #blocks: Array<Int32Array> = []
  length = 0

  push(hostHigh: number, hostLow: number, high: number, low: number): void {
    const row = this.length++ % BLOCK_ROWS
    if (row === 0) this.#blocks.push(new Int32Array(WORDS_PER_ROW * BLOCK_ROWS))
    const block = this.#blocks[this.#blocks.length - 1]
    if (block === undefined) return
    block[WORDS_PER_ROW * row] = hostHigh
    block[WORDS_PER_ROW * row + 1] = hostLow
    block[WORDS_PER_ROW * row + 2] = high
    block[WORDS_PER_ROW * row + 3] = low
  }

  /** Calls `use` with each row. */
  forEach(use: UseRow): void {
    let rows = this.length
    for (const block of this.#blocks) {
      const end = WORDS_PER_ROW * Math.min(rows, BLOCK_ROWS)
      for (let at = 0; at < end; at += WORDS_PER_ROW)
        use(block[at] ?? 0, block[at + 1] ?? 0, block[at + 2] ?? 0, block[at + 3] ?? 0)
      rows -= end / WORDS_PER_ROW
    }
  }

  /**
   * Forgets rows of hosts that have fewer rows than this, at most 255. A few of them stay, because rows are counted by some
   * bits of the host's hash.
   */
  forgetRareHosts(minRows: number): void {
    const counters = new Uint8ClampedArray(2 ** Math.ceil(Math.log2(MIN_COUNTERS_PER_ROW * this.length + 1)))
    const mask = counters.length - 1
    this.forEach((_hostHigh, hostLow) => {
      const counter = hostLow & mask
      counters[counter] = (counters[counter] ?? 0) + 1
    })
    let kept = 0
    for (let row = 0; row < this.length; row++)
      if ((counters[this.#hostLow(row) & mask] ?? 0) >= minRows) this.#move(row, kept++)
    this.length = kept
    this.#blocks.length = Math.ceil(kept / BLOCK_ROWS)
  }

  #hostLow(row: number): number {
    return this.#blocks[Math.floor(row / BLOCK_ROWS)]?.[WORDS_PER_ROW * (row % BLOCK_ROWS) + 1] ?? 0
  }

  #move(from: number, to: number): void {
    const block = this.#blocks[Math.floor(to / BLOCK_ROWS)]
    const source = this.#blocks[Math.floor(from / BLOCK_ROWS)]
    for (let word = 0; word < WORDS_PER_ROW && block !== undefined; word++)
      block[WORDS_PER_ROW * (to % BLOCK_ROWS) + word] =
        source?.[WORDS_PER_ROW * (from % BLOCK_ROWS) + word] ?? 0
  }
}
