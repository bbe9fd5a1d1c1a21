import type { Model } from "../../src/Checkers/Heuristics/Model.ts"
import type { TrainingRows } from "../TrainingRows.ts"

/**
 * The share of benign URLs above each threshold, by raw values of rows that neither tables nor trees learned from. Chosen so
 * that at most 0.5 % of the benign rows of the next two months score 40 or more, and 0.05 % score 70 or more. The share for
 * `phishing` is higher than that, because `ModelLevel` also requires a bare host above `likely`.
 */
const SHARES = { suspicious: 0.0047, likely: 0.0027, phishing: 0.001 } as const

const quantileFromTop = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => b - a)[Math.floor(share * values.length)] ?? Number.MAX_VALUE

/** Each threshold is the higher of those for all rows and for the rows of matched shape. */
export const thresholdsOf = (rows: TrainingRows, heldOut: Float64Array): Model["thresholds"] => {
  const benign: Array<number> = []
  const matched: Array<number> = []
  for (const [row, value] of heldOut.entries()) {
    if (rows.labels[row] === 1 || rows.isSynthetic[row] === 1) continue
    benign.push(value)
    if (rows.isMatched[row] === 1) matched.push(value)
  }
  const threshold = (share: number): number =>
    Math.max(quantileFromTop(benign, share), quantileFromTop(matched, share))
  return {
    suspicious: threshold(SHARES.suspicious),
    likely: threshold(SHARES.likely),
    phishing: threshold(SHARES.phishing)
  }
}
