import { folded, isDigit, isLower, isUpper, mix, type Places, put, START } from "./Buckets.ts"

/** What a token is hashed with, so that `login` in a host and in a path are two tokens. */
export const seed = {
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

export const begin = (kind: number): number => mix(START, kind)

/** A part of a text as one token. */
export const hashOf = (kind: number, text: string, from: number, to: number): number => {
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
export const shapeOf = (
  kind: number,
  text: string,
  from: number,
  to: number,
  withLengths: boolean
): number => {
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

/** Adds words by themselves, wherever they stand, and by twos. Letters and digits are two words: `login2024` has `login`. */
export const putWords = (
  text: string,
  from: number,
  to: number,
  kind: number,
  pairKind: number,
  mask: number,
  places: Places
): void => {
  let at = from
  let previous = begin(pairKind)
  while (at < to) {
    const wantsDigits = isDigit(text.charCodeAt(at))
    let end = at
    while (end < to && isWordCode(text.charCodeAt(end)) && isDigit(text.charCodeAt(end)) === wantsDigits)
      end++
    if (end === at) {
      at++
      continue
    }
    const word = hashOf(kind, text, at, end)
    put(places, word, mask)
    if (!wantsDigits) put(places, hashOf(seed.anywhere, text, at, end), mask)
    put(places, mix(previous, word), mask)
    previous = mix(begin(pairKind), word)
    at = end
  }
}
