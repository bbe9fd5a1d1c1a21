import { ListFailure, ofTransport } from "./ListFailure.ts"

/** The most that a document may hold after decompression, and in any compressed form of it. */
const LARGEST_BODY = 268_435_456

/** Throws nothing but `ListFailure`. */
export type FeedBody = AsyncIterable<Uint8Array>

/** Fails when there is more of it than a document may hold. */
export async function* capped(body: FeedBody): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const piece of body) {
    total += piece.length
    if (total > LARGEST_BODY) throw new ListFailure("TooLarge")
    yield piece
  }
}

/** Fails when it ends earlier or later than its server announced. */
async function* ofLength(body: FeedBody, announced: number): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const piece of body) {
    total += piece.length
    yield piece
  }
  if (total !== announced) throw new ListFailure("Corrupt", "not of the announced length")
}

/** The beginning of a count that another thread may look at while it grows: how many pieces have come. */
export const nothingHeard = (): Int32Array =>
  new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

/** Stands in the place of the count when there is no more to come. */
export const ALL_HEARD = -1

async function* counted(body: AsyncIterable<Uint8Array>, heard: Int32Array): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of body) {
      Atomics.add(heard, 0, 1)
      yield piece
    }
    Atomics.store(heard, 0, ALL_HEARD)
  } catch (error) {
    throw ofTransport(error)
  }
}

/**
 * An answer's body as it is sent, never larger than 256 MiB; it fails when it is not of the announced length, and as the
 * connection does. Its pieces are counted in `heard`.
 */
export const receive = (
  body: AsyncIterable<Uint8Array>,
  announced: string | undefined,
  heard: Int32Array
): FeedBody => {
  const all = counted(body, heard)
  return capped(announced === undefined ? all : ofLength(all, Number(announced)))
}
