/** The columns of the tables that are read: those of a publisher's format, or the one with the URLs of any table. */

import { ListError } from "../../ListError.ts"
import type { Fields } from "./CsvRecords.ts"
import * as ExceptionRows from "./ExceptionRows.ts"
import type { TableLayout } from "./TableReader.ts"
import { TableShape } from "./TableShape.ts"
import * as UrlColumn from "./UrlColumn.ts"

/** Returns the names of columns in a header, which may be a comment: `# id` is `id`. */
const namesOf = (header: Fields): Fields => header.map((name) => name.replace(/^#+/, "").trim())

/** Of the names in `order`: a row may contain one of them. */
const MIN_NAMES_IN_HEADER = 2

/** The columns of a publisher's format. */
export interface NamedColumns {
  readonly reads: Fields
  /** Optional columns. Their fields follow those of `reads`. */
  readonly readsIfThere?: Fields
  /** All columns, for documents without a header, or with one in a comment. Undefined: the first row must be a header. */
  readonly order?: Fields
}

/** Chooses columns by their names in the header, or by their order if there is no header. Throws `Columns` for a missing one. */
export const byName = ({ order, reads, readsIfThere = [] }: NamedColumns): Omit<TableLayout, "entry"> => {
  const isHeader = (fields: Fields) => {
    const names = namesOf(fields)
    return order === undefined || order.filter((name) => names.includes(name)).length >= MIN_NAMES_IN_HEADER
  }
  return {
    delimiter: ",",
    sampleRows: 0,
    isStrict: true,
    columnsOf: (sample, comments) => {
      const [first] = sample
      const candidates = order === undefined ? sample : [...comments, ...sample]
      const header = candidates.findLast(isHeader)
      const names = namesOf(header ?? order ?? reads)
      const missing = reads.filter((name) => !names.includes(name))
      if (missing.length > 0)
        throw new ListError("Columns", missing.map((name) => `no column "${name}"`).join(", "))
      const places = [...reads, ...readsIfThere].map((name) => names.indexOf(name))
      return { count: names.length, places, hasHeader: header !== undefined && header === first }
    }
  }
}

/** Enough to see which column has the URLs. */
const SAMPLE_ROWS = 50

/** The name of a column with pages about what is reported. What is reported may be in a spelling that is not read. */
const REFERENCE =
  /^(?:ref(?:erence)?s?|reports?|sources?|tweets?|evidence|details?|(?:more[ _-]?)?info)(?:[ _-]?(?:urls?|links?))?$/i

/** Of nested JSON as a table, `verdicts.overall.malicious`: the last name counts. */
const OUTER_NAMES = /^[\w.]*\.(?=\w)/

/** `ip:port`, `url:string` */
const TYPED_NAME = /^\s*\w+:[a-z]\w*\s*$/i

/** A host with its address or port: `bad.example|192.0.2.7`, of the type `domain|ip` of MISP. */
const HOST_AND_ADDRESS = /^([^\s/?#|]+)\|(?:\d[\d.]*|[\da-f]*:[\da-f.:]+)$/i

/** The name of a column with the path of a page whose host is in another column. */
const PATH =
  /^(?:path(?:name)?|uri|(?:url|uri|http|page|request)[ _-]?path|(?:cs[ _-])?uri[ _-]?stem|request[ _-]?uri|endpoint)$/i

/**
 * Reads the URLs or hosts of any table: separated by commas, semicolons, tabs or bars, with a header or without. `column` is the name
 * of their column, in any case, or its number from 1. Undefined: it is found as in `UrlColumn.find`, unless its name says that it
 * has references. Throws `Columns` if there is no such column.
 */
export const ofUrls = (column: string | undefined): TableLayout => ({
  sampleRows: SAMPLE_ROWS,
  isStrict: false,
  entry: ([written = "", path = ""], line) => {
    const text = written.includes("|") ? written.replace(HOST_AND_ADDRESS, "$1") : written
    return { text: path.startsWith("/") && !text.includes("/") ? `${text}${path}` : text, line }
  },
  columnsOf: ([first = [], ...others], comments) => {
    const count = first.length
    const rows = [...(first.some(UrlColumn.isIndicator) ? [first] : []), ...others].filter(
      (fields) => fields.length === count
    )
    if (count === 1) refuseTable([first, ...others])
    const place = column === undefined ? UrlColumn.find(rows) : placeOf(column, [...comments, first], count)
    const isNamed =
      column !== undefined && namesOf(first)[place]?.toLowerCase() === column.trim().toLowerCase()
    const isName = TYPED_NAME.test(first[place] ?? "") || UrlColumn.isUnknownHost(first[place])
    const isRow =
      first.some((field) => field.includes("://")) || (UrlColumn.mayBeIndicator(first[place]) && !isName)
    const hasHeader = isNamed || !isRow
    const headers = [...comments, ...(hasHeader ? [first] : [])].map(namesOf)
    const reference = headers.map((names) => names[place] ?? "").find((name) => REFERENCE.test(name))
    if (column === undefined && reference !== undefined)
      throw new ListError("Columns", `the only column with URLs or hosts is "${reference}"`)
    const named = (pattern: RegExp) =>
      [...first.keys()].filter(
        (at) =>
          at !== place &&
          headers.some(
            (names) => names.length === count && pattern.test((names[at] ?? "").replace(OUTER_NAMES, ""))
          )
      )
    const rowsBelow = hasHeader ? rows.filter((row) => row !== first) : rows
    const isException = ExceptionRows.finderOf(named, rowsBelow, place)
    return { count, places: [place, ...named(PATH).slice(0, 1)], hasHeader, isException }
  }
})

/** Throws `Columns` if most rows of one column are records of a table with another delimiter, below a title. */
const refuseTable = (rows: ReadonlyArray<Fields>): void => {
  const shape = new TableShape()
  for (const fields of rows) shape.add(fields.join().replaceAll("\t", "|"))
  if (shape.isTable) throw new ListError("Columns", "the first line has no delimiter, but others have")
}

/** Returns the index of a column by its name in one of the headers, or by its number. */
const placeOf = (column: string, headers: ReadonlyArray<Fields>, count: number): number => {
  const wanted = column.trim().toLowerCase()
  const named = headers
    .map((header) => namesOf(header).findIndex((name) => name.toLowerCase() === wanted))
    .find((place) => place !== -1)
  if (named !== undefined) return named
  const number = /^\d+$/.test(column) ? Number(column) : 0
  if (number < 1 || number > count)
    throw new ListError("Columns", `no column "${column}"; there are ${count}`)
  return number - 1
}
