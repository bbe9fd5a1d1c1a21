import { StringDecoder } from "node:string_decoder"
import { Stream } from "effect"

/** In UTF-16 units. Longer lines are not checked; the service's limit for a request body is as large. */
export const MAX_LINE_LENGTH = 64 * 1024

/** The lines of one chunk of the input. */
export interface Batch {
  /** The lines that end in this chunk, trimmed, without blank lines and comments. */
  readonly urls: ReadonlyArray<string>
  /** Lines that cannot be checked. Line numbers start at 1. */
  readonly unreadable: ReadonlyArray<{ readonly line: number; readonly reason: string }>
  /** Bytes of input read so far, this chunk included. */
  readonly bytesRead: number
}

/**
 * What the decoder writes for bytes that are not UTF-8. Such a line is not checked: it would be another URL. The service
 * rejects such bodies too.
 */
const REPLACEMENT_CHARACTER = "\ufffd"

/** At the start of a line. Elsewhere it begins a URL's fragment. */
const COMMENT = "#"

const makeLineReader = () => {
  const decoder = new StringDecoder("utf8")
  let partialLine = ""
  let isOverlong = false
  let lines = 0
  let bytesRead = 0

  const read = (text: string, isLast: boolean): Batch => {
    const parts = (partialLine + text).split("\n")
    partialLine = isLast ? "" : (parts.pop() ?? "")
    const urls: Array<string> = []
    const unreadable: Array<Batch["unreadable"][number]> = []
    for (const part of parts) {
      lines++
      // `trim` also removes a carriage return and a byte order mark.
      const line = part.trim()
      if (isOverlong || line.length > MAX_LINE_LENGTH)
        unreadable.push({ line: lines, reason: "too long for a URL" })
      else if (line === "" || line.startsWith(COMMENT)) continue
      else if (line.includes(REPLACEMENT_CHARACTER)) unreadable.push({ line: lines, reason: "not UTF-8" })
      else urls.push(line)
      isOverlong = false
    }
    if (partialLine.length > MAX_LINE_LENGTH) {
      isOverlong = true
      partialLine = ""
    }
    return { urls, unreadable, bytesRead }
  }

  return {
    chunk: (bytes: Uint8Array): Batch => {
      bytesRead += bytes.length
      return read(decoder.write(bytes), false)
    },
    end: (): Batch => read(decoder.end(), true)
  }
}

/** Returns one batch for each chunk of UTF-8 text, and one for the last line. Uses no more memory than a chunk and a line. */
export const batches = <E, R>(chunks: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Batch, E, R> =>
  Stream.suspend(() => {
    const reader = makeLineReader()
    return Stream.concat(
      Stream.map(chunks, reader.chunk),
      Stream.sync(() => reader.end())
    )
  })
