import { ListError } from "../../ListError.ts"
import { type FeedRow, MAX_ENTRY_LENGTH, MAX_LINE_CHARS, type RowReader } from "./FeedReader.ts"
import type { SkippedRows } from "./SkippedRows.ts"

/** The fields of a row. */
export type Fields = ReadonlyArray<string>

/**
 * The records of a table of separated values (RFC 4180), comments among them. A quote where the RFC has no place for one is text, but for
 * one after a delimiter and a blank.
 * Ours: with csv-parse the list of a table of PhishTank takes 1.6 times the CPU, and CRLF inside quotes counts as two lines.
 */
export class CsvRecords {
  readonly delimiter: string
  #fields: Array<string> = []
  /** The beginning of a quoted field that is still open. */
  #quoted: string | undefined
  /** Of the record so far, with its line breaks. */
  #chars = 0

  constructor(delimiter: string) {
    this.delimiter = delimiter
  }

  /** Whether the last line ended inside quotes. */
  get isOpen(): boolean {
    return this.#quoted !== undefined
  }

  /**
   * Adds a line. Returns the record that it completes; undefined after an empty line, and inside quotes. Throws `Corrupt` for a record
   * that does not end.
   */
  addLine(line: string): Fields | undefined {
    const { isOpen } = this
    this.#chars = line.length + (isOpen ? this.#chars + 1 : 0)
    if (this.#chars > MAX_LINE_CHARS) throw new ListError("Corrupt")
    if (!isOpen && line === "") return undefined
    if (!isOpen && !line.includes('"')) return line.split(this.delimiter)
    for (let at = 0; at <= line.length; ) {
      let text = ""
      const start = line.startsWith(' "', at) ? at + 1 : at
      if (this.#quoted === undefined && line[start] === '"') {
        this.#quoted = ""
        at = start + 1
      }
      if (this.#quoted !== undefined) {
        const quote = endOfQuoted(line, at)
        const inside = line.slice(at, quote)
        this.#quoted += inside.includes('""') ? inside.replaceAll('""', '"') : inside
        if (quote === undefined) {
          this.#quoted += "\n"
          return undefined
        }
        at = quote + 1
        const isClosed = at === line.length || line[at] === this.delimiter
        // The quote began in the middle of a text, and the lines after it are rows: as one field they are no row.
        if (!isClosed && this.#quoted.includes("\n")) {
          const hidden = `${this.#quoted}${line.slice(at)}`
          this.#quoted = undefined
          this.#fields = []
          return [hidden]
        }
        text = isClosed ? this.#quoted : `"${this.#quoted}"`
        this.#quoted = undefined
      }
      const end = line.indexOf(this.delimiter, at)
      this.#fields.push(text + line.slice(at, end === -1 ? undefined : end))
      at = end === -1 ? line.length + 1 : end + 1
    }
    const fields = this.#fields
    this.#fields = []
    return fields
  }
}

/** The place of the next quote that is not doubled; undefined if there is none. */
const endOfQuoted = (line: string, start: number): number | undefined => {
  let quote = line.indexOf('"', start)
  while (quote !== -1 && line[quote + 1] === '"') quote = line.indexOf('"', quote + 2)
  return quote === -1 ? undefined : quote
}

/** The columns of a document. */
export interface Columns {
  readonly count: number
  /** Of those that are read, from 0; -1 for one that is missing. */
  readonly places: ReadonlyArray<number>
  /** Whether the first row is a header. */
  readonly hasHeader: boolean
}

/** How a table is read. */
export interface TableLayout {
  /** By the first line that is not a comment; of a document of comments by these. */
  readonly delimiterOf: (text: string) => string
  /** So many rows and one more show the columns. */
  readonly sampleRows: number
  /** The columns by the first rows, and the comments before them. Throws `Columns`. */
  readonly columnsOf: (sample: ReadonlyArray<Fields>, comments: ReadonlyArray<Fields>) => Columns
  /** Whether more rows with other columns than with these throw `Columns`. Otherwise they are only skipped. */
  readonly isStrict: boolean
  /** The entry in the values of the columns that are read, `""` for one that is missing; or why the row has none. */
  readonly entry: (
    values: Fields,
    line: number
  ) => FeedRow | "Not a row of the format" | "Not about a URL or host"
  /** After so many rows the rest of the document is not needed. */
  readonly maxRows?: number
}

/** Before the first row: the last of them may be the header. */
const MAX_COMMENTS = 50

/** Not after a tab, which ends an empty field. */
const COMMENT = /^ *#/

/** A URL, a host or an address. */
const ENTRY = /^[^\s.:]*[.:]\S+$/

/**
 * Whether each line of a record is a row by itself: a quote at the beginning of a field, and the next one at the end of another, are not
 * the publisher's.
 */
const hidesRows = (fields: Fields, { count, places }: Columns, delimiter: string): boolean =>
  fields.some((text) => text.includes("\n")) &&
  fields
    .join(delimiter)
    .split("\n")
    .map((line) => line.split(delimiter))
    .every((row) => row.length === count && places.some((place) => ENTRY.test(row[place]?.trim() ?? "")))

/** `sep=;`, the first line of a table for Excel. */
export const EXCEL_DELIMITER = /^sep=(.)\s*$/

/**
 * Reads a table, with `#` comments between its rows. Rows with a wrong number of fields are skipped. Throws a `ListError`: `Columns`,
 * and `Corrupt` for a row that does not end, and for a quote that is still open at the end.
 */
export class TableReader implements RowReader {
  readonly #skipped: SkippedRows
  readonly #layout: TableLayout
  /** The last comments before the first row, which shows the delimiter. */
  #comments: Array<string> = []
  #records: CsvRecords | undefined
  /** The rows before the columns are known. */
  #sample: Array<{ readonly fields: Fields; readonly number: number }> = []
  #columns: Columns | undefined
  #rows = 0
  #unfitting = 0

