import type { IncomingMessage } from "node:http"
import { Data, Effect } from "effect"
import type { LargeBodies } from "./RequestBody/LargeBodies.ts"

/** Far above any URL that a browser takes, and small enough to buffer for every open connection. */
export const MAX_BODY_BYTES = 64 * 1024

/** The body is larger than its maximum: respond 413. Node discards the rest of it. */
export class BodyTooLarge extends Data.TaggedError("BodyTooLarge") {}

/** There are too many large bodies at once: respond 503. Node discards the rest of it. */
export class BodyDropped extends Data.TaggedError("BodyDropped") {}

const declaredLength = (request: IncomingMessage): number => Number(request.headers["content-length"] ?? 0)

const EMPTY = Buffer.alloc(0)

/**
 * The first `size` of `bytes` and the chunk, in `bytes` if it has room. One growing buffer: an array of chunks would hold a
 * hundred times the body for a client that sends it byte by byte.
 */
const append = (bytes: Buffer, size: number, chunk: Buffer, maxBytes: number): Buffer => {
  if (size === 0) return chunk
  const needed = size + chunk.length
  const buffer = needed <= bytes.length ? bytes : Buffer.allocUnsafe(Math.min(2 * needed, maxBytes))
  if (buffer !== bytes) bytes.copy(buffer, 0, 0, size)
  chunk.copy(buffer, size)
  return buffer
}

/** `onLarge` is called once, when the body is larger than `MAX_BODY_BYTES`, and returns what to call at its end. */
const reading = <E>(
  request: IncomingMessage,
  maxBytes: number,
  onLarge: (fail: (error: E) => void) => () => void
): Effect.Effect<Buffer, BodyTooLarge | E> =>
  Effect.async((resume) => {
    if (declaredLength(request) > maxBytes) return resume(new BodyTooLarge())
    let bytes: Buffer = EMPTY
    let size = 0
    let leave: (() => void) | undefined
    const fail = (error: BodyTooLarge | E) => {
      request.off("data", onData)
      request.off("end", onEnd)
      request.resume()
      bytes = EMPTY
      leave?.()
      resume(Effect.fail(error))
    }
    const onData = (chunk: Buffer) => {
      if (size + chunk.length > maxBytes) return fail(new BodyTooLarge())
      bytes = append(bytes, size, chunk, maxBytes)
      size += chunk.length
      if (size > MAX_BODY_BYTES) leave ??= onLarge(fail)
    }
    const onEnd = () => {
      leave?.()
      resume(Effect.succeed(bytes.subarray(0, size)))
      // The request keeps its listeners until it is answered; do not let them keep the body.
      bytes = EMPTY
    }
    request.on("data", onData)
    request.on("end", onEnd)
    return Effect.sync(() => leave?.())
  })

const neverLarge = () => () => undefined

/**
 * Reads the whole body, at most `MAX_BODY_BYTES`. If the client disconnects first, it does not end: the server interrupts the
 * fiber then, and there is nothing to clean up.
 */
export const read = (request: IncomingMessage): Effect.Effect<Buffer, BodyTooLarge> =>
  reading<never>(request, MAX_BODY_BYTES, neverLarge)

/** As `read`, for bodies of up to `maxBytes`, more than `MAX_BODY_BYTES`. */
export const readLarge = (
  request: IncomingMessage,
  maxBytes: number,
  largeBodies: LargeBodies
): Effect.Effect<Buffer, BodyTooLarge | BodyDropped> =>
  reading<BodyDropped>(request, maxBytes, (fail) => largeBodies.enter(() => fail(new BodyDropped())))
