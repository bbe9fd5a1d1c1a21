import { StringDecoder } from "node:string_decoder"
import { Parser } from "csv-parse"
import { Data, Either, identity, Stream } from "effect"

/** In UTF-16 units. Longer URLs are not checked; the service's limit for a request body is as large. */
export const MAX_URL_LENGTH = 64 * 1024

/** A larger record of a CSV is a quote that is never closed. */
const MAX_RECORD_BYTES = 1_048_576

/** The input cannot be used. `message` is a line for the user. */
export class InvalidInput extends Data.TaggedError("InvalidInput")<{ readonly message: string }> {}

/** What one chunk of the input completes. */
export interface Batch {
  /** Trimmed, without empty ones. */
  readonly urls: ReadonlyArray<string>
  /** Lines that cannot be checked. Line numbers start at 1. */
  readonly unreadable: ReadonlyArray<{ readonly line: number; readonly reason: string }>
  /** Bytes of input read so far, this chunk included. */
  readonly bytesRead: number
}

/** Reads a text chunk by chunk. */
interface Reader {
  readonly chunk: (bytes: Uint8Array) => Either.Either<Batch, InvalidInput>
  readonly end: () => Either.Either<Batch, InvalidInput>
}

/**
 * What the decoder writes for bytes that are not UTF-8. Such a line is not checked: it would be another URL. The service
 * rejects such bodies too.
 */
const REPLACEMENT_CHARACTER = "\ufffd"

const TOO_LONG = "too long for a URL"

/** What is collected of one chunk. */
const makeBatch = () => {
  const urls: Array<string> = []
  const unreadable: Array<Batch["unreadable"][number]> = []
  return {
    urls,
    unreadable,
    /** Adds the URL of a line. */
    add: (url: string, line: number) => {
      if (url.length > MAX_URL_LENGTH) unreadable.push({ line, reason: TOO_LONG })
      else if (url.includes(REPLACEMENT_CHARACTER)) unreadable.push({ line, reason: "not UTF-8" })
      else if (url !== "") urls.push(url)
    }
  }
}

/** At the start of a line. Elsewhere it begins a URL's fragment. */
const COMMENT = "#"

/** Of the first line, which may be of any length if the file is not a CSV. */
const MAX_SHOWN_LENGTH = 300

/** A first field that is no part of an address, and a comma: `id,url`, `"url","date"` or `1,http://a.example`. */
const CSV_START = /^(?:"[^"./:]*"|[^"./:?#,]+),/

/** One URL a line. Fails if the first line is that of a CSV: each line would be checked as something else than it is. */
const makeLineReader = (): Reader => {
  const decoder = new StringDecoder("utf8")
  let partialLine = ""
  let isOverlong = false
  let isFirst = true
  let lines = 0
  let bytesRead = 0

  const read = (text: string, isLast: boolean): Either.Either<Batch, InvalidInput> => {
    const parts = (partialLine + text).split("\n")
    partialLine = isLast ? "" : (parts.pop() ?? "")
    const batch = makeBatch()
    for (const part of parts) {
      lines++
      // `trim` also removes a carriage return and a byte order mark.
      const line = part.trim()
      if (isOverlong) batch.unreadable.push({ line: lines, reason: TOO_LONG })
      else if (isFirst && CSV_START.test(line))
        return Either.left(
          new InvalidInput({ message: `Line ${lines} looks like CSV; name its column of URLs with --column` })
        )
      else if (!line.startsWith(COMMENT)) {
        batch.add(line, lines)
        isFirst &&= line === ""
      }
      isOverlong = false
    }
    if (partialLine.length > MAX_URL_LENGTH) {
      isOverlong = true
      partialLine = ""
    }
    return Either.right({ urls: batch.urls, unreadable: batch.unreadable, bytesRead })
  }

  return {
    chunk: (bytes) => {
      bytesRead += bytes.length
      return read(decoder.write(bytes), false)
    },
    end: () => read(decoder.end(), true)
  }
}

/** The values of a column of a CSV with a header (RFC 4180). Fails if there is no such column, or a quote is not closed. */
const makeColumnReader = (column: string): Reader => {
  let batch = makeBatch()
  let place: number | undefined
  let problem: string | undefined
  let bytesRead = 0

  const setPlace = (names: ReadonlyArray<string>) => {
    place = names.findIndex((name) => name.trim() === column)
    const shown = names
      .map((name) => name.trim())
      .join(", ")
      .slice(0, MAX_SHOWN_LENGTH)
    if (place < 0) problem = `--column: there is no column "${column}"; the columns are ${shown}`
  }

  const parser = new Parser({
    bom: true,
    record_delimiter: ["\r\n", "\n"],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_BYTES,
    // Nothing is left to read from the parser: null.
    on_record: (fields: ReadonlyArray<string>, { lines }) => {
      if (place === undefined) setPlace(fields)
      else {
        const url = fields[place]
        if (url === undefined) batch.unreadable.push({ line: lines, reason: "shorter than the header" })
        else batch.add(url.trim(), lines)
      }
      return null
    },
    // Without it an error would end the process.
    skip_records_with_error: true,
    on_skip: (error) => {
      problem ??= `The CSV cannot be read: ${error?.message}`
      return undefined
    }
  })

  const taken = (): Either.Either<Batch, InvalidInput> => {
    const { unreadable, urls } = batch
    batch = makeBatch()
    return problem === undefined
      ? Either.right({ urls, unreadable, bytesRead })
      : Either.left(new InvalidInput({ message: problem }))
  }

  return {
    chunk: (bytes) => {
      bytesRead += bytes.length
      parser.write(bytes)
      return taken()
    },
    end: () => {
      parser.end()
      return taken()
    }
  }
}

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
    return Stream.mapEffect(
      Stream.concat(Stream.map(chunks, reader.chunk), Stream.sync(reader.end)),
      identity
    )
  })