  constructor(layout: TableLayout, skipped: SkippedRows) {
    this.#layout = layout
    this.#skipped = skipped
  }

  get isFull(): boolean {
    const { maxRows } = this.#layout
    return maxRows !== undefined && this.#rows >= maxRows
  }

  addLine(line: string, number: number, rows: Array<FeedRow>): void {
    // A line of spaces would be the first row.
    if (this.#columns === undefined && this.#records?.isOpen !== true && line.trim() === "") return
    if (this.#records === undefined) {
      if (COMMENT.test(line)) {
        this.#addComment(line)
        return
      }
      this.#records = new CsvRecords(this.#layout.delimiterOf(line))
      if (EXCEL_DELIMITER.test(line)) return
    }
    const fields = this.#records.addLine(line)
    if (fields === undefined) return
    if (fields[0]?.trimStart().startsWith("#")) {
      // A quote in it took the next lines with it: they may be rows.
      if (fields.some((text) => text.includes("\n"))) this.#skipLines(fields, number)
      // It may be a header in quotes, or after the line that names the delimiter.
      else if (this.#columns === undefined && this.#sample.length === 0) this.#addComment(line)
      // A tag, such as `#phishing`, or a row that the publisher took back. Other comments have other commas, or sentences between.
      else if (
        fields.length === (this.#columns?.count ?? this.#sample[0]?.fields.length) &&
        fields.slice(1).some((text) => ENTRY.test(text.trim()))
      )
        this.#skipped.add(number, "Not a row of the format")
    } else if (this.#columns !== undefined) this.#addRow(fields, this.#columns, number, rows)
    else {
      this.#sample.push({ fields, number })
      if (this.#sample.length > this.#layout.sampleRows) this.#choose(this.#records.delimiter, rows)
    }
  }

  /** Each line of a record counts: a quote that is not closed hides the rows up to the next one. */
  #skipLines(fields: Fields, number: number): void {
    const breaks = fields.join("").split("\n").length - 1
    for (let line = number - breaks; line <= number; line++)
      this.#skipped.add(line, "Not a row of the format")
    this.#unfitting += breaks
    this.#rows += breaks
  }

  #addComment(line: string): void {
    this.#comments.push(line)
    if (this.#comments.length > MAX_COMMENTS) this.#comments.shift()
  }

  end(rows: Array<FeedRow>): void {
    const { isOpen = false, delimiter = this.#layout.delimiterOf(this.#comments.join("\n")) } =
      this.#records ?? {}
    if (this.#columns === undefined && this.#sample.length + this.#comments.length > 0)
      this.#choose(delimiter, rows)
    if (isOpen) throw new ListError("Corrupt")
    if (this.#layout.isStrict && 2 * this.#unfitting > this.#rows)
      throw new ListError("Columns", `${this.#unfitting} of ${this.#rows} rows have other columns`)
  }

  #choose(delimiter: string, rows: Array<FeedRow>): void {
    const comments = this.#comments.map((line) => new CsvRecords(delimiter).addLine(line) ?? [])
    const sample = this.#sample.map(({ fields }) => fields)
    const columns = this.#layout.columnsOf(sample, comments)
    this.#columns = columns
    for (const { fields, number } of this.#sample.slice(columns.hasHeader ? 1 : 0))
      this.#addRow(fields, columns, number, rows)
    this.#sample = []
    this.#comments = []
  }

  #addRow(fields: Fields, columns: Columns, number: number, rows: Array<FeedRow>): void {
    const delimiter = this.#records?.delimiter ?? ","
    const row =
      fields.length === columns.count && !hidesRows(fields, columns, delimiter)
        ? this.#layout.entry(
            columns.places.map((place) => fields[place]?.trim() ?? ""),
            number
          )
        : "Not a row of the format"
    this.#rows++
    if (row === "Not a row of the format") {
      this.#unfitting++
      this.#skipLines(fields, number)
    } else if (typeof row === "string") this.#skipped.add(number, row)
    else if (row.text === "") this.#skipped.add(number, "Not a URL or host")
    else if (row.text.length > MAX_ENTRY_LENGTH) this.#skipped.add(number, "Too long")
    else rows.push(row)
  }
}
