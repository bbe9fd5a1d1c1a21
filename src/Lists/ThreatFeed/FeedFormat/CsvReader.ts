import { Either } from "effect"
import * as CanonicalUrl from "../../../Url/CanonicalUrl.ts"
import { ListError } from "../../ListError.ts"
import { type CsvRecord, CsvRecords } from "./CsvRecords.ts"
import { type FeedReader, type FeedRow, MAX_ENTRY_LENGTH, SkippedRows } from "./FeedRow.ts"

/** So many rows show which column has the URLs. */
const SAMPLE_ROWS = 50

/** The first line of a table ends earlier. */
const MAX_FIRST_LINE_BYTES = 65_536

const DELIMITERS = [",", ";", "\t", "|"] as const

const EXCEL_DELIMITER = /^\ufeff?sep=(.)\s*$/
const WEB_URL = /^h(?:tt|xx)ps?:\/\//i
const NAME = /^(?:\*\.)?(?:[\p{L}\p{N}_-]+(?:\.|\[\.\]))+\p{L}[\p{L}\p{N}-]*(?:[:/]|$)/u
const IP_ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[?[\da-f]*:[\da-f:]+\]?)(?:\/\d+)?$/i

/** What a column may have, the best first. */
const kinds = [
  (text: string): boolean => WEB_URL.test(text) && Either.isRight(CanonicalUrl.parse(text)),
  (text: string): boolean => NAME.test(text) && !text.includes("@"),
  (text: string): boolean => IP_ADDRESS.test(text)
]

