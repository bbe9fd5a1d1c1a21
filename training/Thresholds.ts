import type { Model } from "../src/Checkers/Heuristics/Model.ts"
import type { TrainingRows } from "./TrainingRows.ts"

/**
 * Shares of benign URLs above each threshold, by values of rows that neither tables nor trees learned from. The service
 * promises 1 % and 0.1 %; later data showed two to three times the share that a threshold was set for.
 */
const SHARES = { suspicious: 0.004, likely: 0.0015, phishing: 0.0004 } as const

/** Of bare hosts: what a host must reach by itself for a page on it to be phishing. */
const HOST_SHARE = 0.002

const above = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => b - a)[Math.floor(share * values.length)] ?? Number.MAX_VALUE

/** Each the stricter of what all rows and the rows of matched shape ask for. */
export const of = (rows: TrainingRows, heldOut: Float64Array): Model["thresholds"] => {
  const benign: Array<number> = []
  const matched: Array<number> = []
  const bare: Array<number> = []
  for (const [row, { path, query }] of rows.urls.entries()) {
    if (rows.labels[row] === 1 || rows.isMade[row] === 1) continue
    const value = heldOut[row] ?? 0
    benign.push(value)
    if (rows.isMatched[row] === 1) matched.push(value)
    if (path === "/" && query === undefined) bare.push(value)
  }
  const strict = (share: number): number => Math.max(above(benign, share), above(matched, share))
  return {
    suspicious: strict(SHARES.suspicious),
    likely: strict(SHARES.likely),
    phishing: strict(SHARES.phishing),
    host: above(bare, HOST_SHARE)
  }
}
