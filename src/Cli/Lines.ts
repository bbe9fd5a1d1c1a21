import { Parser } from "csv-parse"
import { Data, Effect, Either, Stream } from "effect"
import { fileTypeOf } from "../Text/Encoded.ts"
import { leadingLength, linkAtStart } from "../Text/PlainText/Spelling.ts"
import * as PlainText from "../Text/PlainText.ts"
import { isSuffix } from "../Text/Suffixes.ts"
import * as Text from "../Text.ts"
import { refanged } from "../Url/CanonicalUrl/WrittenAddress.ts"
import * as CanonicalUrl from "../Url/CanonicalUrl.ts"

/** In UTF-16 units. Longer URLs are not checked; the service's limit for a request body is as large. */
export const MAX_URL_LENGTH = 64 * 1024

/** A larger record of a CSV is a quote that is never closed. */
const MAX_RECORD_BYTES = 1_048_576

/** The input cannot be used. `message` is a line for the user. */
export class InvalidInput extends Data.TaggedError("InvalidInput")<{ readonly message: string }> {}

/** Where a URL stands. */
export interface Place {
  /** Set if several files are read. */
  readonly file?: string
  /** From 1. */
  readonly line: number
  /** Of a table, JSON or a log: an IP address by itself or with the path of another field, which may be that of a client or server. */
  readonly isAddress?: boolean
  /** What a CSV has before the results: the record of the input, or file and line of a link. */
  readonly record?: ReadonlyMap<string, string>
}

/** What one chunk of the input completes. */
export interface Batch {
  /** Trimmed. Empty ones only of a CSV, whose other columns are written. */
  readonly urls: ReadonlyArray<string>
  /** Of each URL, if it has one. */
  readonly places?: ReadonlyArray<Place>
  /** Lines that cannot be checked. Line numbers start at 1. `file`: if several are read. */
  readonly unreadable: ReadonlyArray<{
    readonly file?: string
    readonly line: number
    readonly reason: string
  }>
  /** Bytes of input read so far, this chunk included. */
  readonly bytesRead: number
}

/**
 * What the decoder writes for bytes that are not UTF-8. Such a line is not checked: it would be another URL. The service
 * rejects such bodies too.
 */
const REPLACEMENT_CHARACTER = "\ufffd"

const TOO_LONG = "too long for a URL"

/** What the lines of a chunk are. */
interface Collected {
  readonly urls: Array<string>
  readonly places: Array<Place>
  readonly unreadable: Array<Batch["unreadable"][number]>
  /** Why the input cannot be used. */
  problem?: string
}

