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
  const pieces = heavyPieces(model, hostText, path)
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

/** Words of many URLs. */
const commonWords: ReadonlySet<string> = new Set(["www", "com", "php", "html", "htm", "index"])

const hasLetter = /[a-z]/i

const isShown = (text: string): boolean =>
  text.length >= MIN_PIECE_CHARS &&
  text.length <= MAX_LABEL_CHARS &&
  hasLetter.test(text) &&
  !commonWords.has(text.toLowerCase())

const NOT_IN_WORDS = /[^a-z0-9]/i

/** The pieces that weigh for phishing, the heaviest first. */
const heavyPieces = (
  { tables: [{ weights }] }: Model,
  host: ModelText.HostText,
  path: ModelText.PathText
): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  ModelTables.ofUrl(host, path)
  const { buckets } = ModelTables
  const { min, max } = ModelTables.urlLengths
  // In order of their starts, of which the first is the edge before the text. Only at the end of the text are there fewer of one start.
  const perStart = max - min + 1
  /** Adds a part of host and path together, with the weight of the n-grams that lie in it. */
  const add = (text: string, start: number): void => {
    const end = start + text.length
    let weight = 0
    for (let at = start; at + min <= end; at++)
      for (let size = min; size <= max && at + size <= end; size++)
        weight += weights[buckets[(at + 1) * perStart + size - min] ?? 0] ?? 0
    if (weight > 0) pieces.push({ text, start, weight })
  }
  /** Adds those parts that may be shown. There is one character between two parts. */
  const addShown = (parts: ReadonlyArray<string>, start: number): void => {
    let next = start
    for (const part of parts) {
      if (isShown(part)) add(part, next)
      next += part.length + 1
    }
  }
  let next = 0
  for (const label of host.chosen.split(".")) {
    addShown([label], next)
    // An encoded label has no words that people know.
    if (label.includes("-") && !label.startsWith("xn--")) addShown(label.split("-"), next)
    next += label.length + 1
  }
  if (host.suffix !== "" && host.suffix !== ModelText.HOSTED) add(`.${host.suffix}`, host.chosen.length)
  addShown(path.text.slice(0, path.pathEnd).split(NOT_IN_WORDS), host.host.length)
  return pieces.sort((a, b) => b.weight - a.weight)
}
