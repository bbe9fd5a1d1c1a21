import { StringDecoder } from "node:string_decoder"

/** Decodes the next bytes; without any the rest. */
type Decode = (chunk?: Uint8Array) => string

const utf16 = (encoding: "utf-16le" | "utf-16be"): Decode => {
  const decoder = new TextDecoder(encoding)
  return (chunk) => (chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true }))
}

const utf8 = (): Decode => {
  const decoder = new StringDecoder("utf8")
  return (chunk) => (chunk === undefined ? decoder.end() : decoder.write(chunk))
}

/**
 * The text of a document whose bytes come in chunks: UTF-8, or UTF-16 with a byte order mark, as Windows programs save it. The mark
 * of UTF-8 stays.
 */
export class DocumentText {
  /** The first byte alone does not tell. */
  #head: Uint8Array | undefined = new Uint8Array()
  #decode: Decode = utf8()

  write(chunk: Uint8Array): string {
    if (this.#head === undefined) return this.#decode(chunk)
    const head = Buffer.concat([this.#head, chunk])
    this.#head = head.length < 2 ? head : undefined
    if (head.length < 2) return ""
    if (head[0] === 0xff && head[1] === 0xfe) this.#decode = utf16("utf-16le")
    if (head[0] === 0xfe && head[1] === 0xff) this.#decode = utf16("utf-16be")
    return this.#decode(head)
  }

  end(): string {
    const head = this.#head === undefined ? "" : this.#decode(this.#head)
    this.#head = undefined
    return head + this.#decode()
  }
}
