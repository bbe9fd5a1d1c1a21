/**
 * How much a URL resembles reported phishing: tables of weights for pieces of its text, whose sums, with numbers about
 * its build and its signals, decision trees judge. How it was trained and where it fails: training/MODEL_CARD.md.
 */

import type { CanonicalUrl } from "../CanonicalUrl.ts"
import * as ModelFeatures from "./ModelFeatures.ts"
import * as ModelHashes from "./ModelHashes.ts"
import * as ModelText from "./ModelText.ts"
import * as ModelTrees from "./ModelTrees.ts"
import type { Signal } from "./Signal.ts"

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
  /** One for each of `ModelHashes.tables`. */
  readonly tables: ReadonlyArray<ModelTable>
  /** See `LetterRuns`. */
  readonly costs: Uint8Array
  readonly trees: ModelTrees.ModelTrees
  /** Raw values from which `ModelLevel` gives each level; `host` is for the host with nothing behind it. */
  readonly thresholds: {
    readonly suspicious: number
    readonly likely: number
    readonly phishing: number
    readonly host: number
  }
}

const sumOf = ({ weights, scale, bias }: ModelTable, { count, at }: ModelHashes.Places): number => {
  let sum = 0
  for (let index = 0; index < count; index++) sum += weights[at[index] ?? 0] ?? 0
  return count === 0 ? bias : bias + (scale * sum) / Math.sqrt(count)
}

/** Scratch space: a call never waits, and a thread has its own. */
const places = ModelHashes.places()
const row = new Float32Array(ModelFeatures.COUNT)

/** The raw value: log-odds of phishing as the model sees them, 0 is even. `signals` are those of the same URL. */
export const value = (model: Model, url: CanonicalUrl, signals: ReadonlyArray<Signal>): number => {
  const text = ModelText.of(url)
  let all = 0
  for (let table = 0; table < ModelHashes.readers.length; table++) {
    ModelHashes.readers[table]?.(text, places)
    const weights = model.tables[table]
    const sum = weights === undefined ? 0 : sumOf(weights, places)
    row[table] = sum
    all += sum
  }
  row[ModelHashes.readers.length] = all
  ModelFeatures.fill(url, text, signals, model.costs, row)
  return ModelTrees.value(model.trees, row)
}
