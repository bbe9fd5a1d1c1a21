import { createHash } from "node:crypto"
import { ListError } from "../ListError.ts"
import type { EarlierList, UpdatedList } from "../ListWorker/Messages.ts"
import * as HashList from "./HashList.ts"
import type { HashListMessage } from "./HashListMessage.ts"
import * as RiceCoding from "./RiceCoding.ts"

/** In hexadecimal. */
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

const INDEX_BYTES = 4

/** The number of entries before the first that is not below `hash`, of which none is before entry `from`. */
const entriesBelow = ({ bytes, width }: HashList.HashList, hash: Uint8Array, from: number): number => {
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
 * big-endian and ascending, without separators or repetitions. Throws `brokenChange` for an index that the list does not
 * have.
 */
const merge = (list: HashList.HashList, removals: Uint8Array, additions: Uint8Array): Uint8Array => {
  const { bytes, width } = list
  if (bytes.length === 0 && removals.length === 0) return additions
  const entries = bytes.length / width
  const removed = removals.length / INDEX_BYTES
  const indices = new DataView(removals.buffer, removals.byteOffset, removals.length)
  const indexAt = (removal: number) => indices.getUint32(removal * INDEX_BYTES)
  if (removed > entries || (removed > 0 && indexAt(removed - 1) >= entries)) throw RiceCoding.brokenChange()

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
    keepTo(entriesBelow(list, addition, next))
    append(addition)
  }
  keepTo(entries)
  return merged
}

/**
 * Applies a message to the list of its name, by the rules of
 * https://developers.google.com/safe-browsing/reference/Local.Database: removals by their index in the earlier list, then
 * additions, then the checksum of the whole. The earlier list's bytes are not modified.
 *
 * A partial update needs an earlier list whose version was sent. A full one replaces the list; without additions it is
 * empty. Without a checksum nothing may have changed. Throws a `ListError`.
 */
export const apply = (
  { additions, checksum, isPartial, name, removals, version, waitMillis }: HashListMessage,
  list: Pick<EarlierList, "version" | "bytes">,
  maxEntries: number
): UpdatedList => {
  const width = HashList.widthOf(name)
  const earlier = list.version === undefined ? undefined : list.bytes
  const isWidthRight = additions === undefined || additions.width === width
  if (!isWidthRight || (isPartial && earlier === undefined)) throw RiceCoding.brokenChange()
  const isChanged = !isPartial || additions !== undefined || removals !== undefined
  if (isChanged && version === "") throw new ListError("Malformed", "no version")
  const decoded = (coded: RiceCoding.RiceCoded | undefined) =>
    coded === undefined ? new Uint8Array() : RiceCoding.decode(coded, maxEntries)
  const base = isPartial && earlier !== undefined ? earlier : new Uint8Array()
  const bytes = isChanged ? merge({ width, bytes: base }, decoded(removals), decoded(additions)) : base
  if (bytes.length / width > maxEntries) throw new ListError("TooLarge", "more entries than a list may have")
  if (sha256(bytes) !== (checksum ?? (earlier && sha256(earlier)))) throw new ListError("ChecksumMismatch")
  return {
    name,
    bytes: isChanged ? bytes : undefined,
    version: version === "" ? (list.version ?? "") : version,
    waitMillis
  }
}
