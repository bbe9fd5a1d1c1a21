import { Buffer } from "node:buffer"
import type { Category } from "../../ThreatList/Category.ts"
import type { FeedReader, FeedRow } from "./FeedRow.ts"

/** The longest line that can be an entry; the longest URL ever seen in a public feed had 9,268 characters. */
export const LONGEST_LINE = 16_384

/** So many characters are at most so many bytes in UTF-8. */
const LONGEST_LINE_BYTES = 3 * LONGEST_LINE

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const WHITE_SPACE = /\s/

/** Takes an entry from its bytes, at once, or says that it is none for it. */
export type TakeEntry = (bytes: Buffer, start: number, end: number) => boolean

/**
 * Reads the format `lines`: one URL or bare host a line. Lines end with LF or CRLF, the last one with nothing if it likes.
 * Blank lines and those that begin with `#` say nothing. Skipped are lines longer than `LONGEST_LINE`, and those with white
 * space in them, which are rows of a table or a hosts file: a date would be read as the IPv4 address that it can spell.
 *
 * What `take` takes, which is asked about each line first, is no row.
 */
export class FeedLines implements FeedReader {
  skipped = 0
  readonly problem = undefined
  readonly #category: Category
  readonly #take: TakeEntry
  /** The beginning of a line whose end has not come yet. */
  #begun: Buffer = Buffer.alloc(0)
  /** Whether that line is too long already, and its beginning given up. */
  #isOverlong = false

  constructor(category: Category, take: TakeEntry) {
    this.#category = category
    this.#take = take
  }

  read(piece: Uint8Array): ReadonlyArray<FeedRow> {
    const bytes = Buffer.concat([this.#begun, piece])
    const rows: Array<FeedRow> = []
    let start = 0
    let end = bytes.indexOf(LINE_FEED, this.#begun.length)
    for (; end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      if (this.#isOverlong) this.#isOverlong = false
      else this.#add(bytes, start, end, rows)
      start = end + 1
    }
    this.#begun = bytes.subarray(start)
    if (this.#isOverlong) this.#begun = Buffer.alloc(0)
    else if (this.#begun.length > LONGEST_LINE_BYTES) {
      this.#isOverlong = true
      this.#begun = Buffer.alloc(0)
      this.skipped++
    }
    return rows
  }

  end(): ReadonlyArray<FeedRow> {
    const rows: Array<FeedRow> = []
    if (!this.#isOverlong) this.#add(this.#begun, 0, this.#begun.length, rows)
    this.#begun = Buffer.alloc(0)
    return rows
  }

  #add(bytes: Buffer, start: number, end: number, rows: Array<FeedRow>): void {
    const last = bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end
    if (last - start <= LONGEST_LINE && this.#take(bytes, start, last)) return
    // `trim` takes off a byte order mark as well.
    const text = bytes.toString("utf8", start, last).trim()
    if (text === "" || text.startsWith("#")) return
    if (text.length > LONGEST_LINE || WHITE_SPACE.test(text)) this.skipped++
    else rows.push({ text, category: this.#category })
  }
}
