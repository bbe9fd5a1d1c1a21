import { pipeline, Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { capped, type FeedBody } from "./FeedBody.ts"
import { ListFailure } from "./ListFailure.ts"

/** A `.gz` file may be sent with a content encoding of gzip on top. */
const MOST_GZIP_LAYERS = 2

/** Large enough to come back from zlib's threads seldom. */
const GUNZIP_PIECE = 65_536

/** What a document is shows in its first bytes that are no white space; so many are looked at. */
const SHORTEST_BEGINNING = 10
const LONGEST_BEGINNING = 1024

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1")

const firstWords = (beginning: Uint8Array): string =>
  latin1(beginning)
    .replace(/^\xef\xbb\xbf/, "")
    .trimStart()

const isTelling = (beginning: Uint8Array): boolean =>
  beginning.length >= LONGEST_BEGINNING ||
  (beginning.length >= SHORTEST_BEGINNING && firstWords(beginning) !== "")

/** By the magic numbers of RFC 1952, bzip2 (with that of its first block) and PKWARE's APPNOTE. */
const kind = (beginning: Uint8Array): "gzip" | "bzip2" | "zip" | "HTML" | "document" => {
  const bytes = latin1(beginning)
  if (bytes.startsWith("\x1f\x8b")) return "gzip"
  if (/^BZh[1-9]1AY&SY/.test(bytes)) return "bzip2"
  if (bytes.startsWith("PK\x03\x04") || bytes.startsWith("PK\x05\x06")) return "zip"
  return firstWords(beginning).startsWith("<") ? "HTML" : "document"
}

async function* gunzip(body: FeedBody): AsyncGenerator<Uint8Array> {
  const unzipped = createGunzip({ chunkSize: GUNZIP_PIECE })
  // What goes wrong, with the body too, is thrown where the bytes come out.
  pipeline(Readable.from(body), unzipped, () => undefined)
  try {
    yield* unzipped
  } catch (error) {
    throw error instanceof ListFailure ? error : new ListFailure("Corrupt", "gzip")
  }
}

async function* concat(first: Uint8Array, pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield first
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value
  } finally {
    await pieces.return?.()
  }
}

/** Takes off the layers of gzip that the bytes show, and refuses what is no feed. */
async function* unwrap(body: FeedBody, layers: number): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]()
  let beginning: Uint8Array = new Uint8Array()
  while (!isTelling(beginning)) {
    const next = await pieces.next()
    if (next.done === true) break
    beginning = Buffer.concat([beginning, next.value])
  }
  const whole = concat(beginning, pieces)
  const found = kind(beginning)
  if (found === "document") return yield* whole
  if (found === "gzip" && layers > 0) return yield* unwrap(capped(gunzip(whole)), layers - 1)
  await pieces.return?.()
  throw new ListFailure("NotAFeed", found)
}

/**
 * The document in a body: decompressed by what its bytes show, whatever was said about it; never larger than 256 MiB, and
 * refused when it is HTML or an archive.
 */
export const decode = (body: FeedBody): FeedBody => unwrap(body, MOST_GZIP_LAYERS)
