/** The four tables of weights, and the buckets of a URL in each. */

import type { Buckets } from "./ModelTables/Buckets.ts"
import { addNGrams, type NGramLengths } from "./ModelTables/NGrams.ts"
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

export const urlLengths: NGramLengths = { min: 3, max: 5 }
export const hostLengths: NGramLengths = { min: 2, max: 5 }
export const pathLengths: NGramLengths = { min: 3, max: 5 }

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
