import { Parser } from "csv-parse"
import { ThrownListError } from "../../ListWorker/ThrownListError.ts"
import { type FeedReader, type FeedRow, MAX_ENTRY_LENGTH } from "./FeedRow.ts"

/** A table with fixed columns, as comma-separated values by RFC 4180. */
export interface TableLayout {
  readonly columns: ReadonlyArray<string>
  /** Whether the first row must name the columns. If not it still may, also in a comment. */
  readonly hasHeader: boolean
  /** The entry of a row; undefined for a row about something else than a URL or a host. */
  readonly entry: (fields: ReadonlyArray<string>) => FeedRow | undefined
}

/** The size of a record is checked after each step. */
const STEP_BYTES = 4096

/** A larger record is a quote that is never closed, or no row of any table here. */
const MAX_RECORD_BYTES = 1_048_576

const isSame = (names: ReadonlyArray<string>, columns: ReadonlyArray<string>): boolean =>
  names.length === columns.length && names.every((name, i) => name === columns[i])

/**
 * Reads a table, with `#` comments between its rows. Rows with a wrong number of fields are unreadable, and a quote where
 * RFC 4180 has no place for one is text. Fails with `Columns` for other columns than the layout's and for more rows with a
 * wrong number of fields than with the right one, and with `Corrupt` for a quote that is still open at the end.
 */
export class FeedTable implements FeedReader {
  unreadable = 0
  unused = 0
  readonly #layout: TableLayout
  readonly #parser: Parser
  #isFirst = true
  #isCutOff = false
  /** Records and empty lines that are complete, and the bytes of the steps since then. */
  #complete = 0
  #partialBytes = 0
  #fitting = 0
  #unfitting = 0

  constructor(layout: TableLayout) {
    this.#layout = layout
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

  *read(chunk: Uint8Array): Generator<FeedRow> {
    for (let at = 0; at < chunk.length; at += STEP_BYTES) {
      const step = chunk.subarray(at, at + STEP_BYTES)
      this.#parser.write(step)
      yield* this.#rows()
      this.#limitRecord(step.length)
    }
  }

  *end(): Generator<FeedRow> {
    this.#parser.end()
    yield* this.#rows()
    if (this.#unfitting > this.#fitting) throw new ThrownListError("Columns")
  }

  *#rows(): Generator<FeedRow> {
    let fields: ReadonlyArray<string> | null = this.#parser.read()
    for (; fields !== null; fields = this.#parser.read()) {
      if (this.#isAboutColumns(fields)) continue
      if (fields.length !== this.#layout.columns.length) {
        this.#unfitting++
        this.unreadable++
        continue
      }
      this.#fitting++
      const row = this.#layout.entry(fields)
      if (row === undefined) this.unused++
      else if (row.text === "" || row.text.length > MAX_ENTRY_LENGTH) this.unreadable++
      else yield row
    }
    if (this.#isCutOff) throw new ThrownListError("Corrupt")
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

  /** Whether it is a comment or a header and no row. Throws when it names other columns than the layout's. */
  #isAboutColumns(fields: ReadonlyArray<string>): boolean {
    const isComment = fields[0]?.startsWith("#") === true
    if (!isComment && !this.#isFirst) return false
    if (!isComment) this.#isFirst = false

    const { columns, hasHeader } = this.#layout
    const [first = "", ...others] = fields
    const names = [first.replace(/^# */, ""), ...others]
    if (isSame(names, columns)) return true
    const isHeader = names[0] === columns[0]
    if (isHeader || (hasHeader && !isComment)) throw new ThrownListError("Columns")
    return isComment
  }
}
