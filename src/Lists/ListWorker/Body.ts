import * as ConnectionError from "./ConnectionError.ts"
import { ThrownListError } from "./ThrownListError.ts"

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
    const next = chunks.next().catch((error) => Promise.reject(ConnectionError.fromConnection(error)))
    const { done, value } = await ConnectionError.orTimeout(
      next,
      timeoutMs,
      `no byte for ${timeoutMs / 1000} seconds`
    )
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
