/**
 * How much a URL resembles reported phishing. Four tables have weights for pieces of its text; decision trees combine their
 * sums with features of the URL's structure and facts. Training data and errors: training/MODEL_CARD.md.
 */

import type { Curve } from "./Model/Curve.ts"
import * as ModelFeatures from "./Model/ModelFeatures.ts"
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
export interface Model {
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
  /** The sum of the host's table below which a host is ordinary: see `ModelValue`. In log-odds. */
  readonly ordinaryHost: number
}

/**
 * The share of the tables' mean in a raw value. Trees tell no difference beyond their last thresholds, so the most suspicious rows
 * are all alike to them. Chosen on recent: it finds 3 points more at 0.05 % false positives, and 0.3 more at 0.45 %; also of July's
 * and August's phishing.
 */
const TABLES_SHARE = 0.22

/** The raw value by the log-odds of the trees and the total of the tables' sums. */
export const combined = (treesLogOdds: number, total: number): number =>
  treesLogOdds + TABLES_SHARE * (total / ModelTables.tables.length - treesLogOdds)

/** The log-odds by a table. */
const logitOf = ({ bias, scale, weights }: ModelTable, buckets: ModelTables.Buckets): number => {
  let sum = 0
  for (let at = 0; at < buckets.length; at++) sum += weights[buckets[at] ?? 0] ?? 0
  return buckets.length === 0 ? bias : bias + (scale * sum) / Math.sqrt(buckets.length)
}

/** The sum of the host's table for a host, in log-odds. */
export const hostLogit = ({ tables: [, hosts] }: Model, text: ModelText.HostText): number =>
  logitOf(hosts, ModelTables.ofHost(text))

/** The values of a URL, log-odds of phishing: 0 is even. */
export interface RawValue {
  /** By trees and tables. */
  readonly value: number
  /** The sum of the host's table. */
  readonly hostLogit: number
}

/** Evaluates the model for a URL. */
export const evaluate = (model: Model, facts: UrlFacts): RawValue => {
  const [urls, , paths, tokens] = model.tables
  const host = ModelText.hostTextOf(facts.host)
  const path = ModelText.pathTextOf(facts.url)
  const hostSum = hostLogit(model, host)
  const sums = [
    logitOf(urls, ModelTables.ofUrl(host, path)),
    hostSum,
    logitOf(paths, ModelTables.ofPath(path)),
    logitOf(tokens, ModelTables.tokensOf(host, path))
  ]
  const total = sums.reduce((total, sum) => total + sum, 0)
  const row = new Float32Array(ModelFeatures.COUNT)
  row.set(sums)
  row[ModelFeatures.ALL_WEIGHTS] = total
  ModelFeatures.fill(facts, host, path, model.costs, row)
  return { value: combined(ModelTrees.logOdds(model.trees, row), total), hostLogit: hostSum }
}

/** The raw value of a URL: log-odds of phishing, 0 is even. */
export const rawValue = (model: Model, facts: UrlFacts): number => evaluate(model, facts).value
