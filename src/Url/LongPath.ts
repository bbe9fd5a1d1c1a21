/**
 * Replaces a long path by its SHA-256 before lists hash it. Each list has a keyed hash of its own, in JavaScript, which is slow
 * for 64 KiB; SHA-256 is native, and computed once for all lists. The builder of a list and a lookup must both use it.
 */

import { createHash } from "node:crypto"

/** The maximum of a path with its query that lists hash as it is. The longest in half a million URLs of public feeds has 2,600. */
export const MAX_BYTES = 8192

const DIGEST_BYTES = 32

/** The first byte of a digest. A path begins with `/`, so none is taken for a digest. */
const DIGEST_MARK = 0

/** Returns the digests of the paths from `start` to each of `ends`, which ascend. Each path is longer than `MAX_BYTES`. */
export const digests = (
  bytes: Uint8Array,
  start: number,
  ends: ReadonlyArray<number>
): ReadonlyArray<Uint8Array> => {
  const hash = createHash("sha256")
  let hashed = start
  return ends.map((end) => {
    hash.update(bytes.subarray(hashed, end))
    hashed = end
    const digest = new Uint8Array(1 + DIGEST_BYTES)
    digest[0] = DIGEST_MARK
    digest.set(hash.copy().digest(), 1)
    return digest
  })
}
