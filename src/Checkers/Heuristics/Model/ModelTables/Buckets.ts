/**
 * Feature hashing: every piece of a text is hashed to a bucket, an index into a table of weights. Different pieces may
 * share a bucket.
 */

/** The buckets of one text in one table. Scratch memory: every filling overwrites it. */
export interface Buckets {
  count: number
  /** Valid up to `count`. */
  readonly indices: Uint32Array
  /** Character codes of the text whose n-grams are being hashed. */
  readonly codes: Uint8Array
}

/** More than the n-grams and tokens of the longest text. */
const MAX_BUCKETS = 2048
/** More than the longest text with its two edges. */
const MAX_CODES = 512

export const make = (): Buckets => ({
  count: 0,
  indices: new Uint32Array(MAX_BUCKETS),
  codes: new Uint8Array(MAX_CODES)
})

/** Adds the bucket of a hash; `mask` is the size of the table minus one. */
export const add = (buckets: Buckets, hash: number, mask: number): void => {
  if (buckets.count < MAX_BUCKETS) buckets.indices[buckets.count++] = (hash ^ (hash >>> 13)) & mask
}

const MULTIPLIER = 0x5bd1e995
export const EMPTY_HASH = 0x2545f491

/** Extends a hash by one character. */
export const mix = (hash: number, code: number): number => {
  const mixed = Math.imul(hash ^ code, MULTIPLIER)
  return mixed ^ (mixed >>> 15)
}

const ZERO = 48
export const isDigit = (code: number): boolean => code >= 48 && code <= 57
export const isUpper = (code: number): boolean => code >= 65 && code <= 90
export const isLower = (code: number): boolean => code >= 97 && code <= 122

/** The code in lower case, every digit as a zero: the value of a digit does not generalize. */
export const fold = (code: number): number => (isUpper(code) ? code + 32 : isDigit(code) ? ZERO : code)
