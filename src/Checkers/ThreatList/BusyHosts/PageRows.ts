/** Rows are collected in blocks of this many, so that a growing list is never copied. */
const BLOCK_ROWS = 16_384

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

  /** Calls `use` with each row, and forgets it. */
  drain(use: UseRow): void {
    for (let block = this.#blocks.shift(); block !== undefined; block = this.#blocks.shift()) {
      const end = WORDS_PER_ROW * Math.min(this.length, BLOCK_ROWS)
      for (let at = 0; at < end; at += WORDS_PER_ROW)
        use(block[at] ?? 0, block[at + 1] ?? 0, block[at + 2] ?? 0, block[at + 3] ?? 0)
      this.length -= end / WORDS_PER_ROW
    }
  }
}
