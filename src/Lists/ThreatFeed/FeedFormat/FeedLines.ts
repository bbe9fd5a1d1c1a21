import { Buffer } from "node:buffer"
import type { Category } from "../../ThreatList/Category.ts"
import type { ReadLine } from "./FeedLine.ts"
import { type FeedReader, type FeedRow, MAX_ENTRY_LENGTH } from "./FeedRow.ts"

/** In UTF-8. */
const MAX_LINE_BYTES = 3 * MAX_ENTRY_LENGTH

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Adds the entry in these bytes to the list. Returns false if it cannot: then the entry is yielded as a row. */
export type TakeEntry = (bytes: Buffer, start: number, end: number) => boolean

/**
 * Reads a document line by line, each with `readLine`. Lines end with LF or CRLF, the last one also with nothing. Those longer
 * than `MAX_ENTRY_LENGTH` are unreadable.
 *
 * Calls `take` with each line first; a line for which it returns true is not read.
 */
export class FeedLines implements FeedReader {
  unreadable = 0
  unused = 0
  readonly #category: Category
  readonly #readLine: ReadLine
  readonly #take: TakeEntry
  /** The beginning of a line whose end is in a later chunk. */
  #partial: Buffer = Buffer.alloc(0)
  /** Whether that line is too long already; then its beginning is not stored. */
  #isOverlong = false

  constructor(category: Category, readLine: ReadLine, take: TakeEntry) {
    this.#category = category
    this.#readLine = readLine
    this.#take = take
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
    const last = bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end
    if (last - start <= MAX_ENTRY_LENGTH && this.#take(bytes, start, last)) return
    // `trim` takes off a byte order mark as well.
    const text = bytes.toString("utf8", start, last).trim()
    const line = text.length > MAX_ENTRY_LENGTH ? "Unreadable" : this.#readLine(text)
    if (line === "Unreadable") this.unreadable++
    else if (line === "Unused") this.unused++
    else if (line !== "Comment")
      for (const entry of line) rows.push({ text: entry, category: this.#category })
  }
}
