/** What the reason of the model's finding shows: the pieces of the URL with the largest weights. */

import type { Model } from "../Model.ts"
import type { UrlFacts } from "../UrlFacts.ts"
import * as ModelTables from "./ModelTables.ts"
import * as ModelText from "./ModelText.ts"

const MAX_PIECES = 3
const MIN_PIECE_CHARS = 3
/** Pieces with a smaller share of the largest weight are left out. */
const MIN_SHARE = 0.2
/** Longer labels are shown by their words only. */
const MAX_LABEL_CHARS = 40

interface Piece {
  readonly text: string
  readonly start: number
  readonly weight: number
}

/**
 * The pieces of host and path with the largest weights for phishing, as they are in the canonical URL, from left to right:
 * labels, words of labels, the suffix, words of path segments. Not of the query, which never raises the level. At least
 * one: the name of the host if no piece has a positive weight.
 */
export const heaviestPieces = (
  model: Model,
  { url, host }: UrlFacts
): readonly [string, ...ReadonlyArray<string>] => {
  const hostText = ModelText.hostTextOf(host)
  const path = ModelText.pathTextOf(url)
  const pieces = heavyPieces(hostText, path, weightIn(model, hostText, path))
  const chosen: Array<Piece> = []
  const minWeight = (pieces[0]?.weight ?? 0) * MIN_SHARE
  for (const piece of pieces) {
    if (chosen.length === MAX_PIECES || piece.weight < minWeight) break
    if (!chosen.some((other) => isPartOf(piece.text, other.text) || isPartOf(other.text, piece.text)))
      chosen.push(piece)
  }
  const [first, ...others] = chosen.sort((a, b) => a.start - b.start).map((piece) => piece.text)
  const name = host.name?.name ?? url.host
  if (first === undefined) return [name]
  // A suffix alone would say nothing about this URL.
  return others.length === 0 && first === `.${hostText.suffix}` ? [name, first] : [first, ...others]
}

const isPartOf = (piece: string, other: string): boolean => other.toLowerCase().includes(piece.toLowerCase())

/** The weight of a part of host and path together: of the n-grams of the URL's table that lie in it. */
type WeightOf = (start: number, end: number) => number

const weightIn = (
  { tables: [{ weights }] }: Model,
  host: ModelText.HostText,
  path: ModelText.PathText
): WeightOf => {
  const buckets = ModelTables.ofUrl(host, path)
  const { min, max } = ModelTables.urlLengths
  // In order of their starts, of which the first is the edge before the text. Only at the end of the text are there fewer of one start.
  const perStart = max - min + 1
  return (start, end) => {
    let sum = 0
    for (let at = start; at + min <= end; at++)
      for (let size = min; size <= max && at + size <= end; size++)
        sum += weights[buckets[(at + 1) * perStart + size - min] ?? 0] ?? 0
    return sum
  }
}

const DOT = 46
const HYPHEN = 45

const isInLabel = (code: number): boolean => code !== DOT
const isInWord = (code: number): boolean => code !== HYPHEN
const isAlphanumeric = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90)

/** Calls `add` with the start and end of each run of such characters in a part of a text. */
const forEachRun = (
  text: string,
  from: number,
  to: number,
  isInside: (code: number) => boolean,
  add: (start: number, end: number) => void
): void => {
  for (let start = from; start < to; ) {
    let end = start
    while (end < to && isInside(text.charCodeAt(end))) end++
    if (end > start) add(start, end)
    start = end + 1
  }
}

const hasLetter = /[a-z]/i

/** Words of many URLs. */
const commonWords: ReadonlySet<string> = new Set(["www", "com", "php", "html", "htm", "index"])

/** The pieces that a reason may show and that weigh for phishing, the heaviest first. */
const heavyPieces = (
  { host, chosen, suffix }: ModelText.HostText,
  { text, pathEnd }: ModelText.PathText,
  weightOf: WeightOf
): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  const add = (piece: string, start: number, end: number): void => {
    const weight = weightOf(start, end)
    if (weight > 0) pieces.push({ text: piece, start, weight })
  }
  const addFrom =
    (part: string, offset: number) =>
    (start: number, end: number): void => {
      const length = end - start
      if (length < MIN_PIECE_CHARS || length > MAX_LABEL_CHARS) return
      const piece = part.slice(start, end)
      if (hasLetter.test(piece) && !commonWords.has(piece.toLowerCase()))
        add(piece, offset + start, offset + end)
    }
  const addOfHost = addFrom(chosen, 0)
  forEachRun(chosen, 0, chosen.length, isInLabel, (start, end) => {
    addOfHost(start, end)
    const hyphen = chosen.indexOf("-", start)
    // An encoded label has no words that people know.
    if (hyphen !== -1 && hyphen < end && !chosen.startsWith("xn--", start))
      forEachRun(chosen, start, end, isInWord, addOfHost)
  })
  if (suffix !== "" && suffix !== ModelText.HOSTED) add(`.${suffix}`, chosen.length, host.length)
  forEachRun(text, 0, pathEnd, isAlphanumeric, addFrom(text, host.length))
  return pieces.sort((a, b) => b.weight - a.weight)
}
