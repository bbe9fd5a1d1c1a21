/** Stacking: the tables of weights, and trees that learn from the tables' sums for rows that those did not learn from. */

import * as ModelFeatures from "../../src/Checkers/Heuristics/Model/ModelFeatures.ts"
import * as ModelTables from "../../src/Checkers/Heuristics/Model/ModelTables.ts"
import type { Extracted } from "../Extraction.ts"
import type { TrainingRows } from "../TrainingRows.ts"
import * as BoostedTrees from "./BoostedTrees.ts"
import type * as Jobs from "./Jobs.ts"
import * as LogisticRegression from "./LogisticRegression.ts"

const SEED = 20260201

/** Rows to learn from, and behind them others, of which only the values are wanted. */
export interface FittedRows extends Pick<TrainingRows, "labels" | "weights" | "folds"> {
  readonly learned: number
}

/** Fits tables to all rows. Fills in the sums of weights, each by tables that learned from the other folds. */
export const fitTables = async (
  { labels, weights, folds, learned }: FittedRows,
  { count, hashed, values }: Extracted,
  { fitTable }: Jobs.JobRunner
): Promise<ReadonlyArray<LogisticRegression.Fitted>> => {
  const results = await Promise.all(
    ModelTables.tables.map(({ bits }, index) => {
      const rows = hashed[index]
      if (rows === undefined) throw new Error(`table has no buckets: ${index}`)
      return fitTable({ size: 1 << bits, rows, learned, labels, weights, folds, seed: SEED + index })
    })
  )
  for (let row = 0; row < count; row++) {
    let all = 0
    for (const [index, { heldOut }] of results.entries()) {
      const logit = heldOut[row] ?? 0
      values[row * ModelFeatures.COUNT + index] = logit
      all += logit
    }
    values[row * ModelFeatures.COUNT + results.length] = all
  }
  return results.map(({ fitted }) => fitted)
}

/** Fills in the sums of weights of rows that the tables did not learn from. */
export const applyTables = (
  tables: ReadonlyArray<LogisticRegression.Fitted>,
  { count, hashed, values }: Extracted
): void => {
  for (let row = 0; row < count; row++) {
    let all = 0
    for (const [table, fitted] of tables.entries()) {
      const hashedRows = hashed[table]
      if (hashedRows === undefined) continue
      const logit = LogisticRegression.logit(fitted, hashedRows, row)
      values[row * ModelFeatures.COUNT + table] = logit
      all += logit
    }
    values[row * ModelFeatures.COUNT + tables.length] = all
  }
}

/**
 * Learned from the same rows up to 7 August, tested on sites that came on the 8th to 14th, at 0.1, 0.45 and 1 % of false positives: 120
 * trees of 24 leaves at a rate of 0.22 found 0.582, 0.745 and 0.803 of OpenPhish's, phishunt's and TweetFeed's, and 0.465, 0.685 and
 * 0.760 of PhishTank's and others'; these 0.594, 0.750 and 0.805, and 0.488, 0.692 and 0.764 (means of three seeds). 240 of 31 at 0.1
 * found no more.
 */
export const PLAN: BoostedTrees.Plan = {
  trees: 180,
  leaves: 31,
  rate: 0.14,
  rowShare: 0.5,
  featureShare: 0.7,
  minHessian: 10,
  l2: 10,
  features: ModelFeatures.names.map((_, feature) => feature)
}

interface FittedTrees {
  readonly trees: BoostedTrees.Boosted
  readonly cuts: BoostedTrees.Cuts
  /** The log-odds of each row by trees that did not learn from it. */
  readonly heldOut: Float64Array
}

const TREE_SEED = 7

/** Fits trees to all rows, and to each half of the folds, which gives held-out log-odds of the other half. */
export const fitTrees = async (
  { labels, weights, folds, learned }: FittedRows,
  { count, values }: Extracted,
  runner: Jobs.JobRunner,
  plan: BoostedTrees.Plan
): Promise<FittedTrees> => {
  const table = { width: ModelFeatures.COUNT, count, values }
  const cuts = BoostedTrees.cutsOf({ ...table, count: learned })
  const bins = BoostedTrees.binsOf(table, cuts)
  const fitFolds = (isUsed: (fold: number) => boolean) =>
    runner.fitTrees({
      bins,
      width: ModelFeatures.COUNT,
      labels,
      weights,
      rows: Uint32Array.from(labels.keys()).filter((row) => row < learned && isUsed(folds[row] ?? 0)),
      plan,
      seed: TREE_SEED
    })
  const [all, even, odd] = await Promise.all([
    fitFolds(() => true),
    fitFolds((fold) => fold % 2 === 0),
    fitFolds((fold) => fold % 2 === 1)
  ])
  const heldOut = Float64Array.from(folds, (fold, row) => (fold % 2 === 0 ? odd : even).logits[row] ?? 0)
  return { trees: all.boosted, cuts, heldOut }
}
