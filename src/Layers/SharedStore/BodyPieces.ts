import type { Body } from "../SharedStore.ts"

/**
 * In base64, 350 KB in one request of its own: Upstash refuses requests from 10 MB on in its smallest plans
 * (https://upstash.com/docs/redis/troubleshooting/max_request_size_exceeded), other front ends may earlier, and making
 * JSON of more would hold the thread that answers requests.
 */
export const PIECE_BYTES = 262_144

export const key = (name: string, version: string, index: number) => `shared:${name}:${version}:${index}`

/** Where a body's pieces lie, in order. */
export const keys = (name: string, { version, bytes, pieceBytes }: Body): Array<string> =>
  Array.from({ length: Math.ceil(bytes / pieceBytes) }, (_, index) => key(name, version, index))

/** The same bytes in pieces of one length, but for the last. */
export function* of(bytes: Iterator<Uint8Array>): Generator<Buffer> {
  let piece = Buffer.alloc(PIECE_BYTES)
  let filled = 0
  for (let next = bytes.next(); next.done !== true; next = bytes.next())
    for (let at = 0; at < next.value.length; ) {
      const part = next.value.subarray(at, at + PIECE_BYTES - filled)
      piece.set(part, filled)
      filled += part.length
      at += part.length
      if (filled < PIECE_BYTES) continue
      yield piece
      piece = Buffer.alloc(PIECE_BYTES)
      filled = 0
    }
  if (filled > 0) yield piece.subarray(0, filled)
}
