/** The columns of the tables that are read: those of a publisher's format, or the one with the URLs of any table. */

import { ListError } from "../../ListError.ts"
import type { Fields } from "./CsvRecords.ts"
import type { TableLayout } from "./TableReader.ts"
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

/** What a field says of an honest site, in a data set of both. A scanner's `clean` may stand beside a reported page. */
const HARMLESS = /^(?:benign|legit(?:imate)?|good|allow(?:ed)?|whitelist(?:ed)?|false[ _-]?positive)$/i
/** What a field says of a reported page. Another column of its row may be `good`. */
const HARMFUL = /^(?:phish(?:ing)?|malicious|malware|scam|bad|block(?:ed)?|blacklist(?:ed)?)$/i

/** The name of a column with the date on which a row was withdrawn: `DataWykreslenia` of CERT Polska. */
const WITHDRAWN = /^(?:DataWykreslenia|(?:deleted?|removed?|withdrawn)(?:[ _-]?(?:at|date|on))?)$/i
const NO_DATE = /^(?:null|none|-|[0:. -]*)$/i

const isHarmless = (record: Fields): boolean =>
  record.some((field) => HARMLESS.test(field.trim())) && !record.some((field) => HARMFUL.test(field.trim()))

/**
 * Reads the URLs or hosts of any table: separated by commas, semicolons, tabs or bars, with a header or without. `column` is the name
 * of their column, in any case, or its number from 1. Undefined: it is found as in `UrlColumn.find`, unless its name says that it
 * has references. Throws `Columns` if there is no such column.
 */
export const ofUrls = (column: string | undefined): TableLayout => ({
  sampleRows: SAMPLE_ROWS,
  isStrict: false,
  entry: ([text = "", withdrawn = ""], line, record) =>
    isHarmless(record) || !NO_DATE.test(withdrawn) ? "Exception" : { text, line },
  columnsOf: ([first = [], ...others], comments) => {
    const hasHeader = !first.some(UrlColumn.isIndicator)
    const count = first.length
    const withdrawn = hasHeader ? namesOf(first).findIndex((name) => WITHDRAWN.test(name)) : -1
    if (column !== undefined)
      return { count, places: [placeOf(column, [...comments, first], count), withdrawn], hasHeader }
    const rows = (hasHeader ? others : [first, ...others]).filter((fields) => fields.length === count)
    const place = UrlColumn.find(rows)
    const names = [...comments, ...(hasHeader ? [first] : [])].map((fields) => namesOf(fields)[place] ?? "")
    const reference = names.find((name) => REFERENCE.test(name))
    if (reference !== undefined)
      throw new ListError("Columns", `the only column with URLs or hosts is "${reference}"`)
    return { count, places: [place, withdrawn], hasHeader }
  }
})

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
