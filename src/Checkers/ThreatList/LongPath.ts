/**
 * What lists hash in place of a long path: its SHA-256, which is native and computed once for all lists. The keyed hash of a
 * list needs some milliseconds for the longest path of a request.
 *
 * A list and a lookup must agree on it. `MAX_BYTES` is several times the longest URL in public feeds, so a list that was built
 * without this rule has no entry that it concerns, and the version of lists did not change with it.
 */

import { createHash } from "node:crypto"

/** Of a path with its query, in canonical form. The longest of half a million URLs of eight public feeds has 2,600. */
export const MAX_BYTES = 8192

const DIGEST_BYTES = 32

/** No path begins with it. */
const MARK = 0

/**
 * Returns what is hashed in place of each of the paths that begin at `start` and end at `ends`, which ascend. Each is longer
 * than `MAX_BYTES`.
 */
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
    digest[0] = MARK
    digest.set(hash.copy().digest(), 1)
    return digest
  })
}
