/**
 * How much a URL resembles reported phishing. Four tables have weights for pieces of its text; decision trees combine their
 * sums with features of the URL's structure and its signals. Training data and errors: training/MODEL_CARD.md.
 */

import type { CanonicalUrl } from "../../Url/CanonicalUrl.ts"
import type { Signal } from "../Kinds.ts"
import type { HostFacts } from "./HostFacts.ts"
import * as ModelFeatures from "./Model/ModelFeatures.ts"
import * as Buckets from "./Model/ModelTables/Buckets.ts"
import type { HostHashes } from "./Model/ModelTables/Tokens.ts"
import * as ModelTables from "./Model/ModelTables.ts"
import * as ModelText from "./Model/ModelText.ts"
import type { ModelTrees } from "./Model/ModelTrees.ts"
import * as TreeScorer from "./Model/TreeScorer.ts"
import type { UrlFacts } from "./UrlFacts.ts"

/** One weight for each bucket. */
export interface ModelTable {
  readonly weights: Int8Array
  /** The value of one unit of a weight, in log-odds. */
  readonly scale: number
  readonly bias: number
}

/** What training yields and the weights file contains. */
export interface ModelWeights {
  /** A description of the training data. */
  readonly trainedOn: string
  /** The newest day on which phishing in the training data was first seen, such as `2026-06-30`. */
  readonly learnedUpTo: string
  /** For each table of names and words, digests of the rows from which it learned: see training/TableRows.ts. */
  readonly rows: Readonly<Record<string, string>>
  /** In the order of `ModelTables.tables`. */
  readonly tables: readonly [url: ModelTable, host: ModelTable, path: ModelTable, tokens: ModelTable]
  /** See `LetterRuns`. */
  readonly costs: Uint8Array
  readonly trees: ModelTrees
  /** The raw values from which `ModelLevel` gives each level. */
  readonly thresholds: {
    readonly suspicious: number
    readonly likely: number
    readonly phishing: number
  }
}

/** Not for use by two threads: it contains scratch memory. */
export interface Model extends ModelWeights {
  readonly scorer: TreeScorer.TreeScorer
  /** Overwritten by every call with this model. */
  readonly scratch: {
    readonly buckets: Buckets.Buckets
    readonly characterWeights: Float64Array
  }
}

export const make = (weights: ModelWeights): Model => ({
  ...weights,
  scorer: TreeScorer.make(weights.trees, ModelFeatures.COUNT),
  scratch: { buckets: Buckets.make(), characterWeights: new Float64Array(ModelText.MAX_CHARS) }
})

/** The part of the computation that depends only on the host, done once for several paths and queries. */
export interface ModelHost {
  readonly facts: HostFacts
  readonly text: ModelText.HostText
  readonly hashes: HostHashes
  /** The sum of the host's table, in log-odds. */
  readonly logit: number
  /** The total weight and the number of the host's tokens. */
  readonly tokenWeight: number
  readonly tokenCount: number
  /** Only the features of the host are valid; every call of `rawValueOnHost` overwrites the others. */
  readonly row: Float32Array
  /** For each tree the leaves that the features of the host leave reachable. */
  readonly reachable: Int32Array
}

const { HOST_WEIGHTS, HOST_START, HOST_END, COUNT } = ModelFeatures

const total = (weights: Int8Array, { count, indices }: Buckets.Buckets): number => {
  let sum = 0
  for (let index = 0; index < count; index++) sum += weights[indices[index] ?? 0] ?? 0
  return sum
}

/** The log-odds by a table for `count` weights with this total. */
const logitOf = ({ scale, bias }: ModelTable, weight: number, count: number): number =>
  count === 0 ? bias : bias + (scale * weight) / Math.sqrt(count)

/** Reads the host of a URL, and whether it names a port. */
export const readHost = (model: Model, url: CanonicalUrl, facts: HostFacts): ModelHost => {
  const { scorer, costs } = model
  const { buckets } = model.scratch
  const [, hosts, , tokens] = model.tables
  const text = ModelText.hostTextOf(facts)
  const row = new Float32Array(COUNT)
  ModelFeatures.fillHost(url, facts, text, costs, row)
  ModelTables.fillHost(text, buckets)
  const logit = logitOf(hosts, total(hosts.weights, buckets), buckets.count)
  row[HOST_WEIGHTS] = logit
  const reachable = TreeScorer.allLeaves(scorer)
  TreeScorer.removeLeaves(scorer, row, HOST_WEIGHTS, HOST_WEIGHTS + 1, reachable)
  TreeScorer.removeLeaves(scorer, row, HOST_START, HOST_END, reachable)
  const hashes = ModelTables.fillHostTokens(text, buckets)
  const tokenWeight = total(tokens.weights, buckets)
  return { facts, text, hashes, logit, tokenWeight, tokenCount: buckets.count, row, reachable }
}

/** The raw value of a URL on this host: log-odds of phishing, 0 is even. `signals` are of the same URL. */
export const rawValueOnHost = (
  model: Model,
  host: ModelHost,
  url: CanonicalUrl,
  signals: ReadonlyArray<Signal>
): number => {
  const { scorer, costs } = model
  const { buckets } = model.scratch
  const [urls, , paths, tokens] = model.tables
  const { row } = host
  const path = ModelText.pathTextOf(url)
  ModelTables.fillUrl(host.text, path, buckets)
  const urlLogit = logitOf(urls, total(urls.weights, buckets), buckets.count)
  ModelTables.fillPath(path, buckets)
  const pathLogit = logitOf(paths, total(paths.weights, buckets), buckets.count)
  ModelTables.fillPathTokens(path, host.hashes, buckets)
  const tokenWeight = host.tokenWeight + total(tokens.weights, buckets)
  const tokenLogit = logitOf(tokens, tokenWeight, host.tokenCount + buckets.count)
  row[0] = urlLogit
  row[2] = pathLogit
  row[3] = tokenLogit
  row[4] = urlLogit + host.logit + pathLogit + tokenLogit
  ModelFeatures.fillPath(url, host.facts, path, signals, costs, row)
  const reachable = host.reachable.slice()
  TreeScorer.removeLeaves(scorer, row, 0, HOST_WEIGHTS, reachable)
  TreeScorer.removeLeaves(scorer, row, HOST_WEIGHTS + 1, HOST_START, reachable)
  TreeScorer.removeLeaves(scorer, row, HOST_END, COUNT, reachable)
  return TreeScorer.logOdds(scorer, reachable)
}

/** The raw value of a URL: log-odds of phishing, 0 is even. */
export const rawValue = (model: Model, { url, host, signals }: UrlFacts): number =>
  rawValueOnHost(model, readHost(model, url, host), url, signals)
