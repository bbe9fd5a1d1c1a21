import { pipeline, Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { type Body, limitSize } from "./Body.ts"
import { ThrownListError } from "./ThrownListError.ts"

/** A `.gz` file may be sent with a content encoding of gzip on top. */
const MAX_GZIP_LAYERS = 2

/** Each chunk costs a return from zlib's threads. */
const GUNZIP_CHUNK_BYTES = 65_536

/** The kind of a document shows in its first bytes after white space. */
const MIN_HEAD_BYTES = 10
const MAX_HEAD_BYTES = 1024

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1")

const withoutWhiteSpace = (head: Uint8Array): string =>
  latin1(head)
    .replace(/^\xef\xbb\xbf/, "")
    .trimStart()

const isEnough = (head: Uint8Array): boolean =>
  head.length >= MAX_HEAD_BYTES || (head.length >= MIN_HEAD_BYTES && withoutWhiteSpace(head) !== "")

/** By the magic numbers of RFC 1952, bzip2 (with that of its first block) and PKWARE's APPNOTE. */
const kindOf = (head: Uint8Array): "gzip" | "bzip2" | "zip" | "HTML" | "document" => {
  const bytes = latin1(head)
  if (bytes.startsWith("\x1f\x8b")) return "gzip"
  if (/^BZh[1-9]1AY&SY/.test(bytes)) return "bzip2"
  if (bytes.startsWith("PK\x03\x04") || bytes.startsWith("PK\x05\x06")) return "zip"
  return withoutWhiteSpace(head).startsWith("<") ? "HTML" : "document"
}

/** Decompresses a body. Fails with `Corrupt`. */
export async function* gunzip(body: Body): AsyncGenerator<Uint8Array> {
  const unzipped = createGunzip({ chunkSize: GUNZIP_CHUNK_BYTES })
  // Errors, those of the body included, are thrown where the bytes are read.
  pipeline(Readable.from(body), unzipped, () => undefined)
  try {
    yield* unzipped
  } catch (error) {
    throw error instanceof ThrownListError ? error : new ThrownListError("Corrupt", "gzip")
  }
}

async function* concat(head: Uint8Array, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value
}

async function* unwrap(body: Body, maxBytes: number, layers: number): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]()
  let head: Uint8Array = new Uint8Array()
  while (!isEnough(head)) {
    const next = await chunks.next()
    if (next.done === true) break
    head = Buffer.concat([head, next.value])
  }
  const whole = concat(head, chunks)
  const kind = kindOf(head)
  if (kind === "document") return yield* whole
  if (kind !== "gzip" || layers === 0) throw new ThrownListError("NotAFeed", kind)
  yield* unwrap(limitSize(gunzip(whole), maxBytes), maxBytes, layers - 1)
}

/**
 * The document in a body: decompressed as its bytes demand, whatever the headers say. Fails with `NotAFeed` for HTML and
 * archives, with `TooLarge` after so many decompressed bytes, and with `Corrupt`.
 */
export const decode = (body: Body, maxBytes: number): Body => unwrap(body, maxBytes, MAX_GZIP_LAYERS)
