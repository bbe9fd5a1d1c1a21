import { Buffer } from "node:buffer"
import { type Info, Parser } from "csv-parse"
import { ListError } from "../../ListError.ts"
import { DocumentText } from "./DocumentText.ts"

export interface CsvRecord {
  readonly fields: ReadonlyArray<string>
  /** The number of its last line, from 1. */
  readonly line: number
}

/** A larger record is a quote that is never closed, or no row of any table here. */
const MAX_RECORD_BYTES = 1_048_576

/**
 * The records of a document of separated values (RFC 4180), comments among them. A quote where the RFC has no place for one is text.
 *
 * Throws `Corrupt` for a record that does not end, and for a quote that is still open at the end.
 */
export class CsvRecords {
  readonly #parser: Parser
  readonly #text = new DocumentText()
  #isCutOff = false
  /** Records and empty lines that are complete, and the bytes of the chunks since then. */
  #complete = 0
  #partialBytes = 0

  constructor(delimiter: string) {
    this.#parser = new Parser({
      bom: true,
      delimiter,
      info: true,
      record_delimiter: ["\r\n", "\n", "\r"],
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

  write(chunk: Uint8Array): void {
    this.#parser.write(Buffer.from(this.#text.write(chunk)))
  }

  /** The next complete record. */
  next(): CsvRecord | undefined {
    const read: { readonly record: ReadonlyArray<string>; readonly info: Info } | null = this.#parser.read()
    return read === null ? undefined : { fields: read.record, line: read.info.lines }
  }

  /**
   * To be called after the records of a chunk. The parser's own limit counts no delimiters: an endless row of commas would grow until V8
   * ends the process, because a thread's memory limit cannot stop one allocation of that size.
   */
  limit(chunkBytes: number): void {
    const { records, empty_lines } = this.#parser.info
    const complete = records + empty_lines
    this.#partialBytes = complete === this.#complete ? this.#partialBytes + chunkBytes : 0
    this.#complete = complete
    if (this.#partialBytes > MAX_RECORD_BYTES) throw new ListError("Corrupt")
  }

  end(): void {
    this.#parser.write(Buffer.from(this.#text.end()))
    this.#parser.end()
  }

  /** To be called after the last record. */
  checkEnd(): void {
    if (this.#isCutOff) throw new ListError("Corrupt")
  }
}
