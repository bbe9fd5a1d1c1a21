import { errorCodeOf } from "../../Layers/ErrorCode.ts"
import * as HttpRequest from "../../Layers/Outbound/HttpRequest.ts"
import * as PublicAddress from "../PublicAddress.ts"
import { ThrownListError } from "./ThrownListError.ts"

/** Converts an error of a connection. Only its code stays: the message may hold the address, and the address a key. */
export const fromConnection = (cause: unknown): ThrownListError => {
  const code = errorCodeOf(cause) ?? "no connection"
  if (code === PublicAddress.NOT_PUBLIC) return new ThrownListError("ForbiddenRedirect", code)
  return new ThrownListError(code === HttpRequest.CONNECT_TIMED_OUT ? "Timeout" : "Unreachable", code)
}

/** Rejects with `Timeout` when the promise has not settled after so many milliseconds. */
export const orTimeout = async <A>(promise: Promise<A>, timeoutMs: number, detail: string): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ThrownListError("Timeout", detail)), timeoutMs)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Throws only `ThrownListError`. */
export type Body = AsyncIterable<Uint8Array>

/** Fails with `TooLarge` after more bytes than that. */
export async function* limitSize(body: Body, maxBytes: number): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const chunk of body) {
    total += chunk.length
    if (total > maxBytes) throw new ThrownListError("TooLarge")
    yield chunk
  }
}

/** Fails with `Corrupt` when the body is longer or shorter than its Content-Length. */
async function* checkLength(body: Body, contentLength: number): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const chunk of body) {
    total += chunk.length
    yield chunk
  }
  if (total !== contentLength) throw new ThrownListError("Corrupt", "not of the announced length")
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

/** The bytes of a response as they are sent, with idle timeout, size limit and check of the length. */
export const receive = (
  body: AsyncIterable<Uint8Array>,
  contentLength: string | undefined,
  { idleTimeoutMs, maxBodyBytes }: { readonly idleTimeoutMs: number; readonly maxBodyBytes: number }
): Body => {
  const received = limitIdle(body, idleTimeoutMs)
  return limitSize(
    contentLength === undefined ? received : checkLength(received, Number(contentLength)),
    maxBodyBytes
  )
}
