import { Either } from "effect"
import * as CanonicalUrl from "../../Url/CanonicalUrl.ts"
import { OperatorList } from "./OperatorList.ts"

/** The same as the maximum of an entry of a threat feed. */
export const MAX_LINE_CHARS = 16_384

/** Enough to find a systematic mistake. */
const MAX_NOTED_LINES = 10

const WHITE_SPACE = /\s/

/** The beginning of a line that is too long: a line of 16 MiB would hold the main thread at its end, and be skipped anyway. */
const shortened = (line: string): string =>
  line.length > MAX_LINE_CHARS ? line.slice(0, MAX_LINE_CHARS + 1) : line

/**
 * Reads a file of the operator chunk by chunk: one URL, directory or host a line. Lines end with LF or CRLF, the last one also
 * with nothing; a byte order mark is dropped. Blank lines and those that begin with `#` are comments. Elsewhere a `#` begins
 * the fragment of a URL, which does not count.
 *
 * Skipped are lines that hold no URL with a host, those with white space inside, and those that are too long.
 */
export class ListReader {
  readonly list = new OperatorList()
  skipped = 0
  /** The numbers of the first skipped lines, from 1. */
  readonly skippedLines: Array<number> = []
  /** Drops the byte order mark. */
  readonly #decoder = new TextDecoder()
  #line = 0
  /** The beginning of a line whose end is in a later chunk. */
  #partial = ""

  read(chunk: Uint8Array): void {
    const [first = "", ...others] = this.#decoder.decode(chunk, { stream: true }).split("\n")
    this.#partial = shortened(this.#partial + first)
    for (const next of others) {
      this.#add(this.#partial)
      this.#partial = shortened(next)
    }
  }

  end(): void {
    this.#add(this.#partial + this.#decoder.decode())
    this.#partial = ""
  }

  #add(line: string): void {
    this.#line++
    const text = line.length > MAX_LINE_CHARS ? line : line.trim()
    if (text === "" || text.startsWith("#")) return
    const url = text.length > MAX_LINE_CHARS || WHITE_SPACE.test(text) ? undefined : CanonicalUrl.parse(text)
    if (url !== undefined && Either.isRight(url)) this.list.add(url.right)
    else {
      this.skipped++
      if (this.skippedLines.length < MAX_NOTED_LINES) this.skippedLines.push(this.#line)
    }
  }
}
