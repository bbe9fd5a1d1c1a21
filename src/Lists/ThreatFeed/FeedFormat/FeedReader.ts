import { StringDecoder } from "node:string_decoder"
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

/**
 * Reads a document chunk by chunk. `read` and `end` return the rows that became complete.
 *
 * Throws a `ListError` when the whole document must be rejected: with `Columns` for a table without the columns of
 * its format, with `Corrupt` for one that ends inside a quoted field, with `NotAFeed` for a table instead of lines.
 */
export class FeedReader {
  /** Rows that were not returned. */
  readonly skipped = new SkippedRows()
  readonly #lines = new DocumentLines()
  readonly #rows: RowReader
  #number = 0

  constructor(rowReader: (skipped: SkippedRows) => RowReader) {
    this.#rows = rowReader(this.skipped)
  }

  get isFull(): boolean {
    return this.#rows.isFull
  }

  read(chunk: Uint8Array): ReadonlyArray<FeedRow> {
    const rows: Array<FeedRow> = []
    this.#add(this.#lines.write(chunk), rows)
    return rows
  }

  end(): ReadonlyArray<FeedRow> {
    const rows: Array<FeedRow> = []
    this.#add(this.#lines.end(), rows)
    this.#rows.end(rows)
    return rows
  }

  #add(lines: ReadonlyArray<string>, rows: Array<FeedRow>): void {
    for (const line of lines) {
      if (this.isFull) return
      this.#rows.addLine(line, ++this.#number, rows)
    }
  }
}

/** No row of any format has a longer line. */
export const MAX_LINE_CHARS = 1_048_576

const BYTE_ORDER_MARK = "\ufeff"
const BYTE_ORDER_MARK_BYTES = 3

const decoderOf = (first: number | undefined, second: number | undefined): TextDecoder | StringDecoder =>
  first === 0xff && second === 0xfe
    ? new TextDecoder("utf-16le")
    : first === 0xfe && second === 0xff
      ? new TextDecoder("utf-16be")
      : new StringDecoder("utf8")

/** A carriage return alone was the end of a line on old Macintoshes, and still is in a spreadsheet's file for these. */
const LINE_END = /\r\n?|\n/

/**
 * The lines of a document whose bytes come in chunks: UTF-8, or UTF-16 with a byte order mark, as Windows programs save it, without
 * that mark. Lines end with LF, CRLF or CR, the last one also with nothing. Of a line that is longer than `MAX_LINE_CHARS` there is
 * only the beginning, one character longer, at once.
 */
class DocumentLines {
  /** The beginning, until it has a whole byte order mark. */
  #head: Uint8Array = new Uint8Array()
  #decoder: TextDecoder | StringDecoder | undefined
  /** The beginning of a line whose end is in a later chunk. */
  #partial = ""
  /** The rest of the line does not count. */
  #isOverlong = false
  /** The last character was a carriage return: a line feed after it belongs to it. */
  #isAfterReturn = false

  write(chunk: Uint8Array): ReadonlyArray<string> {
    if (this.#decoder !== undefined) return this.#split(this.#decode(chunk))
    this.#head = Buffer.concat([this.#head, chunk])
    return this.#head.length < BYTE_ORDER_MARK_BYTES ? [] : this.#open()
  }

  end(): ReadonlyArray<string> {
    const lines = this.#decoder === undefined ? this.#open() : []
    const last = this.#split(this.#decode())
    return this.#isOverlong ? [...lines, ...last] : [...lines, ...last, this.#partial]
  }

  #open(): ReadonlyArray<string> {
    this.#decoder = decoderOf(this.#head[0], this.#head[1])
    const text = this.#decode(this.#head)
    return this.#split(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
  }

  /** Without bytes: the rest. */
  #decode(bytes?: Uint8Array): string {
    if (this.#decoder instanceof TextDecoder)
      return this.#decoder.decode(bytes, { stream: bytes !== undefined })
    return (bytes === undefined ? this.#decoder?.end() : this.#decoder?.write(bytes)) ?? ""
  }

  #split(text: string): ReadonlyArray<string> {
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
