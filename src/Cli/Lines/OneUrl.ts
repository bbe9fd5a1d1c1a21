/** Whether a line of a list, or a cell of a table, is one URL, and how it may be read. */

import { Either } from "effect"
import { leadingLength, linkAtStart } from "../../Text/PlainText/Spelling.ts"
import * as PlainText from "../../Text/PlainText.ts"
import { isSuffix } from "../../Text/Suffixes.ts"
import { refanged } from "../../Url/CanonicalUrl/WrittenAddress.ts"
import * as CanonicalUrl from "../../Url/CanonicalUrl.ts"

/** In UTF-16 units. Longer URLs are not checked; the service's limit for a request body is as large. */
export const MAX_URL_LENGTH = 64 * 1024

export const TOO_LONG = "too long for a URL"
export const NOT_ONE_URL = "not one URL"

/**
 * What the decoder writes for bytes that are not UTF-8. Such a line is not checked: it would be another URL. The service
 * rejects such bodies too.
 */
const REPLACEMENT_CHARACTER = "\ufffd"

/**
 * A note or another URL behind a URL. Read as one URL, both together would match no list. In a cell a line break may separate them, in the
 * output of `find -print0` a NUL.
 */
const SECOND_TEXT = /\0(?=[^\0\s])|\s(?:#|\/\/|h(?:tt|xx)ps?:\/\/)|[\r\n][^\S\r\n]*[\w-]+\.[a-z]/i

/** Words behind a URL, or behind a host and a path. Before its path they are part of what is no URL. */
const NOTE = /^(?:[a-z]{3,5}:\/\/\S+|[^\s/.]+\.[^\s/]+\s?\/\S*)\s/i

/** A link in base64 or hexadecimal digits: as a host it would be one of a local network. */
const ENCODED = /^(?:aHR0c[DH]|68747470)[\w+/=-]*$/

/** Words that begin like a host without a dot and a path, such as `and/or` and a date. */
const WORDS = /^[^\s.:/?#[\]]+[/?#]\S*\s/

/** A number, a date, a time or a network. Browsers open the first of these as IPv4 addresses. */
const NUMBER =
  /^(?:\d{1,7}(?:[.-]\d{1,7}){0,2}\.?(?:[:/?#,;|]|$)|(?:(?:19|20)\d{6}|1\d{9}(?:\.\d{1,9})?)(?:[,;|]|$)|(?:\d{1,3}\.){3}\d{1,3}(?:\/(?:[0-2]?\d|3[01])|-[\d.]+)$)/

/** The first cell of a row in quotes, perhaps in the brackets of a list. */
const QUOTED = /^[[({]?\s*(["'])([^"']+)\1\s*[,;|]/
const OPENING = /^[[({]\s*/
/** What a path or query does not have behind a comma; but a path may have the name of a file. */
const CELL = /^(?:["']|https?:\/\/|[^/?=&]*$)/i
const EXTENSION = /\.([a-z]{2,63})$/i

/** In quotes or not. In small letters: a firm in a note is `Booking.com`. */
const HOST = /^["']?((?:[a-z\d-]+\.)+[a-z]{2,})["'\])}]{0,2}$/

/** An IPv6 address, and a name such as `_dmarc`, which is not emphasized as `_a.example_` is. */
const HOST_START = /^(?:\[[\da-f]{0,4}:|_[a-z](?!.*_$))/i

/** Punctuation that people copy with a URL, and programs cut with it. */
const QUOTE_AT_END = /(?<![>"`\\])[>"`\\]+$/
const ESCAPE_AT_END = /(?:\\r)?\\[nrt]$/

/** What may begin a text directly after a URL: markup, or a word without a blank. Few lines have it, and it takes longer. */
const MARKUP =
  /[[({\\|^]|%(?:0[9ADad]|2[027Cc]|3[CEce]|60)|&(?:#|[a-z]{2,8};|[gl]t|quot|nbsp|apos)|[^\0-\x7f]/

export const DELIMITERS = [",", ";", "\t", "|"]

interface Row {
  readonly url: string
  /** The other cells. */
  readonly cells: ReadonlyArray<string>
}

const isCell = (text: string): boolean => CELL.test(text) && isSuffix(EXTENSION.exec(text)?.[1] ?? "com")

/** Reads a line as a row of a table, where a path may have the delimiter too; undefined if it cannot be one. */
const rowOf = (line: string, delimiter: string): Row | undefined => {
  const [start = "", , quoted] = QUOTED.exec(line) ?? []
  const [first = "", ...others] = line.slice(start.length).replace(OPENING, "").split(delimiter)
  const url = quoted ?? first
  const cells = (quoted === undefined ? others : [first, ...others]).map((cell) => cell.trim())
  return !/\s/.test(url) && /\.[^.]|\[/.test(url) && cells.every(isCell) ? { url, cells } : undefined
}

/** Whether a cell names another address than the URL of its row. In a query it may be a value. */
const hasOther = ({ cells, url }: Row): boolean => {
  const host = `.${Either.getOrUndefined(CanonicalUrl.parse(url))?.host}`
  const isOther = (cell: string) => {
    const name = HOST.exec(refanged(cell))?.[1]
    return /https?:\/\//i.test(cell) || (name !== undefined && !host.endsWith(`.${name}`))
  }
  return !url.includes("?") && cells.some(isOther)
}

const withoutPunctuation = (url: string): string => {
  const start = HOST_START.test(url) ? 0 : leadingLength(url)
  const rest = url.slice(start).replace(ESCAPE_AT_END, "").replace(QUOTE_AT_END, "")
  // A hyphen in front of a link begins an item of a list: one at its end is a part of it.
  return linkAtStart(rest, url.charAt(start - 1) === "_" ? "_" : "")
}

/** A fragment may contain an address. */
const addressOf = (text: string): string =>
  Either.match(CanonicalUrl.read(text), {
    onLeft: () => text,
    onRight: (written) => `${CanonicalUrl.format(written.url)}#${CanonicalUrl.writtenFragment(written)}`
  })

/** Why a line or a cell cannot be one URL; undefined if it may be one. */
export const problemOf = (text: string, isInTable: boolean): string | undefined => {
  if (text.length > MAX_URL_LENGTH) return TOO_LONG
  if (text.includes(REPLACEMENT_CHARACTER)) return "not UTF-8"
  if (text.includes("\t")) return "a row with tabs"
  const hasSecondText = /[.:/]/.test(text) && SECOND_TEXT.test(text)
  const hasNote = !isInTable && NOTE.test(text)
  return hasSecondText || ENCODED.test(text) || WORDS.test(text) || NUMBER.test(text) || hasNote
    ? NOT_ONE_URL
    : undefined
}

/**
 * Returns a line, and other addresses that it names without what may follow its URL in a table or a sentence: all are checked.
 * Undefined if it has two URLs.
 */
export const readingsOf = (line: string): ReadonlyArray<string> | undefined => {
  const delimiters = DELIMITERS.filter((delimiter) => line.includes(delimiter))
  const rows = delimiters.flatMap((delimiter) => rowOf(line, delimiter) ?? [])
  if (rows.some(hasOther)) return undefined
  const urls = rows.length === 0 ? [line] : rows.map(({ url }) => url)
  const inTexts = urls.filter((url) => MARKUP.test(url)).flatMap((url) => PlainText.find(url))
  const found = inTexts.map(({ url }) => url)
  const readings = [...new Set([line, ...urls, ...urls.map(withoutPunctuation), ...found])]
  if (readings.length === 1) return readings
  // The first spelling of each address: the set grows with each new one.
  const addresses = new Set([""])
  return readings.filter((url) => addresses.size < addresses.add(url && addressOf(url)).size)
}
