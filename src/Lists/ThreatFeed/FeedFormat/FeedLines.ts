import { Buffer } from "node:buffer"
import type { Category } from "../../ThreatList/Category.ts"
import type { ReadLine } from "./FeedLine.ts"
import { type FeedReader, type FeedRow, MAX_ENTRY_LENGTH } from "./FeedRow.ts"

/** In UTF-8. */
const MAX_LINE_BYTES = 3 * MAX_ENTRY_LENGTH

const LINE_FEED = 0x0a

/**
 * Reads a document line by line, each with `readLine`. Lines end with LF or CRLF, the last one also with nothing. Those longer
 * than `MAX_ENTRY_LENGTH` are unreadable.
 */
export class FeedLines implements FeedReader {
  unreadable = 0
  unused = 0
  readonly #category: Category
  readonly #readLine: ReadLine
  /** The beginning of a line whose end is in a later chunk. */
  #partial: Buffer = Buffer.alloc(0)
  /** Whether that line is too long already; then its beginning is not stored. */
  #isOverlong = false

  constructor(category: Category, readLine: ReadLine) {
    this.#category = category
    this.#readLine = readLine
  }

  read(chunk: Uint8Array): ReadonlyArray<FeedRow> {
    const bytes = Buffer.concat([this.#partial, chunk])
    const rows: Array<FeedRow> = []
    let start = 0
    let end = bytes.indexOf(LINE_FEED, this.#partial.length)
    for (; end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      if (this.#isOverlong) this.#isOverlong = false
      else this.#add(bytes, start, end, rows)
      start = end + 1
    }
    this.#partial = bytes.subarray(start)
    if (this.#isOverlong) this.#partial = Buffer.alloc(0)
    else if (this.#partial.length > MAX_LINE_BYTES) {
      this.#isOverlong = true
      this.#partial = Buffer.alloc(0)
      this.unreadable++
    }
    return rows
  }

  end(): ReadonlyArray<FeedRow> {
    const rows: Array<FeedRow> = []
    if (!this.#isOverlong) this.#add(this.#partial, 0, this.#partial.length, rows)
    this.#partial = Buffer.alloc(0)
    return rows
  }

  #add(bytes: Buffer, start: number, end: number, rows: Array<FeedRow>): void {
    // `trim` takes off a byte order mark as well.
    const text = bytes.toString("utf8", start, end).trim()
    const line = text.length > MAX_ENTRY_LENGTH ? "Unreadable" : this.#readLine(text)
    if (line === "Unreadable") this.unreadable++
    else if (line === "Unused") this.unused++
    else if (line !== "Comment")
      for (const entry of line) rows.push({ text: entry, category: this.#category })
  }
}
