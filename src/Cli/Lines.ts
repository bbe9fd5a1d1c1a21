import { Parser } from "csv-parse"
import { Data, Effect, Stream } from "effect"
import { fileTypeOf } from "../Text/Encoded.ts"
import * as Text from "../Text.ts"
import * as OneUrl from "./Lines/OneUrl.ts"

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

/** What the lines of a chunk are. */
interface Collected {
  readonly urls: Array<string>
  readonly places: Array<Place>
  readonly unreadable: Array<Batch["unreadable"][number]>
  /** Why the input cannot be used. */
  problem?: string
}

/** Adds the URL of a line, or of the cell of a record. */
const add = (
  { places, unreadable, urls }: Collected,
  url: string,
  line: number,
  record?: ReadonlyMap<string, string>
): void => {
  const problem = OneUrl.problemOf(url, record !== undefined)
  if (problem !== undefined) unreadable.push({ line, reason: problem })
  else {
    const readings = url === "" ? [] : OneUrl.readingsOf(url)
    if (readings === undefined) unreadable.push({ line, reason: OneUrl.NOT_ONE_URL })
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
      if (isOverlong) collected.unreadable.push({ line: lines, reason: OneUrl.TOO_LONG })
      else if (!line.startsWith(COMMENT)) {
        if (isFirst && CSV_START.test(line))
          collected.problem ??= `Line ${lines} looks like CSV; name its column of URLs with --column, or read all links with --extract`
        add(collected, line, lines)
        isFirst &&= line === ""
      }
      isOverlong = false
    }
    if (partialLine.length > OneUrl.MAX_URL_LENGTH) {
      isOverlong = true
      partialLine = ""
    }
    return collected
  }
}

/** What a cell without a URL may contain: hosts of a local network in a browser. */
const NO_URL = /^(?:#?n\/?a|nan|none|null|unknown|-+|\?+)$/i

/** Of the names of the columns: the first line may be of any length if the file is not a CSV. */
const MAX_SHOWN_LENGTH = 300

const QUOTES = /^"|"$/g

/** The delimiter by which a line has a field of this name; undefined if it has none. */
const delimiterOf = (line: string, column: string): string | undefined =>
  OneUrl.DELIMITERS.find((delimiter) =>
    // `trim` removes a byte order mark too.
    line.split(delimiter).some((name) => name.trim().replace(QUOTES, "").trim() === column)
  )

/**
 * In front of the header: a title, `#TYPE ...` of PowerShell, `sep=;` of Excel. A row may have a field with the name of the column. Not a
 * host, which would be skipped, nor a quote that is not closed: the name of the first column may have a line break.
 */
const BEFORE_HEADER = /^\ufeff?(?:#|"?sep=.|(?:[^,;\t|".]|\.(?!\S)|"[^".]*")*$)/i
const MAX_LINES_BEFORE_HEADER = 10

/** The index of the header; undefined if more of the text is needed to find it. Without one the first line counts as it. */
const headerIndexOf = (lines: ReadonlyArray<string>, column: string): number | undefined => {
  const last = lines
    .slice(0, MAX_LINES_BEFORE_HEADER + 1)
    .findIndex((line) => delimiterOf(line, column) !== undefined || !BEFORE_HEADER.test(line))
  if (last === -1 && lines.length <= MAX_LINES_BEFORE_HEADER) return undefined
  return last !== -1 && delimiterOf(lines[last] ?? "", column) !== undefined ? last : 0
}

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
      const lines = head.toString().split(LINE_BREAK)
      const isWhole = isLast || head.length >= MAX_RECORD_BYTES
      const index = headerIndexOf(lines.slice(0, isWhole ? undefined : -1), column)
      if (index === undefined && !isWhole) return collected
      const delimiter = delimiterOf(lines[index ?? 0] ?? "", column) ?? ","
      parser = new Parser({ ...options, delimiter, from_line: (index ?? 0) + 1 })
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
