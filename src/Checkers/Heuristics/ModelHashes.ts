/**
 * Pieces of a URL as places in tables of weights: n-grams of characters, and tokens. Different pieces may share a place.
 */

import type { ModelText } from "./ModelText.ts"

/** The four tables, in the order in which the weights file holds them. */
export const tables = [
  { name: "url", bits: 18 },
  { name: "host", bits: 17 },
  { name: "path", bits: 16 },
  { name: "tokens", bits: 18 }
] as const

/** The places of one URL in one table; `count` of them, the rest of `at` is left from others. */
export interface Places {
  count: number
  readonly at: Uint32Array
}

/** More than the longest text has of n-grams and tokens. */
const MOST_PLACES = 2048

export const places = (): Places => ({ count: 0, at: new Uint32Array(MOST_PLACES) })

const MULTIPLIER = 0x5bd1e995
const START = 0x2545f491

const mix = (hash: number, code: number): number => {
  const mixed = Math.imul(hash ^ code, MULTIPLIER)
  return mixed ^ (mixed >>> 15)
}

const DIGIT = 48
const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isUpper = (code: number): boolean => code >= 65 && code <= 90
const isLower = (code: number): boolean => code >= 97 && code <= 122

/** Lower case, every digit a zero: which digits they are says nothing that generalizes. */
const folded = (code: number): number => (isUpper(code) ? code + 32 : isDigit(code) ? DIGIT : code)

const put = (places: Places, hash: number, mask: number): void => {
  if (places.count < MOST_PLACES) places.at[places.count++] = (hash ^ (hash >>> 13)) & mask
}

const maskOf = (table: number): number => (1 << (tables[table]?.bits ?? 0)) - 1

const URL_MASK = maskOf(0)
const HOST_MASK = maskOf(1)
const PATH_MASK = maskOf(2)
const TOKEN_MASK = maskOf(3)

/** Begins and ends a text, so that n-grams know where they stand. */
const EDGE = 1

const codes = new Uint8Array(512)

const write = (text: string, start: number, fold: boolean): number => {
  let at = start
  codes[at++] = EDGE
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    codes[at++] = fold ? folded(code) : code
  }
  codes[at++] = EDGE
  return at
}

const ngrams = (end: number, { shortest, longest }: Lengths, mask: number, places: Places): void => {
  for (let start = 0; start + shortest <= end; start++) {
    let hash = START
    const stop = Math.min(end, start + longest)
    for (let at = start; at < stop; at++) {
      hash = mix(hash, codes[at] ?? 0)
      if (at - start + 1 >= shortest) put(places, hash, mask)
    }
  }
}

/** The lengths of n-grams, in characters. */
interface Lengths {
  readonly shortest: number
  readonly longest: number
}

export const urlLengths: Lengths = { shortest: 3, longest: 5 }
export const hostLengths: Lengths = { shortest: 2, longest: 5 }
export const restLengths: Lengths = { shortest: 3, longest: 5 }

/** n-grams of host and rest. */
export const ofUrl = (text: ModelText, places: Places): void => {
  places.count = 0
  ngrams(write(text.host + text.rest, 0, true), urlLengths, URL_MASK, places)
}

/** n-grams of the host, digits as they are. */
export const ofHost = (text: ModelText, places: Places): void => {
  places.count = 0
  ngrams(write(text.host, 0, false), hostLengths, HOST_MASK, places)
}

/** n-grams of path and query. */
export const ofRest = (text: ModelText, places: Places): void => {
  places.count = 0
  ngrams(write(text.rest, 0, true), restLengths, PATH_MASK, places)
}

/** What a token is hashed with, so that `login` in a host and in a path are two tokens. */
const seed = {
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

const begin = (kind: number): number => mix(START, kind)

const hashOf = (kind: number, text: string, from: number, to: number): number => {
  let hash = begin(kind)
  for (let at = from; at < to; at++) hash = mix(hash, folded(text.charCodeAt(at)))
  return hash
}

const isWordCode = (code: number): boolean => isLower(code) || isUpper(code) || isDigit(code) || code > 127

/** Lengths fall into few classes, so that shapes of one kind fall together. */
const lengthClass = (length: number): number =>
  length < 9 ? length : length < 13 ? 9 : length < 21 ? 10 : length < 37 ? 11 : 12

const LETTERS = 200
const UPPER_LETTERS = 201
const DIGITS = 202
const MIXED = 203

const shapeCode = (text: string, from: number, to: number): number => {
  let lower = 0
  let upper = 0
  let digits = 0
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (isDigit(code)) digits++
    else if (isUpper(code)) upper++
    else lower++
  }
  return digits === 0 ? (upper === 0 ? LETTERS : UPPER_LETTERS) : lower + upper === 0 ? DIGITS : MIXED
}

/** Runs of letters and digits as their kind and length, everything else as it is. */
const shapeOf = (kind: number, text: string, from: number, to: number, withLengths: boolean): number => {
  let hash = begin(kind)
  let at = from
  while (at < to) {
    let end = at
    while (end < to && isWordCode(text.charCodeAt(end))) end++
    if (end === at) hash = mix(hash, text.charCodeAt(at++))
    else {
      hash = mix(hash, shapeCode(text, at, end))
      if (withLengths) hash = mix(hash, lengthClass(end - at))
      at = end
    }
  }
  return hash
}

