import { add, type Buckets, EMPTY_HASH, fold, mix } from "./Buckets.ts"

/** The lengths of n-grams, in characters. */
export interface NGramLengths {
  readonly min: number
  readonly max: number
}

/** Marks both ends of a text, so that n-grams at the start and end differ from others. */
const EDGE = 1

/**
 * Adds the buckets of all n-grams of a text with its two edges, ordered by start and then by length. `isFolded`: letters
 * in lower case, every digit a zero.
 */
export const addNGrams = (
  text: string,
  isFolded: boolean,
  { min, max }: NGramLengths,
  mask: number,
  buckets: Buckets
): void => {
  const { codes } = buckets
  const end = text.length + 2
  codes[0] = EDGE
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    codes[index + 1] = isFolded ? fold(code) : code
  }
  codes[end - 1] = EDGE
  for (let start = 0; start + min <= end; start++) {
    let hash = EMPTY_HASH
    const stop = Math.min(end, start + max)
    for (let at = start; at < stop; at++) {
      hash = mix(hash, codes[at] ?? 0)
      if (at - start + 1 >= min) add(buckets, hash, mask)
    }
  }
}
