import { Either } from "effect"
import * as CanonicalUrl from "../../../Url/CanonicalUrl.ts"
import { ListError } from "../../ListError.ts"
import type { FeedRow, RowReader, SkippedRows } from "./FeedReader.ts"
import { addRow, CsvRecords, type Fields, isComment, namesOf } from "./TableReader.ts"

/** So many rows show which column has the URLs. */
const SAMPLE_ROWS = 50

const DELIMITERS = [",", ";", "\t", "|"] as const

const EXCEL_DELIMITER = /^sep=(.)\s*$/
/** What follows white space is a note. */
const WEB_URL = /^h(?:tt|xx)ps?:\/\/\S+$/i
const NAME = /^(?:\*\.)?(?:[\p{L}\p{N}_-]+(?:\.|\[\.\]))+\p{L}[\p{L}\p{N}-]*(?:[:/]|$)/u
const IP_ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[?[\da-f]*:[\da-f:]+\]?)(?:\/\d+)?$/i

const isName = (text: string): boolean => NAME.test(text) && !text.includes("@")

/** What a column may have, the best first. */
const kinds = [
  (text: string): boolean => WEB_URL.test(text) && Either.isRight(CanonicalUrl.parse(text)),
  isName,
  (text: string): boolean => IP_ADDRESS.test(text)
]

/** The most frequent one of a text, outside quotes. */
const delimiterOf = (text: string): string => {
  const named = EXCEL_DELIMITER.exec(text)?.[1]
  if (named !== undefined) return named
  const unquoted = text.replace(/"[^"]*"/g, "")
  const counts = DELIMITERS.map((delimiter) => unquoted.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ","
}

/** A line and its number; later its fields. */
interface Numbered<A> {
  readonly content: A
  readonly number: number
}

/**
 * Reads any table of separated values with one column of URLs or hosts: separated by commas, semicolons, tabs or bars, with a header
 * or without, with `#` comments between its rows. Rows with another number of fields than the first are skipped.
 *
 * `column` is its name, in any case, or its number from 1. Undefined: the only column of which most of the first rows have a URL, if no
 * other one has hosts of other sites: the URLs may be reports about these. If there is none, a host; if there is none either, an IP
 * address. Throws `Columns` if there is no such column, or more than one, and `Corrupt` as `CsvRecords` does.
 */
export class AnyTableReader implements RowReader {
  readonly isFull = false
  readonly #skipped: SkippedRows
  readonly #column: string | undefined
  /** The last comments before the first row, which shows the delimiter. One may be the header. */
  #comments: Array<Numbered<string>> = []
  #records: CsvRecords | undefined
  /** The records before the column is known. */
  #sample: Array<Numbered<Fields>> = []
  #place: number | undefined
  #fields = 0

  constructor(column: string | undefined, skipped: SkippedRows) {
    this.#column = column
    this.#skipped = skipped
  }

  addLine(line: string, number: number, rows: Array<FeedRow>): void {
    if (this.#records === undefined) {
      this.#comments.push({ content: line, number })
      if (this.#comments.length > SAMPLE_ROWS) this.#comments.shift()
      if (line.trim() !== "" && !line.startsWith("#")) this.#open(line, rows)
    } else this.#addRecord(this.#records, line, number, rows)
  }

  end(rows: Array<FeedRow>): void {
    if (this.#records === undefined) this.#open(this.#comments.map(({ content }) => content).join("\n"), rows)
    if (this.#place === undefined && this.#sample.length > 0) this.#choose(rows)
    this.#records?.end()
  }

  #open(text: string, rows: Array<FeedRow>): void {
    const records = new CsvRecords(delimiterOf(text))
    this.#records = records
    for (const { content, number } of this.#comments) this.#addRecord(records, content, number, rows)
    this.#comments = []
  }

  #addRecord(records: CsvRecords, line: string, number: number, rows: Array<FeedRow>): void {
    const fields = records.addLine(line)
    if (fields === undefined) return
    if (this.#place === undefined) {
      this.#sample.push({ content: fields, number })
      if (this.#sample.length > SAMPLE_ROWS) this.#choose(rows)
    } else this.#addFields(fields, this.#place, number, rows)
  }

  #addFields(fields: Fields, place: number, line: number, rows: Array<FeedRow>): void {
    if (isComment(fields)) return
    if (fields.length !== this.#fields) this.#skipped.add(line, "Not a row of the format")
    else addRow({ text: fields[place]?.trim() ?? "", line }, rows, this.#skipped)
  }

  #choose(rows: Array<FeedRow>): void {
    const sample = this.#sample.filter(({ content }) => !EXCEL_DELIMITER.test(content.join()))
    this.#sample = []
    const first = sample.find(({ content }) => !isComment(content))
    this.#fields = first?.content.length ?? 0
    const isHeader = first !== undefined && !first.content.some((text) => kinds.some((is) => is(text.trim())))
    const data = sample.filter((record) => !(isHeader && record === first))
    const all = sample.map(({ content }) => content)
    const place =
      this.#column === undefined
        ? onlyPlace(
            data
              .map(({ content }) => content)
              .filter((fields) => !isComment(fields) && fields.length === this.#fields)
          )
        : placeOf(this.#column, all, this.#fields)
    this.#place = place
    for (const { content, number } of data) this.#addFields(content, place, number, rows)
  }
}

/** The place of a column that is given by name or number. The header may be a comment. */
const placeOf = (column: string, sample: ReadonlyArray<Fields>, fields: number): number => {
  const first = sample.findIndex((fields) => !isComment(fields))
  const named = sample
    .filter((fields, index) => index === first || isComment(fields))
    .map((names) =>
      namesOf(names)
        .map((name) => name.toLowerCase())
        .indexOf(column.trim().toLowerCase())
    )
    .find((place) => place !== -1)
  if (named !== undefined) return named
  const number = /^\d+$/.test(column) ? Number(column) : 0
  if (number < 1 || number > fields)
    throw new ListError("Columns", `no column "${column}"; there are ${fields}`)
  return number - 1
}

const MAX_SHOWN_COLUMNS = 5

/** The place of the only column with URLs, hosts or addresses. */
const onlyPlace = (rows: ReadonlyArray<Fields>): number => {
  const places = Array.from({ length: rows[0]?.length ?? 0 }, (_, place) => place)
  const placesWith = (is: (text: string, fields: Fields) => boolean) =>
    places.filter(
      (place) => 2 * rows.filter((fields) => is(fields[place]?.trim() ?? "", fields)).length > rows.length
    )
  for (const [index, is] of kinds.entries()) {
    const urls = placesWith(is)
    const [url = 0] = urls
    const others =
      index === 0 && urls.length === 1
        ? placesWith(
            (text, fields) => isName(text) && fields[url]?.toLowerCase().includes(text.toLowerCase()) !== true
          )
        : []
    const found = [...urls, ...others].sort((one, other) => one - other)
    if (found.length === 1 && found[0] !== undefined) return found[0]
    if (found.length > 1) {
      const shown = found.slice(0, MAX_SHOWN_COLUMNS).map((place) => place + 1)
      const others = found.length > shown.length ? [`${found.length - shown.length} others`] : []
      throw new ListError("Columns", `columns ${[...shown, ...others].join(" and ")} have URLs or hosts`)
    }
  }
  throw new ListError("Columns", "no column has URLs or hosts")
}
