import type { IncomingMessage } from "node:http"
import { Data, Effect } from "effect"

/** Far above any URL that a browser takes, and small enough to buffer for every open connection. */
export const MAX_BODY_BYTES = 64 * 1024

/** The body is larger than `MAX_BODY_BYTES`: respond 413. Node discards the rest of it. */
export class BodyTooLarge extends Data.TaggedError("BodyTooLarge") {}

const declaredLength = (request: IncomingMessage): number => Number(request.headers["content-length"] ?? 0)

const EMPTY = Buffer.alloc(0)

/**
 * The first `size` of `bytes` and the chunk, in `bytes` if it has room. One growing buffer: an array of chunks would hold a
 * hundred times the body for a client that sends it byte by byte.
 */
const append = (bytes: Buffer, size: number, chunk: Buffer): Buffer => {
  if (size === 0) return chunk
  const needed = size + chunk.length
  const buffer = needed <= bytes.length ? bytes : Buffer.allocUnsafe(Math.min(2 * needed, MAX_BODY_BYTES))
  if (buffer !== bytes) bytes.copy(buffer, 0, 0, size)
  chunk.copy(buffer, size)
  return buffer
}

/**
 * Reads the whole body, at most `MAX_BODY_BYTES`. If the client disconnects first, it does not end: the server interrupts the
 * fiber then, and there is nothing to clean up.
 */
export const read = (request: IncomingMessage): Effect.Effect<Buffer, BodyTooLarge> =>
  Effect.async((resume) => {
    if (declaredLength(request) > MAX_BODY_BYTES) return resume(new BodyTooLarge())
    let bytes: Buffer = EMPTY
    let size = 0
    const onData = (chunk: Buffer) => {
      if (size + chunk.length <= MAX_BODY_BYTES) {
        bytes = append(bytes, size, chunk)
        size += chunk.length
        return
      }
      request.off("data", onData)
      request.resume()
      bytes = EMPTY
      resume(new BodyTooLarge())
    }
    request.on("data", onData)
    request.on("end", () => {
      resume(Effect.succeed(bytes.subarray(0, size)))
      // The request keeps its listeners until it is answered; do not let them keep the body.
      bytes = EMPTY
    })
  })
