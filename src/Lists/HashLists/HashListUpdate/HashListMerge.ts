import { Either } from "effect"
import type { HashList } from "../HashList.ts"

const INDEX_BYTES = 4

/** The number of entries before the first that is not below `hash`, of which none is before entry `from`. */
const entriesBelow = ({ bytes, width }: HashList, hash: Uint8Array, from: number): number => {
  let low = from
  let high = bytes.length / width
  while (low < high) {
    const middle = (low + high) >>> 1
    if (Buffer.compare(bytes.subarray(middle * width, (middle + 1) * width), hash) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * The list without the entries at some indices and with additions, as a new array. Indices (of four bytes) and additions are
 * big-endian and ascending, without separators or repetitions. Fails with `RemovalIndex` for an index that the list does not
 * have, and with `AdditionExists` for an addition that it has, even when that entry is removed.
 */
export const merge = (
  list: HashList,
  removals: Uint8Array,
  additions: Uint8Array
): Either.Either<Uint8Array, "RemovalIndex" | "AdditionExists"> => {
  const { bytes, width } = list
  if (bytes.length === 0 && removals.length === 0) return Either.right(additions)
  const entries = bytes.length / width
  const removed = removals.length / INDEX_BYTES
  const indices = new DataView(removals.buffer, removals.byteOffset, removals.length)
  const indexAt = (removal: number) => indices.getUint32(removal * INDEX_BYTES)
  if (removed > entries || (removed > 0 && indexAt(removed - 1) >= entries))
    return Either.left("RemovalIndex")

  const merged = new Uint8Array(new SharedArrayBuffer((entries - removed) * width + additions.length))
  let end = 0
  const append = (part: Uint8Array) => {
    merged.set(part, end)
    end += part.length
  }
  let next = 0
  let removal = 0
  /** Appends the entries from `next` up to `index`, without the removed ones. */
  const keepTo = (index: number) => {
    for (; removal < removed && indexAt(removal) < index; removal++) {
      append(bytes.subarray(next * width, indexAt(removal) * width))
      next = indexAt(removal) + 1
    }
    append(bytes.subarray(next * width, index * width))
    next = index
  }
  for (let at = 0; at < additions.length; at += width) {
    const addition = additions.subarray(at, at + width)
    const index = entriesBelow(list, addition, next)
    if (index < entries && Buffer.compare(bytes.subarray(index * width, (index + 1) * width), addition) === 0)
      return Either.left("AdditionExists")
    keepTo(index)
    append(addition)
  }
  keepTo(entries)
  return Either.right(merged)
}
