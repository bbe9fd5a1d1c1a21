/** How the columns of a table are found: by their names, or by what they have. */

import { Either } from "effect"
import * as CanonicalUrl from "../../../Url/CanonicalUrl.ts"
import { ListError } from "../../ListError.ts"
import { EXCEL_DELIMITER, type Fields, isComment, type TableLayout } from "./TableReader.ts"

/** The names of columns in a header, which may be a comment. */
const namesOf = (fields: Fields): Fields => fields.map((name) => name.replace(/^#+/, "").trim())

/** Of the names in `order`. A row of data could contain one of them. */
const MIN_NAMES_IN_HEADER = 2

/** The columns that are read of a table of comma-separated values. */
export interface NamedColumns {
  readonly reads: Fields
  /** Columns that need not be there; their values follow those of `reads`. */
  readonly readsIfThere?: Fields
  /**
   * All columns in order, for documents without a header: these may have one, in the first row or in a comment. Undefined:
   * the first row must be a header.
   */
  readonly order?: Fields
}

/** By the names of the columns if the document has a header, otherwise by their places. Throws `Columns` for a missing one. */
export const byName = ({ order, reads, readsIfThere = [] }: NamedColumns): Omit<TableLayout, "entry"> => ({
  delimiterOf: () => ",",
  sampleRows: 0,
  isStrict: true,
  columnsOf: (sample) => {
    const first = sample.find((fields) => !isComment(fields))
    const isHeader = (fields: Fields) => {
      const names = namesOf(fields)
      const found = order?.filter((name) => names.includes(name)) ?? []
      return (fields === first || isComment(fields)) && found.length >= MIN_NAMES_IN_HEADER
    }
    const header = order === undefined ? first : sample.findLast(isHeader)
    const names = namesOf(header ?? order ?? reads)
    const missing = reads.filter((name) => !names.includes(name))
    if (missing.length > 0)
      throw new ListError("Columns", missing.map((name) => `no column "${name}"`).join(", "))
    const places = [...reads, ...readsIfThere].map((name) => names.indexOf(name))
    return { count: names.length, places, header }
  }
})

/** So many rows show which column has the URLs. */
const SAMPLE_ROWS = 50

const DELIMITERS = [",", ";", "\t", "|"] as const

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

/**
 * Any table of separated values with one column of URLs or hosts: separated by commas, semicolons, tabs or bars, with a header
 * or without. Rows with another number of fields than the first are skipped.
 *
 * `column` is its name, in any case, or its number from 1. Undefined: the only column of which most of the first rows have a URL, if no
 * other one has hosts of other sites: the URLs may be reports about these. If there is none, a host; if there is none either, an IP
 * address. Throws `Columns` if there is no such column, or more than one.
 */
export const found = (column: string | undefined): TableLayout => ({
  delimiterOf,
  sampleRows: SAMPLE_ROWS,
  isStrict: false,
  entry: ([text = ""], line) => ({ text, line }),
  columnsOf: (sample) => {
    const first = sample.find((fields) => !isComment(fields))
    const count = first?.length ?? 0
    const isHeader = first !== undefined && !first.some((text) => kinds.some((is) => is(text.trim())))
    const header = isHeader ? first : undefined
    const isRow = (fields: Fields) => fields !== header && fields.length === count && !isComment(fields)
    const place = column === undefined ? onlyPlace(sample.filter(isRow)) : placeOf(column, sample, count)
    return { count, places: [place], header }
  }
})

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
