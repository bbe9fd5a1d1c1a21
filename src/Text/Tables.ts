/** Finds the links in tables: CSV, TSV, and logs that name their columns. */

import * as Json from "./Json.ts"
import { append, type Found, moved } from "./Link.ts"
import * as RequestFields from "./RequestFields.ts"

const DELIMITERS = ["\t", ";", ",", "|"]
/** Of the beginning of a text, which decides whether it is a table. */
const MAX_HEAD_LINES = 5
const MAX_HEAD_CHARS = 20_000
/** Before the first row of a table. */
const MAX_TITLE_LINES = 2
const QUOTED_CELL = /"[^"]*"/g

/** Before a table, as Google Analytics writes it, or for Excel; `#,Host,URL` has the names of columns. */
const COMMENT = /^(?:#(?:[ -]|$)|"?sep=[,;\t|]"?\s*$)/i

/** The first lines that are not blank, nor comments. */
export const firstLines = (text: string): ReadonlyArray<string> =>
  text
    .slice(0, MAX_HEAD_CHARS)
    .split(/\r\n?|\n/)
    .filter((line) => line.trim() !== "" && !COMMENT.test(line))
    .slice(0, MAX_HEAD_LINES)

/**
 * Whether lines are a table: each has the same number of tabs. Other delimiters, which sentences have too: in each line, and the first line
 * has column names, or is quoted and each has the same number.
 */
const isTable = (lines: ReadonlyArray<string>, delimiter: string): boolean => {
  const title = lines.findIndex((line) => line.includes(delimiter))
  const rows = lines.slice(title).map((line) => line.replace(QUOTED_CELL, "x").split(delimiter))
  const [first = []] = rows
  if (title > MAX_TITLE_LINES || rows.length < 2 || rows.some(({ length }) => length === 1)) return false
  const isRegular = title === 0 && rows.every(({ length }) => length === first.length)
  if (delimiter === "\t") return isRegular
  if (first.slice(1).some((name) => name.startsWith(" "))) return false
  const hasNames =
    !first.some((name) => /[/:]|\.[^ "]/.test(name)) && (isRegular || first.every((name) => /\w/.test(name)))
  return hasNames || (isRegular && lines[0]?.startsWith('"') === true)
}

/** The names of the columns in a log of IIS, Zeek, Exchange, CloudFront or a proxy, perhaps behind comments. */
const FIELDS = /^\s*(?:#.*[\r\n]+)*?#fields(?:: ?|\t)(.+)/i
const FIRST_ROW = /^[^#\s].*$/m

/** Returns the delimiter of a table, which may have a title; undefined for any other text. */
export const delimiterOf = (text: string): string | undefined => {
  const [, fields] = FIELDS.exec(text.slice(0, MAX_HEAD_CHARS)) ?? []
  // CloudFront names the columns between blanks, and separates the cells by tabs.
  if (fields !== undefined)
    return ["\t", ","].find((delimiter) => FIRST_ROW.exec(text)?.[0].includes(delimiter)) ?? " "
  const lines = firstLines(text)
  if (lines.length < 2) return lines[0]?.includes("\t") === true ? "\t" : undefined
  return DELIMITERS.find((delimiter) => isTable(lines, delimiter))
}

/** Returns the offset of the quote that closes a cell; -1 if there is none. In a cell quotes are doubled. */
const closingCellQuote = (text: string, opening: number): number => {
  let quote = text.indexOf('"', opening + 1)
  while (quote !== -1 && text.charAt(quote + 1) === '"') quote = text.indexOf('"', quote + 2)
  return quote
}

/** Returns the names of the columns in a row if they include those of a request, with "" for others; undefined for other rows. */
const namesIn = (row: string, delimiter: string): ReadonlyArray<string> | undefined => {
  const [, fields] = FIELDS.exec(row) ?? []
  const cells = fields === undefined ? row.split(delimiter) : fields.split(/[\s,]+/)
  const names = cells.map(RequestFields.lettersOf)
  if (fields === undefined && !RequestFields.haveHostAndPage(names)) return undefined
  return names.map((name) => (RequestFields.isOfRequest(name) ? name : ""))
}

/** Returns the row that names the columns of a request at the end of a piece of a table, or "". */
export const headerOf = (text: string): string => {
  const delimiter = delimiterOf(text)
  const head = text.slice(0, MAX_HEAD_CHARS)
  const rows = FIELDS.test(head)
    ? text
        .split(/(?<=\n)/)
        .filter((row) => FIELDS.test(row))
        .slice(-1)
    : head.split(/(?<=\n)/)
  return rows.find((row) => delimiter !== undefined && namesIn(row, delimiter) !== undefined) ?? ""
}

/**
 * Finds the links in the cells of a table (RFC 4180), and the URLs of requests whose host and page are two cells. A quote that is not
 * closed is an ordinary character.
 */
export const find = (text: string, delimiter: string): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  let names: ReadonlyArray<string> = []
  let rows = 0
  let rowStart = 0
  let column = 0
  let addToRequest = RequestFields.make(true)
  const addCell = (start: number, end: number) => {
    const isQuoted = text.charAt(start) === '"' && end - start > 1
    const cell = isQuoted
      ? text.slice(start + 1, text.charAt(end - 1) === '"' ? end - 1 : end).replaceAll('""', '"')
      : text.slice(start, end)
    const name = names[column++] ?? ""
    if (cell === "") return
    append(found, moved(Json.findInValue(cell), start + Number(isQuoted)))
    if (name !== "") append(found, addToRequest(name, cell, start + Number(isQuoted)))
  }
  const endRow = (end: number) => {
    const isComment = text.charAt(rowStart) === "#"
    if (rows < MAX_HEAD_LINES || isComment) names = namesIn(text.slice(rowStart, end), delimiter) ?? names
    if (end > rowStart && !isComment) rows++
    rowStart = end + 1
    column = 0
    addToRequest = RequestFields.make(true)
  }
  // Between tabs or blanks logs do not quote: one in a request would hide the next rows.
  const isQuoting = delimiter === "," || !FIELDS.test(text.slice(0, MAX_HEAD_CHARS))
  // Without it, each of many quotes that are not closed would search the rest of the text.
  const lastQuote = isQuoting ? text.lastIndexOf('"') : -1
  let start = 0
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    const isEnd = character === "\n" || character === "\r"
    if (character === '"' && index === start && index < lastQuote) {
      const quote = closingCellQuote(text, index)
      if (quote !== -1) index = quote
    } else if (isEnd || character === delimiter) {
      addCell(start, index)
      start = index + 1
    }
    if (isEnd) endRow(index)
  }
  addCell(start, text.length)
  return found
}
