import { ListError } from "../../ListError.ts"
import { type CsvRecord, CsvRecords } from "./CsvRecords.ts"
import { type FeedReader, type FeedRow, MAX_ENTRY_LENGTH, SkippedRows } from "./FeedRow.ts"

/** What is read of a table of comma-separated values (RFC 4180). */
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
  readonly entry: (values: ReadonlyArray<string>) => Omit<FeedRow, "line"> | "Unused" | "Unreadable"
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
export class TableReader implements FeedReader {
  readonly skipped = new SkippedRows()
  readonly #layout: TableLayout
  readonly #records = new CsvRecords(",")
  /** The number of columns, and the places of those that are read. */
  #columns = 0
  #places: ReadonlyArray<number> = []
  #isFirst = true
  #fitting = 0
  #unfitting = 0

  constructor(layout: TableLayout) {
    this.#layout = layout
    if (layout.columns !== undefined) this.#setColumns(layout.columns)
  }

  get isFull(): boolean {
    const { maxRows } = this.#layout
    return maxRows !== undefined && this.#fitting + this.#unfitting >= maxRows
  }

  read(chunk: Uint8Array): ReadonlyArray<FeedRow> {
    this.#records.write(chunk)
    const rows = this.#rows()
    this.#records.limit(chunk.length)
    return rows
  }

  end(): ReadonlyArray<FeedRow> {
    if (!this.isFull) this.#records.end()
    const rows = this.#rows()
    this.#records.checkEnd()
    if (this.#unfitting > this.#fitting)
      throw new ListError(
        "Columns",
        `${this.#unfitting} of ${this.#unfitting + this.#fitting} rows have other columns`
      )
    return rows
  }

  #rows(): ReadonlyArray<FeedRow> {
    const rows: Array<FeedRow> = []
    while (!this.isFull) {
      const record = this.#records.next()
      if (record === undefined) break
      if (!this.#isAboutColumns(record.fields)) this.#addRow(record, rows)
    }
    return rows
  }

  #addRow({ fields, line }: CsvRecord, rows: Array<FeedRow>): void {
    const row =
      fields.length === this.#columns
        ? this.#layout.entry(this.#places.map((place) => fields[place]?.trim() ?? ""))
        : "Unreadable"
    if (row === "Unreadable") {
      this.#unfitting++
      this.skipped.add(line, "Not a row of the format")
      return
    }
    this.#fitting++
    if (row === "Unused") this.skipped.add(line, "Not about a URL or host")
    else if (row.text === "") this.skipped.add(line, "Not a URL or host")
    else if (row.text.length > MAX_ENTRY_LENGTH) this.skipped.add(line, "Too long")
    else rows.push({ ...row, line })
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
    const { reads, readsIfThere = [] } = this.#layout
    const missing = reads.filter((name) => !names.includes(name))
    if (missing.length > 0)
      throw new ListError("Columns", missing.map((name) => `no column "${name}"`).join(", "))
    this.#columns = names.length
    this.#places = [...reads, ...readsIfThere].map((name) => names.indexOf(name))
  }
}
