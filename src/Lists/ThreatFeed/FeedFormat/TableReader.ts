import { Parser } from "csv-parse"
import { ThrownListError } from "../../ListWorker/Messages.ts"
import { type FeedReader, type FeedRow, MAX_ENTRY_LENGTH } from "./FeedRow.ts"

/** What is read of a table of comma-separated values (RFC 4180). */
export interface TableLayout {
  /** The columns that are read. */
  readonly reads: ReadonlyArray<string>
  /**
   * All columns in order, for documents without a header: these may have one, in the first row or in a comment. Undefined:
   * the first row must be a header.
   */
  readonly columns?: ReadonlyArray<string>
  /**
   * The entry in the values of `reads`. `Unused`: the row is about something else than a URL or a host. `Unreadable`: it is
   * a row of another table.
   */
  readonly entry: (values: ReadonlyArray<string>) => FeedRow | "Unused" | "Unreadable"
  /** After so many rows the rest of the document is not needed. */
  readonly maxRows?: number
}

/** Of the names in `columns`. A row of data could contain one of them. */
const MIN_NAMES_IN_HEADER = 2

/** A larger record is a quote that is never closed, or no row of any table here. */
const MAX_RECORD_BYTES = 1_048_576

/**
 * Reads a table, with `#` comments between its rows: by the names of the columns if the document has a header, otherwise by
 * their places. Rows with a wrong number of fields are unreadable, and a quote where RFC 4180 has no place for one is text.
 *
 * Throws a `ThrownListError`: `Columns` for a header without a column that is read, and for more rows with other columns
 * than with these; `Corrupt` for a row that does not end, and for a quote that is still open at the end.
 */
export class TableReader implements FeedReader {
  unreadable = 0
  unused = 0
  readonly #layout: TableLayout
  readonly #parser: Parser
  /** The number of columns, and the places of those that are read. */
  #columns = 0
  #places: ReadonlyArray<number> = []
  #isFirst = true
  #isCutOff = false
  /** Records and empty lines that are complete, and the bytes of the chunks since then. */
  #complete = 0
  #partialBytes = 0
  #fitting = 0
  #unfitting = 0

  constructor(layout: TableLayout) {
    this.#layout = layout
    if (layout.columns !== undefined) this.#setColumns(layout.columns)
    this.#parser = new Parser({
      bom: true,
      record_delimiter: ["\r\n", "\n"],
      relax_column_count: true,
      skip_empty_lines: true,
      // Without it the parser stays inside quotes after `"a"b,`, and the rows up to the next quote are lost.
      relax_quotes: true,
      skip_records_with_error: true,
      // A quote that is still open at the end.
      on_skip: () => {
        this.#isCutOff = true
        return undefined
      }
    })
  }

  get isFull(): boolean {
    const { maxRows } = this.#layout
    return maxRows !== undefined && this.#fitting + this.#unfitting >= maxRows
  }

  read(chunk: Uint8Array): ReadonlyArray<FeedRow> {
    const rows: Array<FeedRow> = []
    this.#parser.write(chunk)
    this.#addRows(rows)
    this.#limitRecord(chunk.length)
    return rows
  }

  end(): ReadonlyArray<FeedRow> {
    const rows: Array<FeedRow> = []
    if (!this.isFull) this.#parser.end()
    this.#addRows(rows)
    if (this.#isCutOff) throw new ThrownListError("Corrupt")
    if (this.#unfitting > this.#fitting)
      throw new ThrownListError(
        "Columns",
        `${this.#unfitting} of ${this.#unfitting + this.#fitting} rows have other columns`
      )
    return rows
  }

  #addRows(rows: Array<FeedRow>): void {
    while (!this.isFull) {
      const fields: ReadonlyArray<string> | null = this.#parser.read()
      if (fields === null) return
      if (!this.#isAboutColumns(fields)) this.#addRow(fields, rows)
    }
  }

  #addRow(fields: ReadonlyArray<string>, rows: Array<FeedRow>): void {
    const row =
      fields.length === this.#columns
        ? this.#layout.entry(this.#places.map((place) => fields[place]?.trim() ?? ""))
        : "Unreadable"
    if (row === "Unreadable") {
      this.#unfitting++
      this.unreadable++
      return
    }
    this.#fitting++
    if (row === "Unused") this.unused++
    else if (row.text === "" || row.text.length > MAX_ENTRY_LENGTH) this.unreadable++
    else rows.push(row)
  }

  /**
   * The parser's own limit counts no delimiters: an endless row of commas would grow until V8 ends the process, because a
   * thread's memory limit cannot stop one allocation of that size.
   */
  #limitRecord(bytes: number): void {
    const { records, empty_lines } = this.#parser.info
    const complete = records + empty_lines
    this.#partialBytes = complete === this.#complete ? this.#partialBytes + bytes : 0
    this.#complete = complete
    if (this.#partialBytes > MAX_RECORD_BYTES) throw new ThrownListError("Corrupt")
  }

  /** Whether it is a comment or a header and no row. */
  #isAboutColumns(fields: ReadonlyArray<string>): boolean {
    const isComment = fields[0]?.startsWith("#") === true
    if (!isComment && !this.#isFirst) return false
    if (!isComment) this.#isFirst = false
    const names = fields.map((name) => name.replace(/^#+/, "").trim())
    const { columns } = this.#layout
    const isHeader =
      columns === undefined
        ? !isComment
        : columns.filter((name) => names.includes(name)).length >= MIN_NAMES_IN_HEADER
    if (isHeader) this.#setColumns(names)
    return isHeader || isComment
  }

  #setColumns(names: ReadonlyArray<string>): void {
    const { reads } = this.#layout
    const missing = reads.filter((name) => !names.includes(name))
    if (missing.length > 0)
      throw new ThrownListError("Columns", missing.map((name) => `no column "${name}"`).join(", "))
    this.#columns = names.length
    this.#places = reads.map((name) => names.indexOf(name))
  }
}
