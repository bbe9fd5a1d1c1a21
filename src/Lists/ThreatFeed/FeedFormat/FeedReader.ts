import { TextDecoder } from "node:util"
import type { SkippedRow } from "../../ListWorker/Messages.ts"
import type { Category } from "../../ThreatList/ListRecord.ts"

/** One entry of a feed as the feed writes it: not parsed, and perhaps no URL. Of a ranking: a domain. */
export interface FeedRow {
  readonly text: string
  /** The number of its line, from 1. */
  readonly line: number
  /** Undefined: the feed's. */
  readonly category?: Category
  /** When the row was published, as the document writes it. Formats without such a column have none. Lists do not use it. */
  readonly published?: string
  /** The row says that it was taken from another publisher. */
  readonly isCopied?: boolean
}

/** Of a row's entry, in characters. The longest URL ever seen in a public feed had 9,268. */
export const MAX_ENTRY_LENGTH = 16_384

/** Why a row is not used, in the words of health and log. True: such rows are no sign of a wrong format. */
const skipReasons = {
  "Not a URL or host": false,
  "Not a row of the format": false,
  "Row of a hosts file": false,
  "Too long": false,
  /** Of addresses, larger than one. */
  Network: false,
  "Wildcard in a host": false,
  "Wildcard in a path": false,
  "Regular expression": false,
  Exception: false,
  "Rule for parts of pages": false,
  "Restricted rule": false,
  /** A name that the machine itself has, or that leads to another server. */
  "Name that is not blocked": true,
  /** Such as the beginning of a zone. */
  "Row of a zone file": true,
  /** Such as a hash of a file. */
  "Not about a URL or host": true
} as const

export type SkipReason = keyof typeof skipReasons

/** Enough to find a systematic mistake. */
const MAX_SHOWN_ROWS = 3

/** The rows of a document that are not used: their number, and the first of them. */
export class SkippedRows {
  total = 0
  /** Those that a document of the format does not have, or that no URL can match. */
  unexpected = 0
  readonly first: Array<SkippedRow> = []
  /** The first networks. */
  readonly networks: Array<number> = []

  add(line: number, reason: SkipReason): void {
    this.total++
    if (!skipReasons[reason]) this.unexpected++
    // What a reader skips is known before what cannot be parsed.
    if (this.first.length < MAX_SHOWN_ROWS || line < (this.first.at(-1)?.line ?? 0)) {
      this.first.push({ line, reason })
      this.first.sort((one, other) => one.line - other.line)
      this.first.length = Math.min(this.first.length, MAX_SHOWN_ROWS)
    }
    if (reason === "Network" && this.networks.length < MAX_SHOWN_ROWS) this.networks.push(line)
  }
}

/** `line 3: Network, line 9: Wildcard in a host`. */
export const shownRows = (rows: ReadonlyArray<SkippedRow>): string =>
  rows.map(({ line, reason }) => `line ${line}: ${reason}`).join(", ")

/** Makes rows of the lines of a document in a format. Throws a `ListError` when the whole document must be rejected. */
export interface RowReader {
  /** Adds the rows that a line completes. Of a line that is longer than `MAX_LINE_CHARS` it gets only the beginning. */
  readonly addLine: (line: string, number: number, rows: Array<FeedRow>) => void
  /** Adds the rows that the end of the document completes. */
  readonly end: (rows: Array<FeedRow>) => void
  /** Whether the rest of the document is not needed. */
  readonly isFull: boolean
}

/** No row of any format has a longer line. */
export const MAX_LINE_CHARS = 1_048_576

/** By the byte order mark of UTF-16, in which Windows programs save text. */
const encodingOf = ([first, second]: Uint8Array): string => {
  if (first === 0xff && second === 0xfe) return "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"
}

/** A carriage return alone was the end of a line on old Macintoshes, and still is in a spreadsheet's file for these. */
const LINE_END = /\r\n?|\n/

/**
 * Reads a document chunk by chunk: UTF-8, or UTF-16 with a byte order mark, which must be in one chunk. `read` and `end` return the
 * rows that became complete.
 *
 * Throws a `ListError` when the whole document must be rejected: with `Columns` for a table without the columns of
 * its format, with `Corrupt` for one that ends inside a quoted field, with `NotAFeed` for a table instead of lines.
 */
export class FeedReader {
  /** Rows that were not returned. */
  readonly skipped = new SkippedRows()
  readonly #rows: RowReader
  #decoder: TextDecoder | undefined
  /** The beginning of a line whose end is in a later chunk. */
  #partial = ""
  /** The rest of the line does not count. */
  #isOverlong = false
  /** The last character was a carriage return: a line feed after it belongs to it. */
  #isAfterReturn = false
  #number = 0

  constructor(rowReader: (skipped: SkippedRows) => RowReader) {
    this.#rows = rowReader(this.skipped)
  }

  get isFull(): boolean {
    return this.#rows.isFull
  }

  read(chunk: Uint8Array): ReadonlyArray<FeedRow> {
    this.#decoder ??= new TextDecoder(encodingOf(chunk))
    return this.#rowsOf(this.#linesOf(this.#decoder.decode(chunk, { stream: true })))
  }

  end(): ReadonlyArray<FeedRow> {
    const lines = this.#linesOf(this.#decoder?.decode() ?? "")
    const rows = this.#rowsOf(this.#isOverlong ? lines : [...lines, this.#partial])
    this.#rows.end(rows)
    return rows
  }

  #rowsOf(lines: ReadonlyArray<string>): Array<FeedRow> {
    const rows: Array<FeedRow> = []
    for (const line of lines) {
      if (this.isFull) break
      this.#rows.addLine(line, ++this.#number, rows)
    }
    return rows
  }

  /**
   * The lines that a text completes. They end with LF, CRLF or CR. Of a line that is longer than `MAX_LINE_CHARS` there is only the
   * beginning, one character longer, at once.
   */
  #linesOf(text: string): ReadonlyArray<string> {
    if (text === "") return []
    const next = this.#isAfterReturn && text.startsWith("\n") ? text.slice(1) : text
    this.#isAfterReturn = text.endsWith("\r")
    const lines = next.split(next.includes("\r") ? LINE_END : "\n")
    const last = lines.pop() ?? ""
    if (lines.length > 0) {
      if (this.#isOverlong) lines.shift()
      else lines[0] = this.#partial + lines[0]
      this.#partial = ""
      this.#isOverlong = false
    }
    if (!this.#isOverlong) this.#partial += last
    if (this.#partial.length > MAX_LINE_CHARS) {
      lines.push(this.#partial.slice(0, MAX_LINE_CHARS + 1))
      this.#partial = ""
      this.#isOverlong = true
    }
    return lines
  }
}
