import { StringDecoder } from "node:string_decoder"
import { TextDecoder } from "node:util"
import { type FeedRow, SkippedRows } from "./FeedRow.ts"

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
 * The lines of a document whose bytes come in chunks: UTF-8, or UTF-16 with a byte order mark, as Windows programs save it, without that mark. Lines
 * end with LF, CRLF or CR, the last one also with nothing. Of a line that is longer than `MAX_LINE_CHARS` there is only the
 * beginning, one character longer, at once.
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
