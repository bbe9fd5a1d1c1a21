import { isUtf8 } from "node:buffer"
import type { IncomingHttpHeaders } from "node:http"
import { Effect, Option } from "effect"
import type { Exchange } from "../../Layers/Server.ts"
import { type Refusal, refusal } from "../Response.ts"

/** Whether the body is not compressed. An empty header means `identity`. */
const isIdentity = ({ "content-encoding": encoding }: IncomingHttpHeaders): boolean =>
  encoding === undefined || /^(?:[ \t]*identity[ \t]*(?:,|$))*$/i.test(encoding)

export const isJson = ({ "content-type": type = "" }: IncomingHttpHeaders): boolean =>
  /^application\/json[ \t]*(?:;|$)/i.test(type)

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

/**
 * Reads the whole body, not compressed and of at most `maxBytes`; node discards the rest of a larger one. If the client
 * disconnects first, it does not end: the server interrupts the fiber then. What has arrived is kept until the fiber ends.
 * `onBytes` gets the length of each chunk.
 */
export const read = (
  { request, writeContinue }: Exchange,
  maxBytes: number,
  onBytes: (bytes: number) => void = () => undefined
): Effect.Effect<Buffer, Refusal> =>
  Effect.withFiberRuntime((fiber) => {
    if (!isIdentity(request.headers)) return refusal("UnsupportedEncoding")
    if (Number(request.headers["content-length"] ?? 0) > maxBytes) return refusal("BodyTooLarge", maxBytes)
    return Effect.async((resume) => {
      let bytes: Buffer = EMPTY
      let size = 0
      const stop = () => {
        bytes = EMPTY
        request.off("data", onData)
        request.off("end", onEnd)
      }
      const onData = (chunk: Buffer) => {
        if (size + chunk.length > maxBytes) {
          stop()
          return resume(refusal("BodyTooLarge", maxBytes))
        }
        bytes = append(bytes, size, chunk, maxBytes)
        size += chunk.length
        onBytes(chunk.length)
      }
      const onEnd = () => {
        resume(Effect.succeed(bytes.subarray(0, size)))
        stop()
      }
      request.on("data", onData)
      request.on("end", onEnd)
      // In place of a finalizer of the async effect, which would be eight more steps of Effect's loop.
      fiber.addObserver(stop)
      writeContinue()
    })
  })

const BYTE_ORDER_MARK = "\ufeff"

const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** The value of a JSON body; undefined if its media type, encoding or syntax is not JSON's. */
export const parse = (headers: IncomingHttpHeaders, body: Buffer): unknown => {
  if (!isJson(headers) || !isUtf8(body)) return undefined
  const text = body.toString("utf8")
  return Option.getOrUndefined(parseJson(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text))
}
