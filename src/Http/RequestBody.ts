import type { IncomingMessage } from "node:http"
import { Data, Effect } from "effect"

/** Far above any URL that a browser takes, and small enough to hold for every open connection. */
export const MOST_BYTES = 64 * 1024

/**
 * - `TooLarge`: answer 413. Nothing beyond the limit was kept; node discards the rest of the body, and the server's
 *   request timeout ends a body that never does.
 * - `Aborted`: the client went away; nobody reads an answer.
 */
export class RequestBodyError extends Data.TaggedError("RequestBodyError")<{
  readonly reason: "TooLarge" | "Aborted"
}> {}

/** Suspended: every request closes in the end, and an error takes a stack, which is a tenth of a check. */
const aborted = Effect.suspend(() => new RequestBodyError({ reason: "Aborted" }))

const declaredLength = (request: IncomingMessage): number => Number(request.headers["content-length"] ?? 0)

const EMPTY = Buffer.alloc(0)

/**
 * The first `size` of `bytes` and the chunk, in `bytes` where there is room. A list of the chunks would do for most, and hold
 * a hundred times the body for a stranger who sends it byte by byte.
 */
const appended = (bytes: Buffer, size: number, chunk: Buffer): Buffer => {
  if (size === 0) return chunk
  const needed = size + chunk.length
  const roomy = needed <= bytes.length ? bytes : Buffer.allocUnsafe(Math.min(2 * needed, MOST_BYTES))
  if (roomy !== bytes) bytes.copy(roomy, 0, 0, size)
  chunk.copy(roomy, size)
  return roomy
}

/**
 * The whole body, at most `MOST_BYTES`. Read off the node request because the platform's own limit cuts the connection
 * where our contract wants an answer, and because building a stream costs more than all six checkers.
 */
export const read = (request: IncomingMessage): Effect.Effect<Buffer, RequestBodyError> =>
  Effect.async((resume) => {
    if (declaredLength(request) > MOST_BYTES)
      return resume(Effect.fail(new RequestBodyError({ reason: "TooLarge" })))
    let bytes: Buffer = EMPTY
    let size = 0
    const onData = (chunk: Buffer) => {
      if (size + chunk.length <= MOST_BYTES) {
        bytes = appended(bytes, size, chunk)
        size += chunk.length
        return
      }
      request.off("data", onData)
      request.resume()
      bytes = EMPTY
      resume(Effect.fail(new RequestBodyError({ reason: "TooLarge" })))
    }
    // The first that resumes counts, so that no listener has to be taken off. Without one for errors node tells only of the end.
    request.on("data", onData)
    request.on("end", () => {
      resume(Effect.succeed(bytes.subarray(0, size)))
      // The request keeps its listeners until it is answered.
      bytes = EMPTY
    })
    request.on("close", () => resume(aborted))
    // No finalizer: the reader is interrupted only when the client goes away, and the request goes with it.
  })