/**
 * A note or another URL behind a URL: as one URL they would be a page that nobody reported. In a cell a line break may precede it, in
 * the output of `find -print0` a NUL.
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

/** What a cell without a URL may contain: hosts of a local network in a browser. */
const NO_URL = /^(?:#?n\/?a|nan|none|null|unknown|-+|\?+)$/i

/** In quotes or not. In small letters: a firm in a note is `Booking.com`. */
const HOST = /^["']?((?:[a-z\d-]+\.)+[a-z]{2,})["'\])}]{0,2}$/

/** An IPv6 address, and a name such as `_dmarc`. */
const HOST_START = /^(?:\[[\da-f]{0,4}:|_[a-z])/i

/** Punctuation that people copy with a URL, and programs cut with it. */
const QUOTE_AT_END = /(?<![>"`\\])[>"`\\]+$/
const ESCAPE_AT_END = /(?:\\r)?\\[nrt]$/

/** What may begin a text directly after a URL: markup, or a word without a blank. Few lines have it, and it takes longer. */
const MARKUP =
  /[[({\\|^]|%(?:0[9ADad]|2[027Cc]|3[CEce]|60)|&(?:#|[a-z]{2,8};|[gl]t|quot|nbsp|apos)|[^\0-\x7f]/

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
  return linkAtStart(url.slice(start).replace(ESCAPE_AT_END, "").replace(QUOTE_AT_END, ""))
}

/** A fragment may contain an address. */
const addressOf = (text: string): string =>
  Either.match(CanonicalUrl.read(text), {
    onLeft: () => text,
    onRight: (written) => `${CanonicalUrl.format(written.url)}#${CanonicalUrl.writtenFragment(written)}`
  })

/**
 * Returns a line, and other addresses that it names without what may follow its URL in a table or a sentence: all are checked.
 * Undefined if it has two URLs.
 */
const readingsOf = (line: string): ReadonlyArray<string> | undefined => {
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

/** Adds the URL of a line. */
const add = (
  { places, unreadable, urls }: Collected,
  url: string,
  line: number,
  record?: ReadonlyMap<string, string>
): void => {
  if (url.length > MAX_URL_LENGTH) unreadable.push({ line, reason: TOO_LONG })
  else if (url.includes(REPLACEMENT_CHARACTER)) unreadable.push({ line, reason: "not UTF-8" })
  else if (url.includes("\t")) unreadable.push({ line, reason: "a row with tabs" })
  else if (
    (/[.:/]/.test(url) && SECOND_TEXT.test(url)) ||
    ENCODED.test(url) ||
    WORDS.test(url) ||
    NUMBER.test(url) ||
    (record === undefined && NOTE.test(url))
  )
    unreadable.push({ line, reason: "not one URL" })
  else {
    const readings = url === "" ? [] : readingsOf(url)
    if (readings === undefined) unreadable.push({ line, reason: "not one URL" })
    // A record has one result.
    else if (record !== undefined) {
      urls.push(url)
      places.push({ line, record })
    } else
      for (const reading of readings) {
        urls.push(reading)
        places.push({ line })
      }
  }
}

/** Reads the next chunk of a text, or what is left of it at its end. */
type Reader = (bytes: Uint8Array, isLast: boolean) => Collected

/** At the start of a line. Elsewhere it begins a URL's fragment. */
const COMMENT = "#"

/** A first field that is no part of an address, and a comma: `id,url`, `"url","date"` or `1,http://a.example`. */
const CSV_START = /^(?:"[^"./:]*"|[^"./:?#,]+),/

/** What to do with a text that is not one URL a line. */
const HINTS: Readonly<Record<Exclude<Text.Kind, "text">, string>> = {
  csv: "a table; name its column of URLs with --column, or read all links with --extract",
  html: "a page; read its links with --extract",
  json: "JSON; read its links with --extract",
  log: "a log; read its links with --extract",
  mail: "a mail; read its links with --extract"
}

/** Undefined for a text of one URL a line. A URL may end like a line of an encoded mail. */
const hintOf = (text: string): string | undefined => {
  const kind = Text.kindOf(text)
  return kind === "text" || (kind === "mail" && !/^(?:[a-z-]+: |From |--)/i.test(text.trimStart()))
    ? undefined
    : HINTS[kind]
}

const LINE_BREAK = /\r\n?|\n/

/** One URL a line. Fails if the input is something else: each line would be checked as something else than it is. */
const makeLineReader = (): Reader => {
  const decoder = new TextDecoder()
  let partialLine = ""
  let isOverlong = false
  let isFirst = true
  let lines = 0

  return (bytes, isLast) => {
    const collected: Collected = { urls: [], places: [], unreadable: [] }
    const whole = partialLine + decoder.decode(bytes, { stream: !isLast })
    // The next chunk may begin with the other half of a line break.
    const end = !isLast && whole.endsWith("\r") ? whole.length - 1 : whole.length
    const parts = whole.slice(0, end).split(LINE_BREAK)
    partialLine = isLast ? "" : (parts.pop() ?? "") + whole.slice(end)
    if (isFirst && parts.length > 0) {
      const hint = hintOf(whole)
      if (hint !== undefined) collected.problem = `The input looks like ${hint}`
    }
    for (const part of parts) {
      lines++
      // `trim` also removes a carriage return and a byte order mark.
      const line = part.trim()
      if (isOverlong) collected.unreadable.push({ line: lines, reason: TOO_LONG })
      else if (!line.startsWith(COMMENT)) {
        if (isFirst && CSV_START.test(line))
          collected.problem ??= `Line ${lines} looks like CSV; name its column of URLs with --column, or read all links with --extract`
        add(collected, line, lines)
        isFirst &&= line === ""
      }
      isOverlong = false
    }
    if (partialLine.length > MAX_URL_LENGTH) {
      isOverlong = true
      partialLine = ""
    }
    return collected
  }
}

/** Of the names of the columns: the first line may be of any length if the file is not a CSV. */
const MAX_SHOWN_LENGTH = 300

const DELIMITERS = [",", ";", "\t", "|"]
const QUOTES = /^"|"$/g

/** The delimiter by which the header has a field of this name; a comma if there is none. */
const delimiterOf = (header: string, column: string): string =>
  DELIMITERS.find((delimiter) =>
    // `trim` removes a byte order mark too.
    header.split(delimiter).some((name) => name.trim().replace(QUOTES, "").trim() === column)
  ) ?? ","

/** Excel for Macintosh ends lines with a carriage return. */
const LINE_ENDS = Buffer.from("\r\n")

/**
 * The values of a column of a table with a header (RFC 4180, or with another delimiter). Fails if there is no such column, or a quote
 * is not closed.
 */
const makeColumnReader = (column: string): Reader => {
  let collected: Collected
  let place: number | undefined
  let columns: ReadonlyArray<string> = []

  const setPlace = (names: ReadonlyArray<string>) => {
    columns = names
    place = names.indexOf(column)
    const shown = names.join(", ").slice(0, MAX_SHOWN_LENGTH)
    if (place !== names.lastIndexOf(column))
      collected.problem ??= `--column: several columns are named "${column}"; the columns are ${shown}`
    if (place < 0) collected.problem ??= `--column: there is no column "${column}"; the columns are ${shown}`
  }

  const options = {
    bom: true,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_BYTES,
    // Nothing is left to read from the parser: null.
    on_record: (fields: ReadonlyArray<string>, { lines }: { readonly lines: number }) => {
      if (place === undefined) setPlace(fields.map((name) => name.trim()))
      else {
        const url = fields[place]
        // A delimiter in a URL without quotes would cut it.
        const isLonger = fields.slice(columns.length).some((field) => field.trim() !== "")
        if (url === undefined || isLonger)
          collected.unreadable.push({
            line: lines,
            reason: `${isLonger ? "longer" : "shorter"} than the header`
          })
        else
          add(
            collected,
            url.trim().replace(NO_URL, ""),
            lines,
            new Map(columns.map((name, index) => [name, fields[index] ?? ""] as const))
          )
      }
      return null
    },
    // Without it an error would end the process.
    skip_records_with_error: true,
    on_skip: (error: Error | undefined) => {
      collected.problem ??= `The CSV cannot be read: ${error?.message}`
      return undefined
    }
  }
  let parser: Parser | undefined
  /** Before the header has ended. */
  let head = Buffer.alloc(0)

  return (bytes, isLast) => {
    collected = { urls: [], places: [], unreadable: [] }
    let next = bytes
    if (parser === undefined) {
      head = Buffer.concat([head, bytes])
      const end = head.findIndex((byte) => LINE_ENDS.includes(byte))
      if (end === -1 && !isLast && head.length < MAX_RECORD_BYTES) return collected
      const header = head.toString("utf8", 0, end === -1 ? head.length : end)
      parser = new Parser({ ...options, delimiter: delimiterOf(header, column) })
      next = head
    }
    if (isLast) parser.end(next)
    else parser.write(next)
    return collected
  }
}

/** Reads each chunk, and what is left at the end. */
export const mapChunks = <E, R, A, E2>(
  chunks: Stream.Stream<Uint8Array, E, R>,
  read: (bytes: Uint8Array, isLast: boolean) => Effect.Effect<A, E2>
): Stream.Stream<A, E | E2, R> =>
  Stream.concat(
    Stream.mapEffect(chunks, (bytes) => read(bytes, false)),
    Stream.fromEffect(Effect.suspend(() => read(new Uint8Array(), true)))
  )

/**
 * Returns one batch for each chunk of UTF-8 text, and one for its end: of the lines or, if a column is named, of the values of
 * that column of a CSV. Uses no more memory than a chunk and a line.
 */
export const batches = <E, R>(
  chunks: Stream.Stream<Uint8Array, E, R>,
  column?: string
): Stream.Stream<Batch, E | InvalidInput, R> =>
  Stream.suspend(() => {
    const reader = column === undefined ? makeLineReader() : makeColumnReader(column)
    let bytesRead = 0
    return mapChunks(chunks, (bytes, isLast) => {
      const type = bytesRead === 0 ? fileTypeOf(bytes) : undefined
      if (type) return new InvalidInput({ message: `The input is no text but ${type}` })
      bytesRead += bytes.length
      const { problem, ...collected } = reader(bytes, isLast)
      return problem === undefined
        ? Effect.succeed({ ...collected, bytesRead })
        : new InvalidInput({ message: problem })
    })
  })
