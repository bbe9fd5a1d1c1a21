import { type HashKey, KeyedHash } from "./KeyedHash.ts"

/**
 * The 64-bit keys under which a list holds its expressions: of an expression's host (read backwards) and its path (with the
 * query, if there is one) each a keyed hash, and of the two hashes another. So all suffixes of a host cost one reading of
 * it, all directories of a path one reading of that, and each of their pairs the same few rounds, however long they are.
 *
 * The three are hashed under keys of their own, so that no host can stand for a path, and no text for a pair.
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

  /** The hash of the host of all calls of `pair` from now on. */
  enterHost(high: number, low: number): void {
    const { pairs } = this
    pairs.reset()
    pairs.absorbWord(high)
    pairs.absorbWord(low)
  }

  /** Leaves the key of the expression of the host entered and the path of this hash in `pairs`. */
  pair(pathHigh: number, pathLow: number): void {
    this.pairs.digestWith(pathHigh, pathLow)
  }
}
