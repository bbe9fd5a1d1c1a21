import { StringDecoder } from "node:string_decoder"
import { Stream } from "effect"

/** What the service takes as well: longer ones are no URLs, and none may fill the memory. */
export const LONGEST_LINE = 64 * 1024

/** What one piece of the input holds. */
export interface Batch {
  /** The lines that end in it, without white space around them; blank ones are left out. */
  readonly urls: ReadonlyArray<string>
  /** Those that cannot be checked, by their numbers from 1. */
  readonly unreadable: ReadonlyArray<{ readonly line: number; readonly why: string }>
  /** How many bytes of input were read up to its end. */
  readonly bytesRead: number
}

/**
 * What a decoder puts where bytes are no UTF-8: what would be checked is another URL than the one of the line. The service
 * refuses such text too. A line that holds the character itself has lost bytes before.
 */
const REPLACEMENT = "\ufffd"

const makeReader = () => {
  const decoder = new StringDecoder("utf8")
  let begun = ""
  let isOverlong = false
  let lines = 0
  let bytesRead = 0

  const read = (text: string, isLast: boolean): Batch => {
    const parts = (begun + text).split("\n")
    begun = isLast ? "" : (parts.pop() ?? "")
    const urls: Array<string> = []
    const unreadable: Array<Batch["unreadable"][number]> = []
    for (const part of parts) {
      lines++
      // `trim` takes off a carriage return and a byte order mark as well.
      const line = part.trim()
      if (isOverlong || line.length > LONGEST_LINE)
        unreadable.push({ line: lines, why: "too long for a URL" })
      else if (line.includes(REPLACEMENT)) unreadable.push({ line: lines, why: "not UTF-8" })
      else if (line !== "") urls.push(line)
      isOverlong = false
    }
    if (begun.length > LONGEST_LINE) {
      isOverlong = true
      begun = ""
    }
    return { urls, unreadable, bytesRead }
  }

  return {
    piece: (bytes: Uint8Array): Batch => {
      bytesRead += bytes.length
      return read(decoder.write(bytes), false)
    },
    end: (): Batch => read(decoder.end(), true)
  }
}

/** One batch for each piece of UTF-8 text, and one for the last line. Not much more than a piece is held at a time. */
export const batches = <E, R>(pieces: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Batch, E, R> =>
  Stream.suspend(() => {
    const reader = makeReader()
    return Stream.concat(
      Stream.map(pieces, reader.piece),
      Stream.sync(() => reader.end())
    )
  })