/** By the first line that is not a comment, outside quotes. */
const delimiterOf = (line: string): string => {
  const text = line.replace(/"[^"]*"/g, "")
  const counts = DELIMITERS.map((delimiter) => text.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ","
}

const namesOf = (fields: ReadonlyArray<string>): ReadonlyArray<string> =>
  fields.map((name) => name.replace(/^#+/, "").trim().toLowerCase())

/**
 * Reads any table of separated values with one column of URLs or hosts: separated by commas, semicolons, tabs or bars, with a header
 * or without, with `#` comments between its rows. Rows with another number of fields than most are skipped.
 *
 * `column` is its name, in any case, or its number from 1. Undefined: the only column of which most of the first rows have a URL; if there
 * is none, a host; if there is none either, an IP address. Throws `Columns` if there is no such column, or more than one.
 */
export class CsvReader implements FeedReader {
  readonly isFull = false
  readonly skipped = new SkippedRows()
  readonly #column: string | undefined
  /** The bytes up to the end of the first line, which shows the delimiter. */
  #head = Buffer.alloc(0)
  #records: CsvRecords | undefined
  /** The records before the column is known. */
  #sample: Array<CsvRecord> = []
  #place: number | undefined
  #fields = 0

  constructor(column: string | undefined) {
    this.#column = column
  }

  read(chunk: Uint8Array): ReadonlyArray<FeedRow> {
    const bytes = this.#records === undefined ? Buffer.concat([this.#head, chunk]) : chunk
    if (this.#records === undefined) {
      const line = firstLine(bytes)
      this.#head = Buffer.from(bytes)
      if (line === undefined && bytes.length < MAX_FIRST_LINE_BYTES) return []
      return this.#open(line ?? "", bytes)
    }
    this.#records.write(bytes)
    const rows = this.#rows(false)
    this.#records.limit(bytes.length)
    return rows
  }

  end(): ReadonlyArray<FeedRow> {
    const rows = this.#records === undefined ? [...this.#open(textOf(this.#head), this.#head)] : []
    this.#records?.end()
    rows.push(...this.#rows(true))
    this.#records?.checkEnd()
    return rows
  }

  #open(line: string, bytes: Uint8Array): ReadonlyArray<FeedRow> {
    const named = EXCEL_DELIMITER.exec(line)?.[1]
    this.#records = new CsvRecords(named ?? delimiterOf(line))
    this.#records.write(bytes)
    const rows = this.#rows(false)
    this.#records.limit(bytes.length)
    return rows
  }

  #rows(isEnd: boolean): ReadonlyArray<FeedRow> {
    const rows: Array<FeedRow> = []
    for (let record = this.#records?.next(); record !== undefined; record = this.#records?.next()) {
      if (this.#place === undefined) this.#sample.push(record)
      else this.#addRow(record, rows)
      if (this.#place === undefined && this.#sample.length > SAMPLE_ROWS) this.#choose(rows)
    }
    if (isEnd && this.#place === undefined && this.#sample.length > 0) this.#choose(rows)
    return rows
  }

  #addRow({ fields, line }: CsvRecord, rows: Array<FeedRow>): void {
    if (isComment(fields)) return
    const text = fields[this.#place ?? 0]?.trim() ?? ""
    if (fields.length !== this.#fields) this.skipped.add(line, "Not a row of the format")
    else if (text === "") this.skipped.add(line, "Not a URL or host")
    else if (text.length > MAX_ENTRY_LENGTH) this.skipped.add(line, "Too long")
    else rows.push({ text, line })
  }

  #choose(rows: Array<FeedRow>): void {
    const sample = this.#sample.filter(({ fields }) => !EXCEL_DELIMITER.test(fields.join()))
    this.#sample = []
    const [first] = sample.filter(({ fields }) => !isComment(fields))
    this.#fields = first?.fields.length ?? 0
    const isHeader = first !== undefined && !first.fields.some((text) => kinds.some((is) => is(text.trim())))
    const data = sample.filter((record) => !(isHeader && record === first))
    this.#place =
      this.#column === undefined
        ? onlyPlace(data.filter(({ fields }) => !isComment(fields) && fields.length === this.#fields))
        : placeOf(this.#column, sample, this.#fields)
    for (const record of data) this.#addRow(record, rows)
  }
}

const isComment = ([first = ""]: ReadonlyArray<string>): boolean => first.trimStart().startsWith("#")

const textOf = (bytes: Uint8Array): string =>
  // Enough to find the delimiter: of UTF-16 each second byte is 0.
  Buffer.from(bytes)
    .toString("latin1")
    .replaceAll("\0", "")
    .replace(/^(?:\u00ff\u00fe|\u00fe\u00ff|\u00ef\u00bb\u00bf)/, "")

/** The first line that is not blank and not a comment, if it is complete. */
const firstLine = (bytes: Uint8Array): string | undefined =>
  textOf(bytes)
    .split(/\r\n?|\n/)
    .slice(0, -1)
    .find((line) => line.trim() !== "" && !line.startsWith("#"))

/** The place of a column that is given by name or number. */
const placeOf = (column: string, sample: ReadonlyArray<CsvRecord>, fields: number): number => {
  // The header may be a comment.
  const named = sample
    .filter(
      ({ fields }, index) =>
        index === 0 || isComment(fields) || sample.slice(0, index).every((before) => isComment(before.fields))
    )
    .map((record) => namesOf(record.fields).indexOf(column.trim().toLowerCase()))
    .find((place) => place !== -1)
  if (named !== undefined) return named
  const number = /^\d+$/.test(column) ? Number(column) : 0
  if (number < 1 || number > fields)
    throw new ListError("Columns", `no column "${column}"; there are ${fields}`)
  return number - 1
}

/** The place of the only column with URLs, hosts or addresses. */
const onlyPlace = (rows: ReadonlyArray<CsvRecord>): number => {
  const places = Array.from({ length: rows[0]?.fields.length ?? 0 }, (_, place) => place)
  for (const is of kinds) {
    const found = places.filter(
      (place) => 2 * rows.filter(({ fields }) => is(fields[place]?.trim() ?? "")).length > rows.length
    )
    if (found.length === 1 && found[0] !== undefined) return found[0]
    if (found.length > 1)
      throw new ListError(
        "Columns",
        `columns ${found.map((place) => place + 1).join(" and ")} have URLs or hosts`
      )
  }
  throw new ListError("Columns", "no column has URLs or hosts")
}
