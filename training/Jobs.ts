/** The long computations of a training, each by itself, so that they can run side by side. */

import * as BoostedTrees from "./BoostedTrees.ts"
import * as LogisticRegression from "./LogisticRegression.ts"
import * as Random from "./Random.ts"
import { FOLDS } from "./TrainingRows.ts"

export interface TableJob {
  readonly size: number
  readonly rows: LogisticRegression.HashedRows
  readonly labels: Uint8Array
  readonly weights: Float32Array
  readonly folds: Uint8Array
  readonly seed: number
}

export interface TableDone {
  readonly fitted: LogisticRegression.Fitted
  /** Of each row by weights that have learned from the other folds. */
  readonly heldOut: Float32Array
}

export interface TreesJob {
  readonly bins: Uint8Array
  readonly width: number
  readonly labels: Uint8Array
  readonly weights: Float32Array
  /** To learn from. */
  readonly rows: Uint32Array
  readonly plan: BoostedTrees.Plan
  readonly seed: number
}

export interface TreesDone {
  readonly boosted: BoostedTrees.Boosted
  /** Of each row, learned from or not. */
  readonly logits: Float64Array
}

export interface Run {
  readonly table: (job: TableJob) => Promise<TableDone>
  readonly trees: (job: TreesJob) => Promise<TreesDone>
}

export const table = ({ size, rows, labels, weights, folds, seed }: TableJob): TableDone => {
  const learn = (held: number) =>
    LogisticRegression.fit(
      size,
      rows,
      labels,
      weights,
      Random.shuffle(
        Uint32Array.from(labels.keys()).filter((row) => folds[row] !== held),
        seed
      )
    )
  const heldOut = new Float32Array(labels.length)
  for (let fold = 0; fold < FOLDS; fold++) {
    const others = learn(fold)
    for (let row = 0; row < heldOut.length; row++)
      if (folds[row] === fold) heldOut[row] = LogisticRegression.logit(others, rows, row)
  }
  return { fitted: learn(FOLDS), heldOut }
}

export const trees = ({ bins, width, labels, weights, rows, plan, seed }: TreesJob): TreesDone => {
  let logits: Float64Array = new Float64Array()
  const boosted = BoostedTrees.fit(bins, width, labels, weights, rows, plan, seed, (_, all) => {
    logits = all
  })
  return { boosted, logits }
}

/** One after the other, in this thread. */
export const here: Run = {
  table: (job) => Promise.resolve(table(job)),
  trees: (job) => Promise.resolve(trees(job))
}
