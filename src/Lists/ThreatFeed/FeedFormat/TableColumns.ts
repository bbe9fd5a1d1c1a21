/** How the columns of a table are found: by their names, or by what they have. */

import { Either } from "effect"
import * as CanonicalUrl from "../../../Url/CanonicalUrl.ts"
import * as PublicSuffix from "../../../Url/PublicSuffix.ts"
import { ListError } from "../../ListError.ts"
import * as RowText from "./RowText.ts"
import { EXCEL_DELIMITER, type Fields, type TableLayout } from "./TableReader.ts"

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
  columnsOf: ([first], comments) => {
    const isHeader = (fields: Fields) => {
      const names = namesOf(fields)
      return order !== undefined && order.filter((name) => names.includes(name)).length >= MIN_NAMES_IN_HEADER
    }
    const all = first === undefined ? comments : [...comments, first]
    const header = order === undefined ? first : all.findLast(isHeader)
    const names = namesOf(header ?? order ?? reads)
    const missing = reads.filter((name) => !names.includes(name))
    if (missing.length > 0)
      throw new ListError("Columns", missing.map((name) => `no column "${name}"`).join(", "))
    const places = [...reads, ...readsIfThere].map((name) => names.indexOf(name))
    return { count: names.length, places, hasHeader: header !== undefined && header === first }
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

const urlOf = (text: string): CanonicalUrl.CanonicalUrl | undefined => {
  const read = RowText.read(text)
  return typeof read === "string" ? undefined : read.urls[0].url
}

/** The host that a field beside a link names, in any spelling that a row may have; an IP address only with a port, or if it alone is defanged. */
const siteOf = (text: string, link: string): string | undefined => {
  const [first = ""] = text.split(/\s/, 1)
  const url = urlOf(WEB_URL.test(first) ? first : text)
  if (isName(text)) return url?.host ?? text.toLowerCase()
  const isThreat = url?.port !== undefined || (text.includes("[.]") && !link.includes("[.]"))
  const isSite =
    url !== undefined && (PublicSuffix.hasKnownSuffix(url.host) || (isThreat && IP_ADDRESS.test(url.host)))
  return isSite ? url.host : undefined
}

/** Whether a URL names a site, as it is written (perhaps as a parameter) or in another spelling of its host. */
const namesSite = (text: string, site: string): boolean =>
  text.toLowerCase().includes(site) || urlOf(text)?.host.includes(site) === true

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

/** A column of pages about what is reported. The column of that may be in no spelling that is read. */
const REFERENCE =
  /^(?:ref(?:erence)?s?|reports?|sources?|tweets?|evidence|details?|(?:more[ _-]?)?info)(?:[ _-]?(?:urls?|links?))?$/i

/**
 * Any table of separated values with one column of URLs or hosts: separated by commas, semicolons, tabs or bars, with a header
 * or without. Rows with another number of fields than the first are skipped.
 *
 * `column` is its name, in any case, or its number from 1. Undefined: the only column of which most of the first rows have a URL, if no
 * other one has hosts of other sites: the URLs may be reports about these, as are those of a column `reference`. If there is none, a host; if there is none either, an IP
 * address. Throws `Columns` if there is no such column, or more than one.
 */
export const found = (column: string | undefined): TableLayout => ({
  delimiterOf,
  sampleRows: SAMPLE_ROWS,
  isStrict: false,
  entry: ([text = ""], line) => ({ text, line }),
  columnsOf: (sample, comments) => {
    const [first = []] = sample
    const hasHeader = !first.some((text) => kinds.some((is) => is(text.trim())))
    const isRow = (fields: Fields) => !(hasHeader && fields === first) && fields.length === first.length
    const place =
      column === undefined
        ? onlyPlace(sample.filter(isRow))
        : placeOf(column, [...comments, first], first.length)
    const names = [...comments, ...(hasHeader ? [first] : [])].map((fields) => namesOf(fields)[place] ?? "")
    const reference = names.find((name) => REFERENCE.test(name))
    if (column === undefined && reference !== undefined)
      throw new ListError("Columns", `the only column with URLs or hosts is "${reference}"`)
    return { count: first.length, places: [place], hasHeader }
  }
})

/** The place of a column that is given by name or number. The header may be a comment. */
const placeOf = (column: string, headers: ReadonlyArray<Fields>, fields: number): number => {
  const wanted = column.trim().toLowerCase()
  const named = headers
    .map((names) => namesOf(names).findIndex((name) => name.toLowerCase() === wanted))
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
        ? placesWith((text, fields) => {
            const link = fields[url]?.trim() ?? ""
            const site = siteOf(text, link)
            return site !== undefined && !namesSite(link, site)
          })
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
