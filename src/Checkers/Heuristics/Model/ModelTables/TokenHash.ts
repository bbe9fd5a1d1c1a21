import { add, type Buckets, EMPTY_HASH, fold, isDigit, isLower, isUpper, mix } from "./Buckets.ts"

/** Seeds of the hashes, so that `login` in a host and in a path are two tokens. */
export const seeds = {
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

/** The hash of an empty token. */
export const start = (seed: number): number => mix(EMPTY_HASH, seed)

/** The hash of a part of a text as one token. */
export const hashOf = (seed: number, text: string, from: number, to: number): number => {
  let hash = start(seed)
  for (let at = from; at < to; at++) hash = mix(hash, fold(text.charCodeAt(at)))
  return hash
}

const isWordCode = (code: number): boolean => isLower(code) || isUpper(code) || isDigit(code) || code > 127

/** Few classes of lengths, so that similar shapes have the same hash. */
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

/** The hash of a shape: runs of letters and digits by type and length, other characters as they are. */
export const shapeOf = (
  seed: number,
  text: string,
  from: number,
  to: number,
  withLengths: boolean
): number => {
  let hash = start(seed)
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

/** Adds each word for this part of the URL and for any part, and pairs of words. `login2024` is two words. */
export const addWords = (
  text: string,
  from: number,
  to: number,
  seed: number,
  pairSeed: number,
  mask: number,
  buckets: Buckets
): void => {
  let at = from
  let previous = start(pairSeed)
  while (at < to) {
    const areDigits = isDigit(text.charCodeAt(at))
    let end = at
    while (end < to && isWordCode(text.charCodeAt(end)) && isDigit(text.charCodeAt(end)) === areDigits) end++
    if (end === at) {
      at++
      continue
    }
    const word = hashOf(seed, text, at, end)
    add(buckets, word, mask)
    if (!areDigits) add(buckets, hashOf(seeds.anywhere, text, at, end), mask)
    add(buckets, mix(previous, word), mask)
    previous = mix(start(pairSeed), word)
    at = end
  }
}
