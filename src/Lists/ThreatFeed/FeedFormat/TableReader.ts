import { ListError } from "../../ListError.ts"
import { CsvRecords, type Fields } from "./CsvRecords.ts"
import { type FeedRow, MAX_ENTRY_LENGTH, type RowReader } from "./FeedReader.ts"
import type { SkippedRows } from "./SkippedRows.ts"
import { mayBeIndicator } from "./UrlColumn.ts"

/** The columns of a document. */
export interface Columns {
  readonly count: number
  /** The indices of the columns that are read; -1 for a missing one. */
  readonly places: ReadonlyArray<number>
  /** Whether the first row is a header. */
  readonly hasHeader: boolean
  /** Whether a row is about an honest or withdrawn address. */
  readonly isException?: (fields: Fields) => boolean
}

/** How a table is read. */
export interface TableLayout {
  /** Undefined: the most frequent one of the first line. A line `sep=;` overrules it. */
  readonly delimiter?: string
  /** The columns are chosen by this many rows and one more. */
  readonly sampleRows: number
  /** Returns the columns by the first rows and the comments before them. Throws `Columns`. */
  readonly columnsOf: (sample: ReadonlyArray<Fields>, comments: ReadonlyArray<Fields>) => Columns
  /** Whether a document throws `Columns` if most of its rows have other columns. */
  readonly isStrict: boolean
  /** Returns the row by the fields of the columns that are read, `""` for a missing one; or why it is not used. */
  readonly entry: (
    fields: Fields,
    line: number
  ) => FeedRow | "Not a row of the format" | "Not about a URL or host"
  /** The maximum of rows: the rest of the document is not needed. */
  readonly maxRows?: number
}

/** The last comments before the first row: one of them may be the header. */
const MAX_COMMENTS = 50

/** In quotes it may be a header. Not after a tab, which ends an empty field. */
const COMMENT = /^ *"?#/

/** The first line of a table for Excel. */
const EXCEL_DELIMITER = /^"?sep=(.)"?\s*$/i

const DELIMITERS = [",", ";", "\t", "|"] as const

