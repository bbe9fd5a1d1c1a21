/**
 * How much a URL resembles reported phishing. Four tables have weights for pieces of its text; decision trees combine their
 * sums with features of the URL's structure and facts. Training data and errors: training/MODEL_CARD.md.
 */

import type { Curve } from "./Model/Curve.ts"
import * as ModelFeatures from "./Model/ModelFeatures.ts"
import * as Buckets from "./Model/ModelTables/Buckets.ts"
import type { HostHashes } from "./Model/ModelTables/Tokens.ts"
import * as ModelTables from "./Model/ModelTables.ts"
import * as ModelText from "./Model/ModelText.ts"
import * as ModelTrees from "./Model/ModelTrees.ts"
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
  readonly trees: ModelTrees.ModelTrees
  readonly curve: Curve
}

/** Not for use by two threads: it contains scratch memory. */
export interface Model extends ModelWeights {
  /** Overwritten by every call with this model. */
  readonly scratch: {
    readonly buckets: Buckets.Buckets
    readonly characterWeights: Float64Array
  }
}

export const make = (weights: ModelWeights): Model => ({
  ...weights,
  scratch: { buckets: Buckets.make(), characterWeights: new Float64Array(ModelText.MAX_CHARS) }
})

/** The part of the computation that depends only on the host, done once for several paths and queries. */
export interface ModelHost {
  readonly text: ModelText.HostText
  readonly hashes: HostHashes
  /** The sum of the host's table, in log-odds. */
  readonly logit: number
  /** The total weight and the number of the host's tokens. */
  readonly tokenWeight: number
  readonly tokenCount: number
  /** Only the features of the host are valid; every call of `rawValueOnHost` overwrites the others. */
  readonly row: Float32Array
}

const total = (weights: Int8Array, { count, indices }: Buckets.Buckets): number => {
  let sum = 0
  for (let index = 0; index < count; index++) sum += weights[indices[index] ?? 0] ?? 0
  return sum
}

/** The log-odds by a table for `count` weights with this total. */
const logitOf = ({ scale, bias }: ModelTable, weight: number, count: number): number =>
  count === 0 ? bias : bias + (scale * weight) / Math.sqrt(count)

/** Reads the host of a URL. */
export const readHost = (model: Model, facts: UrlFacts): ModelHost => {
  const { buckets } = model.scratch
  const [, hosts, , tokens] = model.tables
  const text = ModelText.hostTextOf(facts.host)
  const row = new Float32Array(ModelFeatures.COUNT)
  ModelFeatures.fillHost(facts, text, model.costs, row)
  ModelTables.fillHost(text, buckets)
  const logit = logitOf(hosts, total(hosts.weights, buckets), buckets.count)
  row[ModelFeatures.HOST_WEIGHTS] = logit
  const hashes = ModelTables.fillHostTokens(text, buckets)
  return { text, hashes, logit, tokenWeight: total(tokens.weights, buckets), tokenCount: buckets.count, row }
}

/** The raw value of a URL on this host: log-odds of phishing, 0 is even. */
export const rawValueOnHost = (model: Model, host: ModelHost, facts: UrlFacts): number => {
  const { buckets } = model.scratch
  const [urls, , paths, tokens] = model.tables
  const { row } = host
  const path = ModelText.pathTextOf(facts.url)
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
  ModelFeatures.fillPath(facts, path, model.costs, row)
  return ModelTrees.logOdds(model.trees, row)
}

/** The raw value of a URL: log-odds of phishing, 0 is even. */
export const rawValue = (model: Model, facts: UrlFacts): number =>
  rawValueOnHost(model, readHost(model, facts), facts)
