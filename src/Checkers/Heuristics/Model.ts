/**
 * How much a URL resembles reported phishing: tables of weights for pieces of its text, whose sums, with numbers about
 * its build and its signals, decision trees judge. How it was trained and where it fails: training/MODEL_CARD.md.
 */

import type { CanonicalUrl } from "../CanonicalUrl.ts"
import type { HostFacts } from "./Host.ts"
import * as ModelFeatures from "./Model/ModelFeatures.ts"
import * as PieceHash from "./Model/ModelTables/Buckets.ts"
import type { HostKeys } from "./Model/ModelTables/HostTokens.ts"
import * as ModelTables from "./Model/ModelTables.ts"
import * as ModelText from "./Model/ModelText.ts"
import type { ModelTrees } from "./Model/ModelTrees.ts"
import * as TreeScorer from "./Model/TreeScorer.ts"
import type { Signal } from "./Signals/Signal.ts"
import type { UrlFacts } from "./UrlFacts.ts"

/** Weights of hashed pieces. */
export interface ModelTable {
  readonly weights: Int8Array
  /** What one unit of a weight is worth. */
  readonly scale: number
  readonly bias: number
}

export interface Model {
  /** What it was trained on, in words. */
  readonly trainedOn: string
  /** Of `ModelTables.tables`. */
  readonly tables: readonly [url: ModelTable, host: ModelTable, rest: ModelTable, tokens: ModelTable]
  /** See `LetterRuns`. */
  readonly costs: Uint8Array
  readonly trees: ModelTrees
  /** Of these trees. */
  readonly scorer: TreeScorer.TreeScorer
  /** Raw values from which `ModelLevel` gives each level. */
  readonly thresholds: {
    readonly suspicious: number
    readonly likely: number
    readonly phishing: number
  }
}

/** What the model reads of a host, once for all that may stand behind it. */
export interface ReadHost {
  readonly host: HostFacts
  readonly text: ModelText.HostText
  readonly keys: HostKeys
  /** By the table of hosts. */
  readonly sum: number
  /** Of the host's tokens, in units of their table. */
  readonly tokenWeights: number
  readonly tokens: number
  /** The features of the host are filled in, the others belong to the URL that was judged last. */
  readonly row: Float32Array
  /** Of each tree the leaves that the features of the host leave. */
  readonly possible: Int32Array
}

/** Scratch space: a call never waits, and a thread has its own. */
const places = PieceHash.places()

const { HOST_WEIGHTS, HOST, REST, COUNT } = ModelFeatures

const total = (weights: Int8Array, { count, at }: PieceHash.Places): number => {
  let sum = 0
  for (let index = 0; index < count; index++) sum += weights[at[index] ?? 0] ?? 0
  return sum
}

/** A row's sum by a table: of `count` weights, in log-odds. */
const logit = ({ scale, bias }: ModelTable, weights: number, count: number): number =>
  count === 0 ? bias : bias + (scale * weights) / Math.sqrt(count)

/** Reads the host of a URL; its port counts as a part of it. */
export const readHost = (model: Model, url: CanonicalUrl, host: HostFacts): ReadHost => {
  const [, hosts, , tokens] = model.tables
  const text = ModelText.ofHost(host)
  const row = new Float32Array(COUNT)
  ModelFeatures.fillHost(url, host, text, model.costs, row)
  ModelTables.ofHost(text, places)
  const sum = logit(hosts, total(hosts.weights, places), places.count)
  row[HOST_WEIGHTS] = sum
  const possible = TreeScorer.everyLeaf(model.scorer)
  TreeScorer.ruleOut(model.scorer, row, HOST_WEIGHTS, HOST_WEIGHTS + 1, possible)
  TreeScorer.ruleOut(model.scorer, row, HOST, REST, possible)
  const keys = ModelTables.ofHostTokens(text, places)
  return {
    host,
    text,
    keys,
    sum,
    tokenWeights: total(tokens.weights, places),
    tokens: places.count,
    row,
    possible
  }
}

/** The raw value: log-odds of phishing as the model sees them, 0 is even. `signals` are those of the same URL. */
export const value = (
  model: Model,
  { host, text, keys, sum, tokenWeights, tokens, row, possible: byHost }: ReadHost,
  url: CanonicalUrl,
  signals: ReadonlyArray<Signal>
): number => {
  const [urls, , rests, allTokens] = model.tables
  const rest = ModelText.ofRest(url)
  ModelTables.ofUrl(text, rest, places)
  const urlSum = logit(urls, total(urls.weights, places), places.count)
  ModelTables.ofRest(rest, places)
  const restSum = logit(rests, total(rests.weights, places), places.count)
  ModelTables.ofRestTokens(rest, keys, places)
  const tokenSum = logit(allTokens, tokenWeights + total(allTokens.weights, places), tokens + places.count)
  row[0] = urlSum
  row[2] = restSum
  row[3] = tokenSum
  row[4] = urlSum + sum + restSum + tokenSum
  ModelFeatures.fillRest(url, host, rest, signals, model.costs, row)
  const possible = byHost.slice()
  TreeScorer.ruleOut(model.scorer, row, 0, HOST_WEIGHTS, possible)
  TreeScorer.ruleOut(model.scorer, row, HOST_WEIGHTS + 1, HOST, possible)
  TreeScorer.ruleOut(model.scorer, row, REST, COUNT, possible)
  return TreeScorer.value(model.scorer, possible)
}

/** The raw value of a URL. */
export const ofSubject = (model: Model, { url, host, signals }: UrlFacts): number =>
  value(model, readHost(model, url, host), url, signals)
