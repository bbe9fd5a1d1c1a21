/** Pieces of text as places in a table of weights. Different pieces may share a place. */

/** The places of one text in one table; `count` of them, the rest of `at` is left from others. */
export interface Places {
  count: number
  readonly at: Uint32Array
}

/** More than the longest text has of n-grams and tokens. */
const MOST_PLACES = 2048

export const places = (): Places => ({ count: 0, at: new Uint32Array(MOST_PLACES) })

/** One more place; `mask` is the size of the table less one. */
export const put = (places: Places, hash: number, mask: number): void => {
  if (places.count < MOST_PLACES) places.at[places.count++] = (hash ^ (hash >>> 13)) & mask
}

const MULTIPLIER = 0x5bd1e995
/** The hash of nothing. */
export const START = 0x2545f491

/** The hash of one character more. */
export const mix = (hash: number, code: number): number => {
  const mixed = Math.imul(hash ^ code, MULTIPLIER)
  return mixed ^ (mixed >>> 15)
}

const DIGIT = 48
export const isDigit = (code: number): boolean => code >= 48 && code <= 57
export const isUpper = (code: number): boolean => code >= 65 && code <= 90
export const isLower = (code: number): boolean => code >= 97 && code <= 122

/** Lower case, every digit a zero: which digits they are says nothing that generalizes. */
export const folded = (code: number): number => (isUpper(code) ? code + 32 : isDigit(code) ? DIGIT : code)
