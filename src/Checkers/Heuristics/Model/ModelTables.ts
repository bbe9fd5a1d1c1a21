/**
 * Feature hashing: every piece of a URL's text is hashed to a bucket, an index into a table of weights. Different pieces may share
 * a bucket. Three tables have n-grams of characters, the fourth tokens: words, pairs of words, labels, segments, query keys, and
 * the shapes of these parts.
 */

import type { HostText, PathText } from "./ModelText.ts"

/** In the order of the weights file. */
export const tables = [
  { name: "url", bits: 19 },
  { name: "host", bits: 18 },
  { name: "path", bits: 17 },
  { name: "tokens", bits: 18 }
] as const

/** More than the n-grams and tokens of the longest text. */
const MAX_BUCKETS = 2048

/**
 * The buckets of one text in one table, which begin this array; a piece that occurs twice is there twice. Each of `ofUrl`,
 * `ofHost`, `ofPath` and `tokensOf` writes them and returns how many there are. A new array for each text doubles the time of the
 * model.
 */
export const buckets = new Uint32Array(MAX_BUCKETS)
let count = 0

/** The bucket of a hash; `mask` is the size of the table minus one. */
const bucketOf = (hash: number, mask: number): number => (hash ^ (hash >>> 13)) & mask

const maskOf = (table: 0 | 1 | 2 | 3): number => (1 << tables[table].bits) - 1

const URL_MASK = maskOf(0)
const HOST_MASK = maskOf(1)
const PATH_MASK = maskOf(2)
const TOKEN_MASK = maskOf(3)

const EMPTY_HASH = 0x2545f491

/** Extends a hash by one character, or by another hash. */
const mix = (hash: number, code: number): number => {
  const mixed = Math.imul(hash ^ code, 0x5bd1e995)
  return mixed ^ (mixed >>> 15)
}

const ZERO = 48
const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isUpper = (code: number): boolean => code >= 65 && code <= 90
const isLower = (code: number): boolean => code >= 97 && code <= 122
const isWordCode = (code: number): boolean => isLower(code) || isUpper(code) || isDigit(code)

/** The code in lower case, every digit as a zero: the value of a digit does not generalize. */
const fold = (code: number): number => (isUpper(code) ? code + 32 : isDigit(code) ? ZERO : code)

/** The lengths of n-grams, in characters. */
interface NGramLengths {
  readonly min: 2 | 3
  readonly max: number
}

export const urlLengths: NGramLengths = { min: 3, max: 5 }
const hostLengths: NGramLengths = { min: 2, max: 5 }
const pathLengths: NGramLengths = { min: 3, max: 5 }

/** Marks both ends of a text, so that n-grams at the start and end differ from others. */
const EDGE = 1

/** More than the longest text with its two edges. */
const codes = new Uint8Array(512)

/**
 * All n-grams of a text with its two edges, ordered by start and then by length. `isFolded`: letters in lower case, every digit a
 * zero.
 */
const nGrams = (text: string, isFolded: boolean, { min, max }: NGramLengths, mask: number): number => {
  const read = codes
  const written = buckets
  const end = text.length + 2
  read[0] = EDGE
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    read[at + 1] = isFolded ? fold(code) : code
  }
  read[end - 1] = EDGE
  let found = 0
  for (let start = 0; start + min <= end; start++) {
    let hash = mix(mix(EMPTY_HASH, read[start] ?? 0), read[start + 1] ?? 0)
    if (min === 2) written[found++] = bucketOf(hash, mask)
    const stop = Math.min(end, start + max)
    for (let at = start + 2; at < stop; at++) {
      hash = mix(hash, read[at] ?? 0)
      written[found++] = bucketOf(hash, mask)
    }
  }
  return found
}

/** The n-grams of host, path and query. */
export const ofUrl = ({ host }: HostText, { text }: PathText): number =>
  nGrams(host + text, true, urlLengths, URL_MASK)

/** The n-grams of the host, with digits as they are. */
export const ofHost = ({ host }: HostText): number => nGrams(host, false, hostLengths, HOST_MASK)

