import { folded, mix, type Places, put, START } from "./Buckets.ts"

/** The lengths of n-grams, in characters. */
export interface Lengths {
  readonly shortest: number
  readonly longest: number
}

/** Begins and ends a text, so that n-grams know where they stand. */
const EDGE = 1

/** Scratch space, for the longest host and rest with their edges. */
const codes = new Uint8Array(512)

/**
 * Adds the places of all n-grams of a text with its two edges, by where they begin and then by length. `fold`: letters in
 * lower case, every digit a zero.
 */
export const putAll = (
  text: string,
  fold: boolean,
  { shortest, longest }: Lengths,
  mask: number,
  places: Places
): void => {
  const end = text.length + 2
  codes[0] = EDGE
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    codes[index + 1] = fold ? folded(code) : code
  }
  codes[end - 1] = EDGE
  for (let start = 0; start + shortest <= end; start++) {
    let hash = START
    const stop = Math.min(end, start + longest)
    for (let at = start; at < stop; at++) {
      hash = mix(hash, codes[at] ?? 0)
      if (at - start + 1 >= shortest) put(places, hash, mask)
    }
  }
}
