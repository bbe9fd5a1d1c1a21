import { TextDecoder } from "node:util"
import type { Category } from "../../ThreatList/ListRecord.ts"
import { SkippedRows } from "./SkippedRows.ts"

/** An indicator of a feed as the publisher writes it, not parsed yet. Of a ranking: a domain. */
export interface FeedRow {
  readonly text: string
  /** The number of its line, from 1. */
  readonly line: number
  /** Undefined: the feed's. */
  readonly category?: Category
  /** The publisher's date, as written. Undefined if the format has no such column. Not used by lists. */
  readonly published?: string
  /** The row says that it was taken from another publisher. */
  readonly isCopied?: boolean
}

/** The maximum of a row's text, in UTF-16 units. The longest URL seen in a public feed had 9,268. */
export const MAX_ENTRY_LENGTH = 16_384

/** The maximum of a line and of a table's record, in UTF-16 units. */
export const MAX_LINE_CHARS = 1_048_576

/** Reads the lines of a document in one format. Throws a `ListError` if the whole document must be refused. */
export interface RowReader {
  /** Adds the rows that a line completes to `rows`. Of a line above `MAX_LINE_CHARS`, `line` is the beginning, one character longer. */
  readonly addLine: (line: string, number: number, rows: Array<FeedRow>) => void
  /** Adds the rows that the end of the document completes to `rows`. */
  readonly end: (rows: Array<FeedRow>) => void
  /** Whether the rest of the document is not needed. */
  readonly isFull: boolean
}

/** Returns the encoding by the byte order mark. Windows programs save text as UTF-16. */
const encodingOf = ([first, second]: Uint8Array): string => {
  if (first === 0xff && second === 0xfe) return "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"
}

/** CR alone ends the lines of some spreadsheet exports ("CSV (Macintosh)"). */
const LINE_END = /\r\n?|\n/

/** Splits text that arrives in parts into lines. They end with LF, CRLF or CR. */
class LineSplitter {
  /** The beginning of a line whose end has not arrived. */
  #partial = ""
  /** The current line is above `MAX_LINE_CHARS`: its beginning was returned, its rest is dropped. */
  #isOverlong = false
  /** A line feed at the start of the next part belongs to the carriage return before it. */
  #isAfterReturn = false

  /** Returns the lines that the text completes, and at once the beginning of one above `MAX_LINE_CHARS`. */
  add(text: string): Array<string> {
    if (text === "") return []
    const next = this.#isAfterReturn && text.startsWith("\n") ? text.slice(1) : text
    this.#isAfterReturn = text.endsWith("\r")
    const lines = next.split(next.includes("\r") ? LINE_END : "\n")
    if (this.#isOverlong) {
      lines.shift()
      if (lines.length === 0) return []
      this.#isOverlong = false
    } else lines[0] = this.#partial + lines[0]
    this.#partial = lines.pop() ?? ""
    if (this.#partial.length > MAX_LINE_CHARS) {
      lines.push(this.#partial.slice(0, MAX_LINE_CHARS + 1))
      this.#partial = ""
      this.#isOverlong = true
    }
    return lines
  }

  /** Returns the line that the end of the text completes. */
  end(): ReadonlyArray<string> {
    return this.#isOverlong ? [] : [this.#partial]
  }
}

/**
 * Reads a document chunk by chunk: UTF-8, or UTF-16 whose byte order mark is in one chunk. `read` and `end` return the rows that
 * became complete.
 *
 * Throws a `ListError` if the whole document must be refused: `Columns` for a table without the columns of its format, `Corrupt`
 * for one that ends inside quotes, `NotAFeed` for a table in a format of lines.
 */
export class FeedReader {
  /** Rows that were not returned. */
  readonly skipped = new SkippedRows()
  readonly #rows: RowReader
  readonly #lines = new LineSplitter()
  #decoder: TextDecoder | undefined
  #lineNumber = 0

  constructor(rowReader: (skipped: SkippedRows) => RowReader) {
    this.#rows = rowReader(this.skipped)
  }

  get isFull(): boolean {
    return this.#rows.isFull
  }

  read(chunk: Uint8Array): ReadonlyArray<FeedRow> {
    this.#decoder ??= new TextDecoder(encodingOf(chunk))
    return this.#rowsOf(this.#lines.add(this.#decoder.decode(chunk, { stream: true })))
  }

  end(): ReadonlyArray<FeedRow> {
    const lines = this.#lines.add(this.#decoder?.decode() ?? "")
    const rows = this.#rowsOf([...lines, ...this.#lines.end()])
    this.#rows.end(rows)
    return rows
  }

  #rowsOf(lines: ReadonlyArray<string>): Array<FeedRow> {
    const rows: Array<FeedRow> = []
    for (const line of lines) {
      if (this.isFull) break
      this.#rows.addLine(line, ++this.#lineNumber, rows)
    }
    return rows
  }
}
