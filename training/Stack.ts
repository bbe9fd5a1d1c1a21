/** The tables of weights and, on top of what they say about rows that they did not learn from, the trees. */

import * as ModelFeatures from "../src/Checkers/Heuristics/Model/ModelFeatures.ts"
import * as ModelTables from "../src/Checkers/Heuristics/Model/ModelTables.ts"
import * as BoostedTrees from "./BoostedTrees.ts"
import type { Extracted } from "./Extraction.ts"
import type * as Jobs from "./Jobs.ts"
import * as LogisticRegression from "./LogisticRegression.ts"
import type { TrainingRows } from "./TrainingRows.ts"

const SEED = 20260201

/** Fills in the sums of weights, each by tables that have learned from the other folds, and gives tables of all rows. */
export const fitTables = async (
  { labels, weights, folds }: TrainingRows,
  { count, hashed, values }: Extracted,
  { table }: Jobs.Run
): Promise<ReadonlyArray<LogisticRegression.Fitted>> => {
  const done = await Promise.all(
    ModelTables.tables.map(({ bits }, index) => {
      const rows = hashed[index]
      if (rows === undefined) throw new Error(`no buckets for table ${index}`)
      return table({ size: 1 << bits, rows, labels, weights, folds, seed: SEED + index })
    })
  )
  for (let row = 0; row < count; row++) {
    let all = 0
    for (const [index, { heldOut }] of done.entries()) {
      const logit = heldOut[row] ?? 0
      values[row * ModelFeatures.COUNT + index] = logit
      all += logit
    }
    values[row * ModelFeatures.COUNT + done.length] = all
  }
  return done.map(({ fitted }) => fitted)
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

/** Found on the last months of the training rows: more trees or leaves gained less than they cost in time and size. */
export const PLAN: BoostedTrees.Plan = {
  trees: 240,
  leaves: 31,
  rate: 0.1,
  rowShare: 0.5,
  featureShare: 0.7,
  leastHessian: 5,
  l2: 5,
  features: ModelFeatures.names.map((_, feature) => feature)
}

export interface FittedTrees {
  readonly trees: BoostedTrees.Boosted
  readonly cuts: BoostedTrees.Cuts
  /** Of each row by trees that did not learn from it. */
  readonly heldOut: Float64Array
}

const TREE_SEED = 7

/** Trees of all rows; and twice of one half of the folds, to see the other half as if it were new. */
export const fitTrees = async (
  { labels, weights, folds }: TrainingRows,
  { count, values }: Extracted,
  run: Jobs.Run,
  plan: BoostedTrees.Plan
): Promise<FittedTrees> => {
  const table = { width: ModelFeatures.COUNT, count, values }
  const cuts = BoostedTrees.cutsOf(table)
  const bins = BoostedTrees.binned(table, cuts)
  const learn = (keep: (fold: number) => boolean) =>
    run.trees({
      bins,
      width: ModelFeatures.COUNT,
      labels,
      weights,
      rows: Uint32Array.from(labels.keys()).filter((row) => keep(folds[row] ?? 0)),
      plan,
      seed: TREE_SEED
    })
  const [all, even, odd] = await Promise.all([
    learn(() => true),
    learn((fold) => fold % 2 === 0),
    learn((fold) => fold % 2 === 1)
  ])
  const heldOut = Float64Array.from(folds, (fold, row) => (fold % 2 === 0 ? odd : even).logits[row] ?? 0)
  return { trees: all.boosted, cuts, heldOut }
}
