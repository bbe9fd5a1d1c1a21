import type { ExpressionHash } from "../ExpressionHash.ts"

/** Bytes of each hash of a list: the whole SHA-256, or its beginning. */
export type HashWidth = 4 | 8 | 16 | 32

/** Distinct hashes, or beginnings of hashes, of one width: big-endian, ascending, without separators. */
export interface HashList {
  readonly width: HashWidth
  readonly bytes: Uint8Array
}

export const empty = (width: HashWidth): HashList => ({ width, bytes: new Uint8Array() })

/** The number of entries. */
export const size = ({ bytes, width }: HashList): number => bytes.length / width

const HEAD_DIGITS = 8
const HEAD_BYTES = 4

/**
 * Whether the list has the hash, or its beginning of the list's width.
 *
 * `contains({ width: 4, bytes: Uint8Array.of(0xaf, 0x30, 0x01, 0x0e) }, ofExpression("foo.com/"))` is true.
 */
export const contains = ({ bytes, width }: HashList, hash: ExpressionHash): boolean => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const head = Number.parseInt(hash.slice(0, HEAD_DIGITS), 16)
  let low = 0
  let high = bytes.length / width
  while (low < high) {
    const middle = (low + high) >>> 1
    if (view.getUint32(middle * width) < head) low = middle + 1
    else high = middle
  }
  for (let at = low * width; at < bytes.length && view.getUint32(at) === head; at += width)
    if (
      width === HEAD_BYTES ||
      Buffer.from(bytes.buffer, bytes.byteOffset + at, width).toString("hex") === hash.slice(0, 2 * width)
    )
      return true
  return false
}
