import { ListError } from "../../ListError.ts"
import {
  type FeedRow,
  MAX_ENTRY_LENGTH,
  MAX_LINE_CHARS,
  type RowReader,
  type SkippedRows
} from "./FeedReader.ts"

/** The fields of a row. */
export type Fields = ReadonlyArray<string>

/**
 * The records of a table of separated values (RFC 4180), comments among them. A quote where the RFC has no place for one is text, but for
 * one after a delimiter and a blank.
 * Ours: with csv-parse the list of a table of PhishTank takes 1.6 times the CPU, and CRLF inside quotes counts as two lines.
 */
export class CsvRecords {
  readonly #delimiter: string
  #fields: Array<string> = []
  /** The beginning of a quoted field that is still open. */
  #quoted: string | undefined
  /** Of the record so far, with its line breaks. */
  #chars = 0

  constructor(delimiter: string) {
    this.#delimiter = delimiter
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
    if (!isOpen && !line.includes('"')) return line.split(this.#delimiter)
    let at = isOpen ? this.#readQuoted(line, 0) : this.#startField(line, 0)
    while (at !== undefined) at = this.#startField(line, at)
    if (this.#quoted !== undefined) return undefined
    const fields = this.#fields
    this.#fields = []
    return fields
  }

  /** Throws `Corrupt` for a quote that is still open. */
  end(): void {
    if (this.#quoted !== undefined) throw new ListError("Corrupt")
  }

  /** Where the next field begins; undefined at the end of the line. */
  #startField(line: string, at: number): number | undefined {
    const start = line.startsWith(' "', at) ? at + 1 : at
    if (line[start] !== '"') return this.#endField("", line, at)
    this.#quoted = ""
    return this.#readQuoted(line, start + 1)
  }

  #readQuoted(line: string, start: number): number | undefined {
    for (let at = start; ; ) {
      const quote = line.indexOf('"', at)
      if (quote === -1) {
        this.#quoted += `${line.slice(at)}\n`
        return undefined
      }
      this.#quoted += line.slice(at, quote)
      const next = line[quote + 1]
      if (next !== '"') {
        const quoted = this.#quoted ?? ""
        this.#quoted = undefined
        return next === undefined || next === this.#delimiter
          ? this.#endField(quoted, line, quote + 1)
          : this.#endField(`"${quoted}`, line, quote)
      }
      this.#quoted += '"'
      at = quote + 2
    }
  }

  /** Ends a field with the text up to the next delimiter. */
  #endField(text: string, line: string, at: number): number | undefined {
    const end = line.indexOf(this.#delimiter, at)
    this.#fields.push(text + line.slice(at, end === -1 ? undefined : end))
    return end === -1 ? undefined : end + 1
  }
}

export const isComment = ([first = ""]: Fields): boolean => first.trimStart().startsWith("#")

/** The names of columns in a header, which may be a comment. */
export const namesOf = (fields: Fields): Fields => fields.map((name) => name.replace(/^#+/, "").trim())

/** Adds a row of a table, or why it is not used. */
export const addRow = (row: FeedRow, rows: Array<FeedRow>, skipped: SkippedRows): void => {
  if (row.text === "") skipped.add(row.line, "Not a URL or host")
  else if (row.text.length > MAX_ENTRY_LENGTH) skipped.add(row.line, "Too long")
  else rows.push(row)
}

/** What is read of a table of comma-separated values. */
export interface TableLayout {
  /** The columns that are read. */
  readonly reads: ReadonlyArray<string>
  /**
   * All columns in order, for documents without a header: these may have one, in the first row or in a comment. Undefined:
   * the first row must be a header.
   */
  readonly columns?: ReadonlyArray<string>
  /** Columns that need not be there; their values follow those of `reads`, `""` for one that is missing. */
  readonly readsIfThere?: ReadonlyArray<string>
  /**
   * The entry in the values of `reads`. `Unused`: the row is about something else than a URL or a host. `Unreadable`: it is
   * a row of another table.
   */
  readonly entry: (values: Fields, line: number) => FeedRow | "Unused" | "Unreadable"
  /** After so many rows the rest of the document is not needed. */
  readonly maxRows?: number
}

/** Of the names in `columns`. A row of data could contain one of them. */
const MIN_NAMES_IN_HEADER = 2

/**
 * Reads a table, with `#` comments between its rows: by the names of the columns if the document has a header, otherwise by
 * their places. Rows with a wrong number of fields are skipped.
 *
 * Throws a `ListError`: `Columns` for a header without a column that is read, and for more rows with other columns
 * than with these; `Corrupt` for a row that does not end, and for a quote that is still open at the end.
 */
export class TableReader implements RowReader {
  readonly #skipped: SkippedRows
  readonly #layout: TableLayout
  readonly #records = new CsvRecords(",")
  /** The number of columns, and the places of those that are read. */
  #columns = 0
  #places: ReadonlyArray<number> = []
  #isFirst = true
  #fitting = 0
  #unfitting = 0

  constructor(layout: TableLayout, skipped: SkippedRows) {
    this.#layout = layout
    this.#skipped = skipped
    if (layout.columns !== undefined) this.#setColumns(layout.columns)
  }

  get isFull(): boolean {
    const { maxRows } = this.#layout
    return maxRows !== undefined && this.#fitting + this.#unfitting >= maxRows
  }

  addLine(line: string, number: number, rows: Array<FeedRow>): void {
    const values = this.#isPlainRow(line) ? this.#valuesIn(line) : this.#valuesOf(this.#records.addLine(line))
    if (values === undefined) return
    const row = values === "Unreadable" ? values : this.#layout.entry(values, number)
    if (row === "Unreadable") {
      this.#unfitting++
      this.#skipped.add(number, "Not a row of the format")
      return
    }
    this.#fitting++
    if (row === "Unused") this.#skipped.add(number, "Not about a URL or host")
    else addRow(row, rows, this.#skipped)
  }

  end(): void {
    this.#records.end()
    if (this.#unfitting > this.#fitting)
      throw new ListError(
        "Columns",
        `${this.#unfitting} of ${this.#unfitting + this.#fitting} rows have other columns`
      )
  }

  /** Whether a line is a whole row without quotes: nearly all are. Of an overlong one the end is missing. */
  #isPlainRow(line: string): boolean {
    const mayBeRow = line !== "" && line[0] !== "#" && line.length <= MAX_LINE_CHARS
    return mayBeRow && !this.#isFirst && !this.#records.isOpen && !line.includes('"')
  }

  /** The values that are read, of a plain row: most tables have many more, and a row is read in a third of the time. */
  #valuesIn(line: string): Fields | "Unreadable" {
    const values = new Array<string>(this.#places.length).fill("")
    let column = 0
    for (let start = 0, comma = 0; comma !== -1; column++, start = comma + 1) {
      comma = line.indexOf(",", start)
      const index = this.#places.indexOf(column)
      if (index !== -1) values[index] = line.slice(start, comma === -1 ? undefined : comma).trim()
    }
    return column === this.#columns ? values : "Unreadable"
  }

  /** The values that are read, of a record; undefined for none, a comment and a header. */
  #valuesOf(fields: Fields | undefined): Fields | "Unreadable" | undefined {
    if (fields === undefined || this.#isAboutColumns(fields)) return undefined
    return fields.length === this.#columns
      ? this.#places.map((place) => fields[place]?.trim() ?? "")
      : "Unreadable"
  }

  /** Whether it is a comment or a header and no row. */
  #isAboutColumns(fields: Fields): boolean {
    const isComment = fields[0]?.startsWith("#") === true
    if (!isComment && !this.#isFirst) return false
    if (!isComment) this.#isFirst = false
    const names = namesOf(fields)
    const { columns } = this.#layout
    const isHeader =
      columns === undefined
        ? !isComment
        : columns.filter((name) => names.includes(name)).length >= MIN_NAMES_IN_HEADER
    if (isHeader) this.#setColumns(names)
    return isHeader || isComment
  }

  #setColumns(names: Fields): void {
    const { reads, readsIfThere = [] } = this.#layout
    const missing = reads.filter((name) => !names.includes(name))
    if (missing.length > 0)
      throw new ListError("Columns", missing.map((name) => `no column "${name}"`).join(", "))
    this.#columns = names.length
    this.#places = [...reads, ...readsIfThere].map((name) => names.indexOf(name))
  }
}
