import { StringDecoder } from "node:string_decoder"
import type { Category } from "../ThreatList/Category.ts"
import type { FeedReader, FeedRow } from "./FeedRow.ts"

/** The longest line that can be an entry; the longest URL ever seen in a public feed had 9,268 characters. */
export const LONGEST_LINE = 16_384

const WHITE_SPACE = /\s/

/**
 * Reads the format `lines`: one URL or bare host a line. Lines end with LF or CRLF, the last one with nothing if it likes.
 * Blank lines and those that begin with `#` say nothing. Skipped are lines longer than `LONGEST_LINE`, and those with white
 * space in them, which are rows of a table or a hosts file: a date would be read as the IPv4 address that it can spell.
 */
export class FeedLines implements FeedReader {
  skipped = 0
  readonly problem = undefined
  readonly #category: Category
  readonly #decoder = new StringDecoder("utf8")
  /** The beginning of a line whose end has not come yet. */
  #begun = ""
  /** Whether that line is too long already, and its beginning given up. */
  #isOverlong = false

  constructor(category: Category) {
    this.#category = category
  }

  read(piece: Uint8Array): ReadonlyArray<FeedRow> {
    const text = this.#begun + this.#decoder.write(piece)
    const rows: Array<FeedRow> = []
    let start = 0
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      const line = text.slice(start, end)
      start = end + 1
      if (this.#isOverlong) this.#isOverlong = false
      else this.#add(line, rows)
    }
    this.#begun = text.slice(start)
    if (this.#isOverlong) this.#begun = ""
    else if (this.#begun.length > LONGEST_LINE) {
      this.#isOverlong = true
      this.#begun = ""
      this.skipped++
    }
    return rows
  }

  end(): ReadonlyArray<FeedRow> {
    const line = this.#begun + this.#decoder.end()
    const rows: Array<FeedRow> = []
    this.#begun = ""
    if (!this.#isOverlong) this.#add(line, rows)
    return rows
  }

  #add(line: string, rows: Array<FeedRow>): void {
    // `trim` takes off a carriage return and a byte order mark as well.
    const text = line.trim()
    if (text === "" || text.startsWith("#")) return
    if (text.length > LONGEST_LINE || WHITE_SPACE.test(text)) this.skipped++
    else rows.push({ text, category: this.#category })
  }
}