/** Letters and digits are two words: `login2024` has `login`. */
const words = (
  text: string,
  from: number,
  to: number,
  kind: number,
  pairKind: number,
  places: Places
): void => {
  let at = from
  let previous = begin(pairKind)
  while (at < to) {
    const code = text.charCodeAt(at)
    const wantsDigits = isDigit(code)
    let end = at
    while (end < to && isWordCode(text.charCodeAt(end)) && isDigit(text.charCodeAt(end)) === wantsDigits)
      end++
    if (end === at) {
      at++
      continue
    }
    const word = hashOf(kind, text, at, end)
    put(places, word, TOKEN_MASK)
    if (!wantsDigits) put(places, hashOf(seed.anywhere, text, at, end), TOKEN_MASK)
    put(places, mix(previous, word), TOKEN_MASK)
    previous = mix(begin(pairKind), word)
    at = end
  }
}

const SLASH = 47

/** Words, labels, segments, keys of the query, and shapes of all of these. */
export const ofTokens = (text: ModelText, places: Places): void => {
  const { chosen, suffix, rest, pathEnd } = text
  places.count = 0
  const suffixHash = hashOf(seed.suffix, suffix, 0, suffix.length)
  put(places, suffixHash, TOKEN_MASK)

  const nameStart = chosen.lastIndexOf(".") + 1
  words(chosen, 0, nameStart, seed.hostWord, seed.hostPair, places)
  words(chosen, nameStart, chosen.length, seed.nameWord, seed.hostPair, places)
  for (let start = 0; start <= chosen.length; ) {
    const dot = chosen.indexOf(".", start)
    const end = dot === -1 ? chosen.length : dot
    put(places, hashOf(seed.label, chosen, start, end), TOKEN_MASK)
    start = end + 1
  }
  const hostShape = shapeOf(seed.hostShape, chosen, 0, chosen.length, true)
  const nameShape = shapeOf(seed.nameShape, chosen, nameStart, chosen.length, true)
  put(places, hostShape, TOKEN_MASK)
  put(places, nameShape, TOKEN_MASK)
  put(places, mix(hostShape, suffixHash), TOKEN_MASK)
  put(places, mix(nameShape, suffixHash), TOKEN_MASK)
  put(places, mix(hashOf(seed.nameAndSuffix, chosen, nameStart, chosen.length), suffixHash), TOKEN_MASK)

  let depth = 0
  let lastStart = 1
  for (let start = 1; start < pathEnd; depth++) {
    const slash = rest.indexOf("/", start)
    const end = slash === -1 || slash > pathEnd ? pathEnd : slash
    const segment = hashOf(seed.segment, rest, start, end)
    put(places, segment, TOKEN_MASK)
    put(places, shapeOf(mix(seed.segmentShape, Math.min(depth, 5)), rest, start, end, true), TOKEN_MASK)
    if (depth === 0) put(places, mix(mix(begin(seed.suffixAndSegment), segment), suffixHash), TOKEN_MASK)
    lastStart = start
    start = end + 1
  }
  if (lastStart < pathEnd) put(places, hashOf(seed.lastSegment, rest, lastStart, pathEnd), TOKEN_MASK)
  const dot = rest.lastIndexOf(".", pathEnd - 1)
  if (dot > lastStart) put(places, hashOf(seed.extension, rest, dot, pathEnd), TOKEN_MASK)
  words(rest, 0, pathEnd, seed.pathWord, seed.pathPair, places)
  const endsInSlash = rest.charCodeAt(pathEnd - 1) === SLASH ? 1 : 0
  const depthCode = Math.min(depth, 6) * 4 + endsInSlash * 2 + (pathEnd < rest.length ? 1 : 0)
  put(places, mix(mix(begin(seed.suffixAndDepth), depthCode), suffixHash), TOKEN_MASK)
  const pathShape = shapeOf(seed.pathShape, rest, 0, pathEnd, true)
  put(places, pathShape, TOKEN_MASK)
  put(places, mix(pathShape, suffixHash), TOKEN_MASK)
  put(places, mix(pathShape, nameShape), TOKEN_MASK)
  put(places, shapeOf(seed.wholeShape, rest, 0, rest.length, false), TOKEN_MASK)

  for (let start = pathEnd + 1; start < rest.length; ) {
    const ampersand = rest.indexOf("&", start)
    const end = ampersand === -1 ? rest.length : ampersand
    const equals = rest.indexOf("=", start)
    const keyEnd = equals === -1 || equals > end ? end : equals
    put(places, hashOf(seed.queryKey, rest, start, keyEnd), TOKEN_MASK)
    if (keyEnd < end)
      put(
        places,
        mix(shapeOf(seed.queryKey, rest, keyEnd, end, true), hashOf(seed.queryKey, rest, start, keyEnd)),
        TOKEN_MASK
      )
    start = end + 1
  }
}

/** What fills the places of each table. */
export const readers: ReadonlyArray<(text: ModelText, places: Places) => void> = [
  ofUrl,
  ofHost,
  ofRest,
  ofTokens
]
