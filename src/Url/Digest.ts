import { hash } from "node:crypto"

/**
 * The first 64 bits of the SHA-256 of a text, as two unsigned 32-bit words. Lists contain digests of hosts and of paths: to
 * construct another text with a given digest takes some 2^64 hashes.
 */
export interface Digest {
  readonly high: number
  readonly low: number
}

const wordAt = (bytes: string, at: number): number =>
  ((bytes.charCodeAt(at) << 24) |
    (bytes.charCodeAt(at + 1) << 16) |
    (bytes.charCodeAt(at + 2) << 8) |
    bytes.charCodeAt(at + 3)) >>>
  0

const computed = (text: string): Digest => {
  const bytes = hash("sha256", text, "binary")
  return { high: wordAt(bytes, 0), low: wordAt(bytes, 4) }
}

/** Of the path `/`. */
export const ROOT = computed("/")

/** The digest of an ASCII text. */
export const digestOf = (text: string): Digest => (text === "/" ? ROOT : computed(text))

export const isRoot = ({ high, low }: Digest): boolean => high === ROOT.high && low === ROOT.low

/**
 * The index of the first digest that is not less than `digest`, from `from` to the one before `end`; `end` if there is none.
 * `digests` has the high and the low word of each in turn, in ascending order. Ends whatever the words are.
 */
export const search = (digests: Uint32Array, from: number, end: number, { high, low }: Digest): number => {
  const isLess = (at: number): boolean => {
    const other = digests[2 * at] ?? 0
    return other < high || (other === high && (digests[2 * at + 1] ?? 0) < low)
  }
  let first = from
  let last = end
  while (first < last) {
    const middle = (first + last) >>> 1
    if (isLess(middle)) first = middle + 1
    else last = middle
  }
  return first
}

/** Whether the digest at this index is there and is `digest`. */
export const isAt = (digests: Uint32Array, at: number, { high, low }: Digest): boolean =>
  digests[2 * at] === high && digests[2 * at + 1] === low
