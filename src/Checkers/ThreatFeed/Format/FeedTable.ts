import { Parser } from "csv-parse"
import { LONGEST_LINE } from "./FeedLines.ts"
import type { FeedProblem, FeedReader, FeedRow } from "./FeedRow.ts"

/** A table with fixed columns, as comma-separated values by RFC 4180. */
export interface TableLayout {
  readonly columns: ReadonlyArray<string>
  /** Whether the first row must name the columns. If not it still may, in a comment too. */
  readonly hasHeader: boolean
  /** The entry of a row; undefined for a row about something else than a URL. */
  readonly entry: (fields: ReadonlyArray<string>) => FeedRow | undefined
}

/** How much of a document is parsed before its rows are given out: well under a millisecond. */
const BYTES_A_STEP = 4096

/** A record that passes this many bytes is a quote that was never closed, or no record of any table here. */
const LARGEST_RECORD = 1_048_576

const isSame = (names: ReadonlyArray<string>, columns: ReadonlyArray<string>): boolean =>
  names.length === columns.length && names.every((name, i) => name === columns[i])

/**
 * Reads a table, with `#` comments between its rows. Rows with a wrong number of fields are skipped, and a quote where
 * RFC 4180 has no place for one is text; but other columns than the layout's, more rows with a wrong number of fields than
 * with the right one, and a quote that is still open at the end are problems of the whole document.
 */
export class FeedTable implements FeedReader {
  skipped = 0
  problem: FeedProblem | undefined
  readonly #layout: TableLayout
  readonly #parser: Parser
  #isFirst = true
  /** Records and empty lines that have ended, and bytes since then, but for those of a step. */
  #ended = 0
  #begun = 0
  #fitting = 0
  #unfitting = 0

  constructor(layout: TableLayout) {
    this.#layout = layout
    this.#parser = new Parser({
      bom: true,
      record_delimiter: ["\r\n", "\n"],
      relax_column_count: true,
      skip_empty_lines: true,
      // Without it the parser goes on inside quotes after `"a"b,`, and the rows up to the next quote are lost.
      relax_quotes: true,
      skip_records_with_error: true,
      // A quote that is still open at the end.
      on_skip: () => {
        this.problem = "Corrupt"
        return undefined
      }
    })
  }

  *read(piece: Uint8Array): Generator<FeedRow> {
    for (let at = 0; at < piece.length && this.problem === undefined; at += BYTES_A_STEP) {
      const step = piece.subarray(at, at + BYTES_A_STEP)
      this.#parser.write(step)
      yield* this.#rows()
      this.#limitRecord(step.length)
    }
  }

  *end(): Generator<FeedRow> {
    if (this.problem !== undefined) return
    this.#parser.end()
    yield* this.#rows()
    if (this.#unfitting > this.#fitting) this.problem ??= "Columns"
  }

  *#rows(): Generator<FeedRow> {
    let fields: ReadonlyArray<string> | null = this.#parser.read()
    for (; fields !== null && this.problem === undefined; fields = this.#parser.read()) {
      if (this.#isAboutColumns(fields)) continue
      if (fields.length !== this.#layout.columns.length) {
        this.#unfitting++
        this.skipped++
        continue
      }
      this.#fitting++
      const row = this.#layout.entry(fields)
      if (row === undefined) continue
      if (row.text === "" || row.text.length > LONGEST_LINE) this.skipped++
      else yield row
    }
  }

  /**
   * Not by the parser's own limit, which counts no delimiters: a row of commas without end would grow until V8 ends the
   * process, because one allocation of that size is more than a thread's limit can stop.
   */
  #limitRecord(bytes: number): void {
    const { records, empty_lines } = this.#parser.info
    const ended = records + empty_lines
    this.#begun = ended === this.#ended ? this.#begun + bytes : 0
    this.#ended = ended
    if (this.#begun > LARGEST_RECORD) this.problem = "Corrupt"
  }

  /** Whether it is a comment or a header and no row. Sets `problem` when it shows other columns than the layout's. */
  #isAboutColumns(fields: ReadonlyArray<string>): boolean {
    const isComment = fields[0]?.startsWith("#") === true
    if (!isComment && !this.#isFirst) return false
    if (!isComment) this.#isFirst = false

    const { columns, hasHeader } = this.#layout
    const [first = "", ...others] = fields
    const names = [first.replace(/^# */, ""), ...others]
    if (isSame(names, columns)) return true
    const isHeader = names[0] === columns[0]
    if (isHeader || (hasHeader && !isComment)) this.problem = "Columns"
    return isComment || this.problem !== undefined
  }
}
