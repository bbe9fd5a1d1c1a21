/** The long computations of training, each independent of the others, so that they can run in parallel. */

import * as Random from "../Random.ts"
import { FOLDS } from "../TrainingRows.ts"
import * as BoostedTrees from "./BoostedTrees.ts"
import * as LogisticRegression from "./LogisticRegression.ts"

export interface TableJob {
  readonly size: number
  readonly rows: LogisticRegression.HashedRows
  /** The rows to learn from are the first ones. */
  readonly learned: number
  readonly labels: Uint8Array
  readonly weights: Float32Array
  readonly folds: Uint8Array
  readonly seed: number
}

export interface TableResult {
  readonly fitted: LogisticRegression.Fitted
  /** The logit of each row by weights that learned from the other folds. */
  readonly heldOut: Float32Array
}

export interface TreesJob {
  readonly bins: Uint8Array
  readonly width: number
  readonly labels: Uint8Array
  readonly weights: Float32Array
  /** The rows to learn from. */
  readonly rows: Uint32Array
  readonly plan: BoostedTrees.Plan
  readonly seed: number
}

export interface TreesResult {
  readonly boosted: BoostedTrees.Boosted
  /** The log-odds of all rows, also of those not learned from. */
  readonly logits: Float64Array
}

export interface JobRunner {
  readonly fitTable: (job: TableJob) => Promise<TableResult>
  readonly fitTrees: (job: TreesJob) => Promise<TreesResult>
}

export const fitTable = ({ size, rows, learned, labels, weights, folds, seed }: TableJob): TableResult => {
  const fitWithout = (heldOutFold: number) =>
    LogisticRegression.fit(
      size,
      rows,
      labels,
      weights,
      Random.shuffle(
        Uint32Array.from(labels.keys()).filter((row) => row < learned && folds[row] !== heldOutFold),
        seed
      )
    )
  const heldOut = new Float32Array(labels.length)
  for (let fold = 0; fold < FOLDS; fold++) {
    const fitted = fitWithout(fold)
    for (let row = 0; row < heldOut.length; row++)
      if (folds[row] === fold) heldOut[row] = LogisticRegression.logit(fitted, rows, row)
  }
  return { fitted: fitWithout(FOLDS), heldOut }
}

export const fitTrees = ({ bins, width, labels, weights, rows, plan, seed }: TreesJob): TreesResult => {
  let logits: Float64Array = new Float64Array()
  const boosted = BoostedTrees.fit(bins, width, labels, weights, rows, plan, seed, (_, all) => {
    logits = all
  })
  return { boosted, logits }
}

/** Runs one job after the other in this thread. */
export const sequentialRunner: JobRunner = {
  fitTable: (job) => Promise.resolve(fitTable(job)),
  fitTrees: (job) => Promise.resolve(fitTrees(job))
}
