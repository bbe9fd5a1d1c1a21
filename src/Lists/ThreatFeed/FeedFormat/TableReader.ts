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
        return next === undefined || next === this.delimiter
          ? this.#endField(quoted, line, quote + 1)
          : this.#endField(`"${quoted}`, line, quote)
      }
      this.#quoted += '"'
      at = quote + 2
    }
  }

  /** Ends a field with the text up to the next delimiter. */
  #endField(text: string, line: string, at: number): number | undefined {
    const end = line.indexOf(this.delimiter, at)
    this.#fields.push(text + line.slice(at, end === -1 ? undefined : end))
    return end === -1 ? undefined : end + 1
  }
}

export const isComment = ([first = ""]: Fields): boolean => first.trimStart().startsWith("#")

/** The columns of a document. */
export interface Columns {
  readonly count: number
  /** Of those that are read, from 0; -1 for one that is missing. */
  readonly places: ReadonlyArray<number>
  /** It is one of the sample, and no row. */
  readonly header: Fields | undefined
}

/** How a table is read. */
export interface TableLayout {
  /** By the first line that is no comment; of a document of comments by these. */
  readonly delimiterOf: (text: string) => string
  /** So many records and one more show the columns, with the comments before and between them. */
  readonly sampleRows: number
  /** The columns by the first records, comments among them. Throws `Columns`. */
  readonly columnsOf: (sample: ReadonlyArray<Fields>) => Columns
  /** Whether more rows with other columns than with these throw `Columns`. Otherwise they are only skipped. */
  readonly isStrict: boolean
  /**
   * The entry in the values of the columns that are read, `""` for one that is missing. `Unused`: the row is about something else than
   * a URL or a host. `Unreadable`: it is a row of another table.
   */
  readonly entry: (values: Fields, line: number) => FeedRow | "Unused" | "Unreadable"
  /** After so many rows the rest of the document is not needed. */
  readonly maxRows?: number
}

/** Before the first row, and again before the columns are known: one of the last may be the header. */
const MAX_COMMENTS = 50

/** Not after a tab, which ends an empty field. */
const COMMENT = /^ *#/

/** `sep=;`, the first line of a table for Excel. */
export const EXCEL_DELIMITER = /^sep=(.)\s*$/

/** Whether a line is a whole row without quotes: nearly all are. Of an overlong one the end is missing. */
const isPlainRow = (line: string, { isOpen }: CsvRecords): boolean =>
  !isOpen && line !== "" && !/^[\s#]/.test(line) && line.length <= MAX_LINE_CHARS && !line.includes('"')

/** The values that are read, of a plain row: most tables have many more, and a row is read in a third of the time. */
const valuesIn = (line: string, delimiter: string, { count, places }: Columns): Fields | "Unreadable" => {
  const values = new Array<string>(places.length).fill("")
  let column = 0
  for (let start = 0, end = 0; end !== -1; column++, start = end + 1) {
    end = line.indexOf(delimiter, start)
    const index = places.indexOf(column)
    if (index !== -1) values[index] = line.slice(start, end === -1 ? undefined : end).trim()
  }
  return column === count ? values : "Unreadable"
}

/**
 * Reads a table, with `#` comments between its rows. Rows with a wrong number of fields are skipped. Throws a `ListError`: `Columns`,
 * and `Corrupt` for a row that does not end, and for a quote that is still open at the end.
 */
export class TableReader implements RowReader {
  readonly #skipped: SkippedRows
  readonly #layout: TableLayout
  /** The last comments before the first row, which shows the delimiter. */
  #comments: Array<{ readonly line: string; readonly number: number }> = []
  #records: CsvRecords | undefined
  /** The records before the columns are known. */
  #sample: Array<{ readonly fields: Fields; readonly number: number }> = []
  #columns: Columns | undefined
  #fitting = 0
  #unfitting = 0

  constructor(layout: TableLayout, skipped: SkippedRows) {
    this.#layout = layout
    this.#skipped = skipped
  }

  get isFull(): boolean {
    const { maxRows } = this.#layout
    return maxRows !== undefined && this.#fitting + this.#unfitting >= maxRows
  }

  addLine(line: string, number: number, rows: Array<FeedRow>): void {
    const records = this.#records
    // A line of spaces would be the first row.
    if (this.#columns === undefined && records?.isOpen !== true && line.trim() === "") return
    if (records === undefined && COMMENT.test(line)) {
      this.#comments.push({ line, number })
      if (this.#comments.length > MAX_COMMENTS) this.#comments.shift()
    } else if (records !== undefined && this.#columns !== undefined && isPlainRow(line, records))
      this.#addValues(valuesIn(line, records.delimiter, this.#columns), number, rows)
    else this.#addRecord((records ?? this.#open(line)).addLine(line), number, rows)
  }

  end(rows: Array<FeedRow>): void {
    const records = this.#records ?? this.#open(this.#comments.map(({ line }) => line).join("\n"))
    if (this.#columns === undefined && this.#sample.length > 0) this.#choose(rows)
    records.end()
    if (this.#layout.isStrict && this.#unfitting > this.#fitting)
      throw new ListError(
        "Columns",
        `${this.#unfitting} of ${this.#unfitting + this.#fitting} rows have other columns`
      )
  }

  #open(text: string): CsvRecords {
    const records = new CsvRecords(this.#layout.delimiterOf(text))
    for (const { line, number } of this.#comments) {
      const fields = records.addLine(line)
      if (fields !== undefined) this.#sample.push({ fields, number })
    }
    this.#comments = []
    this.#records = records
    return records
  }

  #addRecord(fields: Fields | undefined, number: number, rows: Array<FeedRow>): void {
    if (fields === undefined) return
    if (this.#columns !== undefined) this.#addFields(fields, this.#columns, number, rows)
    else if (!EXCEL_DELIMITER.test(fields.join())) {
      this.#sample.push({ fields, number })
      const records = this.#sample.filter(({ fields }) => !isComment(fields)).length
      const comments = this.#sample.length - records
      if (records === 0 && comments > MAX_COMMENTS) this.#sample.shift()
      if (records > this.#layout.sampleRows || comments > 2 * MAX_COMMENTS) this.#choose(rows)
    }
  }

  #choose(rows: Array<FeedRow>): void {
    const columns = this.#layout.columnsOf(this.#sample.map(({ fields }) => fields))
    this.#columns = columns
    for (const { fields, number } of this.#sample)
      if (fields !== columns.header) this.#addFields(fields, columns, number, rows)
    this.#sample = []
  }

  #addFields(fields: Fields, { count, places }: Columns, number: number, rows: Array<FeedRow>): void {
    if (isComment(fields)) {
      // A quote in it took the next lines with it: they may be rows.
      if (fields.some((text) => text.includes("\n"))) this.#skipped.add(number, "Not a row of the format")
      return
    }
    const isRow = fields.length === count
    this.#addValues(isRow ? places.map((place) => fields[place]?.trim() ?? "") : "Unreadable", number, rows)
  }

  #addValues(values: Fields | "Unreadable", number: number, rows: Array<FeedRow>): void {
    const row = values === "Unreadable" ? values : this.#layout.entry(values, number)
    if (row === "Unreadable") this.#unfitting++
    else this.#fitting++
    if (row === "Unreadable") this.#skipped.add(number, "Not a row of the format")
    else if (row === "Unused") this.#skipped.add(number, "Not about a URL or host")
    else if (row.text === "") this.#skipped.add(number, "Not a URL or host")
    else if (row.text.length > MAX_ENTRY_LENGTH) this.#skipped.add(number, "Too long")
    else rows.push(row)
  }
}