/** The n-grams of path and query. */
export const ofPath = ({ text }: PathText): number => nGrams(text, true, pathLengths, PATH_MASK)

/** Seeds of the tokens' hashes, so that `login` in a host and in a path are two tokens. */
const seeds = {
  anywhere: 0x11,
  hostWord: 0x22,
  nameWord: 0x33,
  suffix: 0x44,
  label: 0x55,
  hostShape: 0x66,
  hostPair: 0x77,
  pathWord: 0x88,
  segment: 0x99,
  pathPair: 0xaa,
  pathShape: 0xbb,
  wholeShape: 0xcc,
  extension: 0xdd,
  queryKey: 0xee,
  suffixAndDepth: 0xff,
  suffixAndSegment: 0x111,
  nameShape: 0x122,
  segmentShape: 0x133,
  lastSegment: 0x144,
  nameAndSuffix: 0x155
} as const

const addToken = (hash: number): void => {
  if (count < MAX_BUCKETS) buckets[count++] = bucketOf(hash, TOKEN_MASK)
}

/** The hash of an empty token. */
const start = (seed: number): number => mix(EMPTY_HASH, seed)

/** The hash of a part of a text as one token. */
const hashOf = (seed: number, text: string, from: number, to: number): number => {
  let hash = start(seed)
  for (let at = from; at < to; at++) hash = mix(hash, fold(text.charCodeAt(at)))
  return hash
}

/** Few classes of lengths, so that similar shapes have the same hash. */
const lengthClass = (length: number): number =>
  length < 9 ? length : length < 13 ? 9 : length < 21 ? 10 : length < 37 ? 11 : 12

const LETTERS = 200
const UPPER_LETTERS = 201
const DIGITS = 202
const MIXED = 203

const shapeCode = (letters: number, uppers: number, digits: number): number => {
  if (digits === 0) return uppers === 0 ? LETTERS : UPPER_LETTERS
  return letters === 0 ? DIGITS : MIXED
}

/** The hash of a shape: runs of letters and digits by type and length, other characters as they are. */
const shapeOf = (seed: number, text: string, from: number, to: number, withLengths = true): number => {
  let hash = start(seed)
  for (let at = from; at < to; ) {
    let uppers = 0
    let digits = 0
    let end = at
    for (; end < to; end++) {
      const code = text.charCodeAt(end)
      if (isDigit(code)) digits++
      else if (isUpper(code)) uppers++
      else if (!isLower(code)) break
    }
    if (end === at) hash = mix(hash, text.charCodeAt(at++))
    else {
      hash = mix(hash, shapeCode(end - at - digits, uppers, digits))
      if (withLengths) hash = mix(hash, lengthClass(end - at))
      at = end
    }
  }
  return hash
}

/** Adds each word for this part of the URL and for any part, and pairs of words. `login2024` is two words. */
const addWords = (text: string, from: number, to: number, seed: number, pairSeed: number): void => {
  let previous = start(pairSeed)
  for (let at = from; at < to; ) {
    const areDigits = isDigit(text.charCodeAt(at))
    let word = start(seed)
    let anywhere = start(seeds.anywhere)
    let end = at
    for (; end < to; end++) {
      const code = text.charCodeAt(end)
      if (!isWordCode(code) || isDigit(code) !== areDigits) break
      word = mix(word, fold(code))
      anywhere = mix(anywhere, fold(code))
    }
    if (end === at) {
      at++
      continue
    }
    addToken(word)
    if (!areDigits) addToken(anywhere)
    addToken(mix(previous, word))
    previous = mix(start(pairSeed), word)
    at = end
  }
}

const SLASH = 47

/** Deeper segments and paths have the same token as these. */
const MAX_SEGMENT_DEPTH = 5
const MAX_PATH_DEPTH = 6

/** Hashes of a host that tokens of the path are paired with. */
interface HostHashes {
  readonly suffix: number
  readonly nameShape: number
}

