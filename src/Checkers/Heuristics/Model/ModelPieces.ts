/** Which pieces of a URL the model's tables weigh most. */

import type { Model, ModelTable } from "../Model.ts"
import type { UrlFacts } from "../UrlFacts.ts"
import * as PieceHash from "./ModelTables/Buckets.ts"
import type { Lengths } from "./ModelTables/NGrams.ts"
import * as ModelTables from "./ModelTables.ts"
import * as ModelText from "./ModelText.ts"

const MOST_PIECES = 3
/** Shorter ones tell a reader nothing. */
const SHORTEST_PIECE = 3
/** Of the weightiest piece; what weighs less is not worth a mention. */
const LEAST_SHARE = 0.2
/** A longer label is told by its words. */
const LONGEST_JOINED = 40

interface Piece {
  readonly text: string
  readonly start: number
  readonly weight: number
}

/**
 * The pieces of host and path that weigh most for phishing, as they stand in the canonical URL, from left to right: labels,
 * words of labels, the suffix, words of path segments; none of the query, which counts against no URL. At least one: the
 * host's own name if no piece weighs anything by itself.
 */
export const of = (model: Model, { url, host }: UrlFacts): readonly [string, ...ReadonlyArray<string>] => {
  const hostText = ModelText.ofHost(host)
  const rest = ModelText.ofRest(url)
  const weights = characterWeights(model, hostText, rest)
  const pieces = candidates(hostText, rest)
    .map(({ start, end, shown }) => ({ text: shown, start, weight: sum(weights, start, end) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
  const chosen: Array<Piece> = []
  const least = (pieces[0]?.weight ?? 0) * LEAST_SHARE
  for (const piece of pieces) {
    if (chosen.length === MOST_PIECES || piece.weight < least) break
    if (!chosen.some((other) => isPartOf(piece.text, other.text) || isPartOf(other.text, piece.text)))
      chosen.push(piece)
  }
  const [first, ...others] = chosen.sort((a, b) => a.start - b.start).map((piece) => piece.text)
  const own = host.name?.name ?? url.host
  if (first === undefined) return [own]
  // A suffix alone is no evidence of this URL's.
  return others.length === 0 && first === `.${hostText.suffix}` ? [own, first] : [first, ...others]
}

const isPartOf = (piece: string, other: string): boolean => other.toLowerCase().includes(piece.toLowerCase())

const sum = (weights: Float64Array, from: number, to: number): number => {
  let total = 0
  for (let at = from; at < to; at++) total += weights[at] ?? 0
  return total
}

/** Scratch space, for the longest host and rest. */
const weights = new Float64Array(ModelText.LONGEST)
const places = PieceHash.places()

/** What each character of host and rest adds to the sums: each n-gram's weight is shared among its characters. */
const characterWeights = (model: Model, host: ModelText.HostText, rest: ModelText.RestText): Float64Array => {
  const hostLength = host.host.length
  const restLength = rest.rest.length
  const [urls, hosts, rests] = model.tables
  weights.fill(0, 0, hostLength + restLength)
  ModelTables.ofUrl(host, rest, places)
  share(urls, ModelTables.urlLengths, 0, hostLength + restLength)
  ModelTables.ofHost(host, places)
  share(hosts, ModelTables.hostLengths, 0, hostLength)
  ModelTables.ofRest(rest, places)
  share(rests, ModelTables.restLengths, hostLength, restLength)
  return weights
}

/** Adds the weights at `places`, which are those of a text of this length whose characters stand from `offset` on. */
const share = (table: ModelTable, { shortest, longest }: Lengths, offset: number, length: number): void => {
  const unit = table.scale / Math.sqrt(places.count)
  let index = 0
  const end = length + 2
  for (let start = 0; start + shortest <= end; start++)
    for (let size = shortest; size <= longest && start + size <= end; size++) {
      if (index >= places.count) return
      const each = (unit * (table.weights[places.at[index++] ?? 0] ?? 0)) / size
      const last = Math.min(start - 1 + size, length)
      for (let at = Math.max(start - 1, 0); at < last; at++)
        weights[offset + at] = (weights[offset + at] ?? 0) + each
    }
}

interface Candidate {
  readonly shown: string
  readonly start: number
  readonly end: number
}

const wordInHost = /[^.-]+/g
const labelInHost = /[^.]+/g
const wordInPath = /[a-z0-9]{3,}/gi
const readable = /[a-z]/i

/** Words of every other address. */
const commonplace: ReadonlySet<string> = new Set(["www", "com", "php", "html", "htm", "index"])

const candidates = (
  { host, chosen, suffix }: ModelText.HostText,
  { rest, pathEnd }: ModelText.RestText
): ReadonlyArray<Candidate> => {
  const found: Array<Candidate> = []
  const add = (pattern: RegExp, text: string, offset: number, longest: number) => {
    for (const { 0: shown, index } of text.matchAll(pattern))
      if (
        shown.length >= SHORTEST_PIECE &&
        shown.length <= longest &&
        readable.test(shown) &&
        !commonplace.has(shown.toLowerCase())
      )
        found.push({ shown, start: offset + index, end: offset + index + shown.length })
  }
  add(labelInHost, chosen, 0, LONGEST_JOINED)
  add(wordInHost, chosen, 0, LONGEST_JOINED)
  if (suffix !== "" && suffix !== ModelText.HOSTED)
    found.push({ shown: `.${suffix}`, start: chosen.length, end: host.length })
  add(wordInPath, rest.slice(0, pathEnd), host.length, LONGEST_JOINED)
  return found
}