/** Returns the most frequent delimiter outside quotes: `delimiterOf("a;b;c,d")` is `";"`. */
const delimiterOf = (text: string): string => {
  const unquoted = text.replace(/"[^"]*"/g, "")
  const counts = DELIMITERS.map((delimiter) => unquoted.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ","
}

const hasLineBreak = (fields: Fields): boolean => fields.some((field) => field.includes("\n"))

/** Whether each line of a record is a row by itself: two quotes that are not the publisher's enclose rows. */
const enclosesRows = (fields: Fields, { count, places }: Columns, delimiter: string): boolean =>
  hasLineBreak(fields) &&
  fields
    .join(delimiter)
    .split("\n")
    .map((line) => line.split(delimiter))
    .every((row) => row.length === count && places.some((place) => mayBeIndicator(row[place])))

interface NumberedRecord {
  readonly fields: Fields
  /** The number of its last line. */
  readonly number: number
}

/**
 * Reads a table, with `#` comments before and between its rows. Skips rows with another number of fields than there are columns.
 * Throws a `ListError`: `Columns`, or `Corrupt` for a record that does not end.
 */
export class TableReader implements RowReader {
  readonly #skipped: SkippedRows
  readonly #layout: TableLayout
  #delimiter: string | undefined
  /** The last comments before the first row. */
  #comments: Array<string> = []
  #records: CsvRecords | undefined
  /** The rows before the columns are known. */
  #sample: Array<NumberedRecord> = []
  #columns: Columns | undefined
  #rows = 0
  /** Rows that do not fit the columns. */
  #misfits = 0

  constructor(layout: TableLayout, skipped: SkippedRows) {
    this.#layout = layout
    this.#skipped = skipped
    this.#delimiter = layout.delimiter
  }

  get isFull(): boolean {
    const { maxRows } = this.#layout
    return maxRows !== undefined && this.#rows >= maxRows
  }

  addLine(line: string, number: number, rows: Array<FeedRow>): void {
    if (this.#records === undefined && this.#addPreamble(line)) return
    this.#records ??= new CsvRecords(this.#delimiterOf(line))
    const fields = this.#records.addLine(line)
    if (fields === undefined) return
    const record = { fields, number }
    if (fields[0]?.trimStart().startsWith("#")) this.#addComment(record)
    else if (this.#columns !== undefined) this.#addRow(record, this.#columns, rows)
    else if (this.#sample.push(record) > this.#layout.sampleRows) this.#chooseColumns(rows)
  }

  end(rows: Array<FeedRow>): void {
    if (this.#columns === undefined && this.#sample.length + this.#comments.length > 0)
      this.#chooseColumns(rows)
    if (this.#records?.isOpen) throw new ListError("Corrupt")
    if (this.#layout.isStrict && 2 * this.#misfits > this.#rows)
      throw new ListError("Columns", `${this.#misfits} of ${this.#rows} rows have other columns`)
  }

  #delimiterOf(text: string): string {
    this.#delimiter ??= delimiterOf(text)
    return this.#delimiter
  }

  /** Whether a line is before the first row: a blank line, a comment or the name of the delimiter. */
  #addPreamble(line: string): boolean {
    const [, delimiter] = EXCEL_DELIMITER.exec(line) ?? []
    if (delimiter !== undefined) this.#delimiter = delimiter
    else if (COMMENT.test(line)) {
      this.#comments.push(line)
      if (this.#comments.length > MAX_COMMENTS) this.#comments.shift()
    } else return line.trim() === ""
    return true
  }

  /**
   * Adds a comment between rows. It is counted if it may be a row, which its first field comments out or which is tagged
   * `#phishing`, or if a quote in it hides the next lines.
   */
  #addComment(record: NumberedRecord): void {
    const [, ...others] = record.fields
    const count = this.#columns?.count ?? this.#sample[0]?.fields.length
    const isLikeRow = record.fields.length === count && others.some(mayBeIndicator)
    if (isLikeRow || hasLineBreak(record.fields)) this.#skipMisfit(record)
  }

  #chooseColumns(rows: Array<FeedRow>): void {
    const delimiter = this.#delimiterOf(this.#comments.join("\n"))
    const columns = this.#layout.columnsOf(
      this.#sample.map(({ fields }) => fields),
      this.#comments.map((line) => new CsvRecords(delimiter).addLine(line) ?? [])
    )
    this.#columns = columns
    for (const record of this.#sample.slice(columns.hasHeader ? 1 : 0)) this.#addRow(record, columns, rows)
    this.#sample = []
    this.#comments = []
  }

  #addRow(record: NumberedRecord, columns: Columns, rows: Array<FeedRow>): void {
    const { fields, number } = record
    const fits =
      fields.length === columns.count && !enclosesRows(fields, columns, this.#records?.delimiter ?? ",")
    const values = columns.places.map((place) => fields[place]?.trim() ?? "")
    const entry = fits ? this.#layout.entry(values, number) : "Not a row of the format"
    const row = fits && columns.isException?.(fields) === true ? "Exception" : entry
    if (row === "Not a row of the format") {
      this.#skipMisfit(record)
      return
    }
    this.#rows++
    if (typeof row === "string") this.#skipped.add(number, row)
    else if (row.text === "") this.#skipped.add(number, "Not a URL or host")
    else if (row.text.length > MAX_ENTRY_LENGTH) this.#skipped.add(number, "Too long")
    else rows.push(row)
  }

  /** Counts each line of a record: a quote that is not closed hides the rows up to the next quote. */
  #skipMisfit({ fields, number }: NumberedRecord): void {
    const lines = fields.join("").split("\n").length
    for (let line = number - lines + 1; line <= number; line++)
      this.#skipped.add(line, "Not a row of the format")
    this.#rows += lines
    this.#misfits += lines
  }
}