const addHost = ({ chosen, suffix }: HostText): HostHashes => {
  const suffixHash = hashOf(seeds.suffix, suffix, 0, suffix.length)
  addToken(suffixHash)
  const nameStart = chosen.lastIndexOf(".") + 1
  addWords(chosen, 0, nameStart, seeds.hostWord, seeds.hostPair)
  addWords(chosen, nameStart, chosen.length, seeds.nameWord, seeds.hostPair)
  for (let from = 0; from <= chosen.length; ) {
    const dot = chosen.indexOf(".", from)
    const end = dot === -1 ? chosen.length : dot
    addToken(hashOf(seeds.label, chosen, from, end))
    from = end + 1
  }
  const hostShape = shapeOf(seeds.hostShape, chosen, 0, chosen.length)
  const nameShape = shapeOf(seeds.nameShape, chosen, nameStart, chosen.length)
  addToken(hostShape)
  addToken(nameShape)
  addToken(mix(hostShape, suffixHash))
  addToken(mix(nameShape, suffixHash))
  addToken(mix(hashOf(seeds.nameAndSuffix, chosen, nameStart, chosen.length), suffixHash))
  return { suffix: suffixHash, nameShape }
}

/** The tokens of a whole URL. */
export const tokensOf = (host: HostText, path: PathText): number => {
  count = 0
  addSegments(path, addHost(host))
  addQuery(path)
  return count
}

const addSegments = ({ text, pathEnd }: PathText, host: HostHashes): void => {
  let depth = 0
  let lastStart = 1
  for (let from = 1; from < pathEnd; depth++) {
    const slash = text.indexOf("/", from)
    const end = slash === -1 || slash > pathEnd ? pathEnd : slash
    const segment = hashOf(seeds.segment, text, from, end)
    addToken(segment)
    const shapeSeed = mix(seeds.segmentShape, Math.min(depth, MAX_SEGMENT_DEPTH))
    addToken(shapeOf(shapeSeed, text, from, end))
    if (depth === 0) addToken(mix(mix(start(seeds.suffixAndSegment), segment), host.suffix))
    lastStart = from
    from = end + 1
  }
  if (lastStart < pathEnd) addToken(hashOf(seeds.lastSegment, text, lastStart, pathEnd))
  const dot = text.lastIndexOf(".", pathEnd - 1)
  if (dot > lastStart) addToken(hashOf(seeds.extension, text, dot, pathEnd))
  addWords(text, 0, pathEnd, seeds.pathWord, seeds.pathPair)
  const endsInSlash = text.charCodeAt(pathEnd - 1) === SLASH ? 1 : 0
  const depthCode = Math.min(depth, MAX_PATH_DEPTH) * 4 + endsInSlash * 2 + (pathEnd < text.length ? 1 : 0)
  addToken(mix(mix(start(seeds.suffixAndDepth), depthCode), host.suffix))
  const pathShape = shapeOf(seeds.pathShape, text, 0, pathEnd)
  addToken(pathShape)
  addToken(mix(pathShape, host.suffix))
  addToken(mix(pathShape, host.nameShape))
  addToken(shapeOf(seeds.wholeShape, text, 0, text.length, false))
}

const addQuery = ({ text, pathEnd }: PathText): void => {
  for (let from = pathEnd + 1; from < text.length; ) {
    const ampersand = text.indexOf("&", from)
    const end = ampersand === -1 ? text.length : ampersand
    const equals = text.indexOf("=", from)
    const keyEnd = equals === -1 || equals > end ? end : equals
    const key = hashOf(seeds.queryKey, text, from, keyEnd)
    addToken(key)
    if (keyEnd < end) addToken(mix(shapeOf(seeds.queryKey, text, keyEnd, end), key))
    from = end + 1
  }
}

/** The buckets of a URL in each of `tables`, as copies. */
export const bucketsOf = (host: HostText, path: PathText): ReadonlyArray<Uint32Array> => [
  buckets.slice(0, ofUrl(host, path)),
  buckets.slice(0, ofHost(host)),
  buckets.slice(0, ofPath(path)),
  buckets.slice(0, tokensOf(host, path))
]
