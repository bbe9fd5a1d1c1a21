/** Which rows the model learns from, how much each counts, and which are held out together. */

import type { CanonicalUrl } from "../src/Checkers/CanonicalUrl.ts"
import * as Extraction from "./Extraction.ts"
import * as LabelledUrls from "./LabelledUrls.ts"
import * as Random from "./Random.ts"
import * as MadeRows from "./SyntheticRows.ts"

export interface TrainingRows {
  readonly urls: ReadonlyArray<CanonicalUrl>
  readonly labels: Uint8Array
  readonly weights: Float32Array
  /** From 0 to FOLDS - 1. */
  readonly folds: Uint8Array
  readonly isMatched: Uint8Array
  /** Put together from parts of other rows: to learn from, not to measure by. */
  readonly isMade: Uint8Array
  readonly months: ReadonlyArray<string>
  readonly sources: ReadonlyArray<string>
}

export const FOLDS = 4

/** Rows of the file whose classes do not differ in shape count this much more. */
const MATCHED_WEIGHT = 2

/** So many rows of one holder count in full; more count as their square root does. */
const ROWS_IN_FULL = 2

/** In months: kits and habits change, so that what was seen half a year before the newest row counts half. */
const HALF_LIFE = 6

const monthNumber = (date: string): number => 12 * Number(date.slice(0, 4)) + Number(date.slice(5, 7))

const recency = (firstSeen: string, newest: number): number =>
  firstSeen === "" ? 1 : 0.5 ** ((newest - monthNumber(firstSeen)) / HALF_LIFE)

/**
 * Phishing is held out by the time it was first seen, in blocks of equal size: one campaign lasts for days, so that it
 * is either learned from or predicted. Ordinary pages have no date and are held out by their holder.
 */
const foldsOf = (
  rows: ReadonlyArray<LabelledUrls.LabelledUrl>,
  holders: ReadonlyArray<string>
): Uint8Array => {
  const firstSeen = new Map<string, string>()
  const size = new Map<string, number>()
  for (const [index, row] of rows.entries()) {
    if (!row.isPhishing) continue
    const holder = holders[index] ?? ""
    const earlier = firstSeen.get(holder)
    if (earlier === undefined || row.firstSeen < earlier) firstSeen.set(holder, row.firstSeen)
    size.set(holder, (size.get(holder) ?? 0) + 1)
  }
  const ordered = [...firstSeen].sort(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0))
  const total = rows.filter(({ isPhishing }) => isPhishing).length
  const foldOfHolder = new Map<string, number>()
  let before = 0
  for (const [holder] of ordered) {
    foldOfHolder.set(holder, Math.min(FOLDS - 1, Math.floor((before * FOLDS) / total)))
    before += size.get(holder) ?? 0
  }
  return Uint8Array.from(holders, (holder) => foldOfHolder.get(holder) ?? Random.hash(holder) % FOLDS)
}

export const read = (folder: string): TrainingRows => {
  const matched = new Set(LabelledUrls.read(`${folder}/train_matched.tsv.gz`).map(({ url }) => url))
  const observed = LabelledUrls.read(`${folder}/train.tsv.gz`)
  const logins = LabelledUrls.read(`${folder}/brand_login_benign.tsv.gz`).filter(
    ({ split }) => split === "train"
  )
  const rows: Array<LabelledUrls.LabelledUrl> = []
  const urls: Array<CanonicalUrl> = []
  for (const row of [...observed, ...MadeRows.of(observed, logins)]) {
    const url = Extraction.parsed(row.url)
    if (url === undefined) continue
    rows.push(row)
    urls.push(url)
  }
  const holders = urls.map(Extraction.holder)
  const size = new Map<string, number>()
  for (const holder of holders) size.set(holder, (size.get(holder) ?? 0) + 1)
  const isMatched = Uint8Array.from(rows, ({ url }) => (matched.has(url) ? 1 : 0))
  const newest = rows.reduce((latest, { firstSeen }) => Math.max(latest, monthNumber(firstSeen) || 0), 0)
  const weights = Float32Array.from(rows, (row, index) => {
    const crowd = Math.max(1, (size.get(holders[index] ?? "") ?? 1) / ROWS_IN_FULL)
    return ((isMatched[index] === 1 ? MATCHED_WEIGHT : 1) * recency(row.firstSeen, newest)) / Math.sqrt(crowd)
  })
  return {
    urls,
    labels: Uint8Array.from(rows, ({ isPhishing }) => (isPhishing ? 1 : 0)),
    weights,
    folds: foldsOf(rows, holders),
    isMatched,
    isMade: Uint8Array.from(rows, ({ source }) => (source === MadeRows.SOURCE ? 1 : 0)),
    months: rows.map(({ firstSeen }) => firstSeen.slice(0, 7)),
    sources: rows.map(({ source }) => source)
  }
}

/** A part of the rows, for experiments. */
export const everyNth = (rows: TrainingRows, step: number): TrainingRows => {
  const kept = (_: unknown, row: number): boolean => row % step === 0
  return {
    urls: rows.urls.filter(kept),
    labels: rows.labels.filter(kept),
    weights: rows.weights.filter(kept),
    folds: rows.folds.filter(kept),
    isMatched: rows.isMatched.filter(kept),
    isMade: rows.isMade.filter(kept),
    months: rows.months.filter(kept),
    sources: rows.sources.filter(kept)
  }
}
