import type { StoredBody } from "../SharedStore.ts"

/**
 * 350 KB in base64, one request each. Upstash refuses requests of 10 MB in its smallest plans
 * (https://upstash.com/docs/redis/troubleshooting/max_request_size_exceeded), and writing large JSON blocks the thread.
 */
export const MAX_PIECE_BYTES = 262_144

export const key = (name: string, id: string, index: number) => `shared:${name}:${id}:${index}`

/** The keys of a body's pieces, in order. */
export const keys = (name: string, { id, bytes, pieceBytes }: StoredBody): Array<string> =>
  Array.from({ length: Math.ceil(bytes / pieceBytes) }, (_, index) => key(name, id, index))

/** The same bytes in pieces of `MAX_PIECE_BYTES`; the last may be shorter. */
export function* split(bytes: Iterable<Uint8Array>): Generator<Buffer> {
  let piece = Buffer.alloc(MAX_PIECE_BYTES)
  let filled = 0
  for (const chunk of bytes)
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + MAX_PIECE_BYTES - filled)
      piece.set(part, filled)
      filled += part.length
      at += part.length
      if (filled < MAX_PIECE_BYTES) continue
      yield piece
      piece = Buffer.alloc(MAX_PIECE_BYTES)
      filled = 0
    }
  if (filled > 0) yield piece.subarray(0, filled)
}
