import { type HashKey, KeyedHash } from "./KeyedHash.ts"

/**
 * The 64-bit keys of a list's expressions: a keyed hash of the hash of the host (read backwards) and the hash of the path
 * with its query. So all suffixes of a host cost one pass over it, all directories of a path one pass over that, and each
 * pair of them the same few rounds.
 *
 * Each of the three hashes has a key of its own, so that no host collides with a path, and no text with a pair.
 */
export class ExpressionKeys {
  readonly hosts: KeyedHash
  readonly paths: KeyedHash
  /** Holds the key of the last pair. */
  readonly pairs: KeyedHash

  constructor(hashKey: HashKey) {
    const derive = new KeyedHash(hashKey)
    const derived = (use: number) => {
      derive.reset()
      derive.absorbWord(use)
      derive.digest()
      return new KeyedHash([derive.high, derive.low])
    }
    this.hosts = derived(0)
    this.paths = derived(1)
    this.pairs = derived(2)
  }

  /** Sets the hash of the host of the following calls of `pair`. */
  enterHost(high: number, low: number): void {
    const { pairs } = this
    pairs.reset()
    pairs.absorbWord(high)
    pairs.absorbWord(low)
  }

  /** Computes the key of the entered host with the path of this hash, into `pairs`. */
  pair(pathHigh: number, pathLow: number): void {
    this.pairs.digestWith(pathHigh, pathLow)
  }
}
