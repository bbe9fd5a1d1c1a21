import { pipeline, Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { errorCodeOf } from "../../Layers/ErrorCode.ts"
import * as HttpRequest from "../../Layers/Outbound/HttpRequest.ts"
import { ListError } from "../ListError.ts"
import * as PublicAddress from "../PublicAddress.ts"
import type { Limits } from "./Messages.ts"

/** Converts an error of a connection or a file. Only its code stays: the message may hold the address, and the address a key. */
export const fromConnection = (cause: unknown): ListError => {
  if (cause instanceof ListError) return cause
  const code = errorCodeOf(cause) ?? "no connection"
  if (code === PublicAddress.NOT_PUBLIC) return new ListError("ForbiddenRedirect", code)
  return new ListError(code === HttpRequest.CONNECT_TIMED_OUT ? "Timeout" : "Unreachable", code)
}

/**
 * Rejects with `Timeout` when the promise has not settled after so many milliseconds. What arrived while the thread computed another
 * list is read first: a timer comes before it in the event loop.
 */
export const orTimeout = async <A>(promise: Promise<A>, timeoutMs: number, detail: string): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => setImmediate(() => reject(new ListError("Timeout", detail))), timeoutMs)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Throws only `ListError`. */
export type Body = AsyncIterable<Uint8Array>

/** Fails with `TooLarge` after more than `maxBytes`. */
export async function* limitSize(body: Body, maxBytes: number): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const chunk of body) {
    total += chunk.length
    if (total > maxBytes) throw new ListError("TooLarge")
    yield chunk
  }
}

/** Fails with `Timeout` when the next chunk takes longer than that; the time that a chunk is worked on does not count. */
async function* limitIdle(body: AsyncIterable<Uint8Array>, timeoutMs: number): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]()
  for (;;) {
    const next = chunks.next().catch((error) => Promise.reject(fromConnection(error)))
    const { done, value } = await orTimeout(next, timeoutMs, `no byte for ${timeoutMs / 1000} seconds`)
    if (done === true) return
    yield value
  }
}

/** The bytes of a response as they are sent, with idle timeout and size limit. Node compares their number with the header's. */
export const receive = (
  body: AsyncIterable<Uint8Array>,
  { idleTimeoutMs, maxBodyBytes }: Pick<Limits, "idleTimeoutMs" | "maxBodyBytes">
): Body => limitSize(limitIdle(body, idleTimeoutMs), maxBodyBytes)

/** A `.gz` file may be sent with a content encoding of gzip on top. */
const MAX_GZIP_LAYERS = 2

/** Each chunk costs a return from zlib's threads. */
const GUNZIP_CHUNK_BYTES = 65_536

/** The kind of a document shows in its first bytes, perhaps after white space. */
const HEAD_BYTES = 1024

/** By the magic numbers of RFC 1952, bzip2 (and its first block) and PKWARE's APPNOTE. */
const kindOf = (head: Uint8Array): "gzip" | "bzip2" | "zip" | "HTML" | "document" => {
  const bytes = Buffer.from(head).toString("latin1")
  if (bytes.startsWith("\x1f\x8b")) return "gzip"
  if (/^BZh[1-9]1AY&SY/.test(bytes)) return "bzip2"
  if (bytes.startsWith("PK\x03\x04") || bytes.startsWith("PK\x05\x06")) return "zip"
  return /^(?:\xef\xbb\xbf)?\s*</.test(bytes) ? "HTML" : "document"
}

/** Decompresses a body. Fails with `Corrupt`. */
export async function* gunzip(body: Body): AsyncGenerator<Uint8Array> {
  const unzipped = createGunzip({ chunkSize: GUNZIP_CHUNK_BYTES })
  // Errors, also of the body, are thrown where the bytes are read.
  pipeline(Readable.from(body), unzipped, () => undefined)
  try {
    yield* unzipped
  } catch (error) {
    throw error instanceof ListError ? error : new ListError("Corrupt", "gzip")
  }
}

async function* concat(head: Uint8Array, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value
}

async function* unwrap(body: Body, maxBytes: number, layers: number): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]()
  let head: Uint8Array = new Uint8Array()
  while (head.length < HEAD_BYTES) {
    const next = await chunks.next()
    if (next.done === true) break
    head = Buffer.concat([head, next.value])
  }
  const whole = concat(head, chunks)
  const kind = kindOf(head)
  if (kind === "document") return yield* whole
  if (kind !== "gzip" || layers === 0) throw new ListError("NotAFeed", kind)
  yield* unwrap(limitSize(gunzip(whole), maxBytes), maxBytes, layers - 1)
}

/**
 * The document in a body: decompressed as its bytes demand, whatever the headers say. Fails with `NotAFeed` for HTML and
 * archives, with `TooLarge` after so many decompressed bytes, and with `Corrupt`.
 */
export const decode = (body: Body, maxBytes: number): Body => unwrap(body, maxBytes, MAX_GZIP_LAYERS)
