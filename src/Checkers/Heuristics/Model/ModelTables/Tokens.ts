/** Tokens of a URL: words, pairs of words, labels, segments, query keys, and the shapes of its parts. */

import type { HostText, PathText } from "../ModelText.ts"
import { add, type Buckets, EMPTY_HASH, fold, isDigit, isLower, isUpper, mix } from "./Buckets.ts"

/** Seeds of the hashes, so that `login` in a host and in a path are two tokens. */
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

/** The hash of an empty token. */
const start = (seed: number): number => mix(EMPTY_HASH, seed)

/** The hash of a part of a text as one token. */
const hashOf = (seed: number, text: string, from: number, to: number): number => {
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
const shapeOf = (seed: number, text: string, from: number, to: number, withLengths: boolean): number => {
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
const addWords = (
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

const SLASH = 47

/** Deeper segments and paths have the same token as these. */
const MAX_SEGMENT_DEPTH = 5
const MAX_PATH_DEPTH = 6

/** Hashes of the host that tokens of the path are paired with. */
export interface HostHashes {
  readonly suffix: number
  readonly nameShape: number
}

/** Adds the tokens of a host. */
export const addHostTokens = ({ chosen, suffix }: HostText, mask: number, buckets: Buckets): HostHashes => {
  const suffixHash = hashOf(seeds.suffix, suffix, 0, suffix.length)
  add(buckets, suffixHash, mask)
  const nameStart = chosen.lastIndexOf(".") + 1
  addWords(chosen, 0, nameStart, seeds.hostWord, seeds.hostPair, mask, buckets)
  addWords(chosen, nameStart, chosen.length, seeds.nameWord, seeds.hostPair, mask, buckets)
  for (let from = 0; from <= chosen.length; ) {
    const dot = chosen.indexOf(".", from)
    const end = dot === -1 ? chosen.length : dot
    add(buckets, hashOf(seeds.label, chosen, from, end), mask)
    from = end + 1
  }
  const hostShape = shapeOf(seeds.hostShape, chosen, 0, chosen.length, true)
  const nameShape = shapeOf(seeds.nameShape, chosen, nameStart, chosen.length, true)
  add(buckets, hostShape, mask)
  add(buckets, nameShape, mask)
  add(buckets, mix(hostShape, suffixHash), mask)
  add(buckets, mix(nameShape, suffixHash), mask)
  add(buckets, mix(hashOf(seeds.nameAndSuffix, chosen, nameStart, chosen.length), suffixHash), mask)
  return { suffix: suffixHash, nameShape }
}

/** Adds the tokens of path and query, some of them paired with a hash of the host. */
export const addPathTokens = (text: PathText, host: HostHashes, mask: number, buckets: Buckets): void => {
  addSegments(text, host, mask, buckets)
  addQuery(text, mask, buckets)
}

const addSegments = ({ text, pathEnd }: PathText, host: HostHashes, mask: number, buckets: Buckets): void => {
  let depth = 0
  let lastStart = 1
  for (let from = 1; from < pathEnd; depth++) {
    const slash = text.indexOf("/", from)
    const end = slash === -1 || slash > pathEnd ? pathEnd : slash
    const segment = hashOf(seeds.segment, text, from, end)
    add(buckets, segment, mask)
    const shapeSeed = mix(seeds.segmentShape, Math.min(depth, MAX_SEGMENT_DEPTH))
    add(buckets, shapeOf(shapeSeed, text, from, end, true), mask)
    if (depth === 0) add(buckets, mix(mix(start(seeds.suffixAndSegment), segment), host.suffix), mask)
    lastStart = from
    from = end + 1
  }
  if (lastStart < pathEnd) add(buckets, hashOf(seeds.lastSegment, text, lastStart, pathEnd), mask)
  const dot = text.lastIndexOf(".", pathEnd - 1)
  if (dot > lastStart) add(buckets, hashOf(seeds.extension, text, dot, pathEnd), mask)
  addWords(text, 0, pathEnd, seeds.pathWord, seeds.pathPair, mask, buckets)
  const endsInSlash = text.charCodeAt(pathEnd - 1) === SLASH ? 1 : 0
  const depthCode = Math.min(depth, MAX_PATH_DEPTH) * 4 + endsInSlash * 2 + (pathEnd < text.length ? 1 : 0)
  add(buckets, mix(mix(start(seeds.suffixAndDepth), depthCode), host.suffix), mask)
  const pathShape = shapeOf(seeds.pathShape, text, 0, pathEnd, true)
  add(buckets, pathShape, mask)
  add(buckets, mix(pathShape, host.suffix), mask)
  add(buckets, mix(pathShape, host.nameShape), mask)
  add(buckets, shapeOf(seeds.wholeShape, text, 0, text.length, false), mask)
}

const addQuery = ({ text, pathEnd }: PathText, mask: number, buckets: Buckets): void => {
  for (let from = pathEnd + 1; from < text.length; ) {
    const ampersand = text.indexOf("&", from)
    const end = ampersand === -1 ? text.length : ampersand
    const equals = text.indexOf("=", from)
    const keyEnd = equals === -1 || equals > end ? end : equals
    const key = hashOf(seeds.queryKey, text, from, keyEnd)
    add(buckets, key, mask)
    if (keyEnd < end) add(buckets, mix(shapeOf(seeds.queryKey, text, keyEnd, end, true), key), mask)
    from = end + 1
  }
}
