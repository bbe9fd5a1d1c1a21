/** The four tables of weights, and the buckets of a URL in each. */

import { add, type Buckets, EMPTY_HASH, fold, mix } from "./ModelTables/Buckets.ts"
import * as Tokens from "./ModelTables/Tokens.ts"
import type { HostText, PathText } from "./ModelText.ts"

/** In the order of the weights file. */
export const tables = [
  { name: "url", bits: 19 },
  { name: "host", bits: 18 },
  { name: "path", bits: 17 },
  { name: "tokens", bits: 18 }
] as const

const maskOf = (table: 0 | 1 | 2 | 3): number => (1 << tables[table].bits) - 1

const URL_MASK = maskOf(0)
const HOST_MASK = maskOf(1)
const PATH_MASK = maskOf(2)
const TOKEN_MASK = maskOf(3)

/** The lengths of n-grams, in characters. */
export interface NGramLengths {
  readonly min: number
  readonly max: number
}

export const urlLengths: NGramLengths = { min: 3, max: 5 }
export const hostLengths: NGramLengths = { min: 2, max: 5 }
export const pathLengths: NGramLengths = { min: 3, max: 5 }

/** Marks both ends of a text, so that n-grams at the start and end differ from others. */
const EDGE = 1

/**
 * Adds the buckets of all n-grams of a text with its two edges, ordered by start and then by length. `isFolded`: letters
 * in lower case, every digit a zero.
 */
const addNGrams = (
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

/** Replaces the buckets by those of the n-grams of host, path and query. */
export const fillUrl = ({ host }: HostText, { text }: PathText, buckets: Buckets): void => {
  buckets.count = 0
  addNGrams(host + text, true, urlLengths, URL_MASK, buckets)
}

/** Replaces the buckets by those of the n-grams of the host, with digits as they are. */
export const fillHost = ({ host }: HostText, buckets: Buckets): void => {
  buckets.count = 0
  addNGrams(host, false, hostLengths, HOST_MASK, buckets)
}

/** Replaces the buckets by those of the n-grams of path and query. */
export const fillPath = ({ text }: PathText, buckets: Buckets): void => {
  buckets.count = 0
  addNGrams(text, true, pathLengths, PATH_MASK, buckets)
}

/** Replaces the buckets by those of the host's tokens. */
export const fillHostTokens = (host: HostText, buckets: Buckets): Tokens.HostHashes => {
  buckets.count = 0
  return Tokens.addHostTokens(host, TOKEN_MASK, buckets)
}

/** Replaces the buckets by those of the tokens of path and query. */
export const fillPathTokens = (path: PathText, host: Tokens.HostHashes, buckets: Buckets): void => {
  buckets.count = 0
  Tokens.addPathTokens(path, host, TOKEN_MASK, buckets)
}

const fillTokens = (host: HostText, path: PathText, buckets: Buckets): void => {
  const hashes = fillHostTokens(host, buckets)
  Tokens.addPathTokens(path, hashes, TOKEN_MASK, buckets)
}

/** For each table the function that fills in the buckets of a whole URL. */
export const fillers: ReadonlyArray<(host: HostText, path: PathText, buckets: Buckets) => void> = [
  fillUrl,
  (host, _, buckets) => fillHost(host, buckets),
  (_, path, buckets) => fillPath(path, buckets),
  fillTokens
]
