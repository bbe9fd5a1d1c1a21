import type { Model } from "../src/Checkers/Heuristics/Model.ts"
import type { TrainingRows } from "./TrainingRows.ts"

/**
 * Shares of benign URLs above each threshold, by values of rows that neither tables nor trees learned from. The service
 * promises 1 % and 0.1 %; later data showed two to three times the share that a threshold was set for.
 */
const SHARES = { suspicious: 0.004, likely: 0.0015, phishing: 0.0004 } as const

const above = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => b - a)[Math.floor(share * values.length)] ?? Number.MAX_VALUE

/** Each the stricter of what all rows and the rows of matched shape ask for. */
export const of = (rows: TrainingRows, heldOut: Float64Array): Model["thresholds"] => {
  const benign: Array<number> = []
  const matched: Array<number> = []
  for (const [row, value] of heldOut.entries()) {
    if (rows.labels[row] === 1 || rows.isMade[row] === 1) continue
    benign.push(value)
    if (rows.isMatched[row] === 1) matched.push(value)
  }
  const strict = (share: number): number => Math.max(above(benign, share), above(matched, share))
  return {
    suspicious: strict(SHARES.suspicious),
    likely: strict(SHARES.likely),
    phishing: strict(SHARES.phishing)
  }
}
