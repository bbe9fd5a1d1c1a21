/** The rows that the model learns from, their weights, and the folds in which they are held out. */

import type { CanonicalUrl } from "../src/Url/CanonicalUrl.ts"
import type { LabelledUrl } from "./Corpus/LabelledUrl.ts"
import * as MatchedShape from "./Corpus/MatchedShape.ts"
import * as Extraction from "./Extraction.ts"
import * as Random from "./Random.ts"
import * as SyntheticRows from "./SyntheticRows.ts"

export interface TrainingRows {
  readonly urls: ReadonlyArray<CanonicalUrl>
  readonly labels: Uint8Array
  readonly weights: Float32Array
  /** From 0 to FOLDS - 1. */
  readonly folds: Uint8Array
  readonly isMatched: Uint8Array
  /** See `SyntheticRows`. Thresholds and the costs of letters do not use them. */
  readonly isSynthetic: Uint8Array
  /** The oldest and the newest day on which phishing was first seen; `""` if no row says. */
  readonly oldestPhishing: string
  readonly newestPhishing: string
}

export const FOLDS = 4

/** The weight of rows of matched shape. */
const MATCHED_WEIGHT = 2

/** More rows of one site are weighted down to the square root of their number. */
const FULL_WEIGHT_ROWS = 2

/** The weight of dated phishing halves with this age, because phishing kits change. */
const HALF_LIFE_MONTHS = 4
/** The minimum, relative to the newest phishing: many old tricks come back. */
const MIN_RECENCY = 0.04

/** Phishing is divided by time into this many blocks of equal size, which go to the folds in turn. */
const TIME_BLOCKS = 16

const monthNumber = (date: string): number => 12 * Number(date.slice(0, 4)) + Number(date.slice(5, 7))

/** Ordinary pages change less, and do not lose weight. */
const recency = ({ isPhishing, firstSeen }: LabelledUrl, newest: number): number =>
  !isPhishing || firstSeen === ""
    ? 1
    : Math.max(MIN_RECENCY, 0.5 ** ((newest - monthNumber(firstSeen)) / HALF_LIFE_MONTHS))

/**
 * Phishing is divided into folds by the time it was first seen, in blocks of equal size: a campaign lasts for days, so it is
 * either learned from or held out. Ordinary pages are divided by site.
 */
const foldsOf = (rows: ReadonlyArray<LabelledUrl>, sites: ReadonlyArray<string>): Uint8Array => {
  const firstSeen = new Map<string, string>()
  const size = new Map<string, number>()
  for (const [index, row] of rows.entries()) {
    if (!row.isPhishing) continue
    const site = sites[index] ?? ""
    const earlier = firstSeen.get(site)
    if (earlier === undefined || row.firstSeen < earlier) firstSeen.set(site, row.firstSeen)
    size.set(site, (size.get(site) ?? 0) + 1)
  }
  const ordered = [...firstSeen].sort(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0))
  const total = rows.filter(({ isPhishing }) => isPhishing).length
  const foldOfSite = new Map<string, number>()
  let before = 0
  for (const [site] of ordered) {
    foldOfSite.set(site, Math.min(TIME_BLOCKS - 1, Math.floor((before * TIME_BLOCKS) / total)) % FOLDS)
    before += size.get(site) ?? 0
  }
  return Uint8Array.from(sites, (site) => foldOfSite.get(site) ?? Random.hash(site) % FOLDS)
}

/** `logins` are the login pages that synthetic rows are made from. */
export const of = (
  observed: ReadonlyArray<LabelledUrl>,
  logins: ReadonlyArray<LabelledUrl>
): TrainingRows => {
  const marks = MatchedShape.mark(observed)
  const matched = new Set(observed.filter((_, row) => marks[row] === 1).map(({ url }) => url))
  const rows: Array<LabelledUrl> = []
  const urls: Array<CanonicalUrl> = []
  for (const row of [...observed, ...SyntheticRows.makeRows(observed, logins)]) {
    const url = Extraction.parse(row.url)
    if (url === undefined) continue
    rows.push(row)
    urls.push(url)
  }
  const sites = urls.map(Extraction.siteOf)
  const size = new Map<string, number>()
  for (const site of sites) size.set(site, (size.get(site) ?? 0) + 1)
  const isMatched = Uint8Array.from(rows, ({ url }) => (matched.has(url) ? 1 : 0))
  const days = rows.flatMap(({ isPhishing, firstSeen }) =>
    isPhishing && firstSeen !== "" ? [firstSeen] : []
  )
  const newestPhishing = days.reduce((one, other) => (one > other ? one : other), "")
  const newestMonth = monthNumber(newestPhishing)
  const weights = Float32Array.from(rows, (row, index) => {
    const crowding = Math.max(1, (size.get(sites[index] ?? "") ?? 1) / FULL_WEIGHT_ROWS)
    return ((isMatched[index] === 1 ? MATCHED_WEIGHT : 1) * recency(row, newestMonth)) / Math.sqrt(crowding)
  })
  return {
    urls,
    labels: Uint8Array.from(rows, ({ isPhishing }) => (isPhishing ? 1 : 0)),
    weights,
    folds: foldsOf(rows, sites),
    isMatched,
    isSynthetic: Uint8Array.from(rows, ({ source }) => (source === SyntheticRows.SOURCE ? 1 : 0)),
    oldestPhishing: days.reduce((one, other) => (one < other ? one : other), newestPhishing),
    newestPhishing
  }
}

/** The benign URLs that were observed, for the costs of letters: made-up names would change which letters are ordinary. */
export const observedBenign = ({ urls, labels, isSynthetic }: TrainingRows): ReadonlyArray<CanonicalUrl> =>
  urls.filter((_, row) => labels[row] === 0 && isSynthetic[row] === 0)

/** Every nth row, for experiments. */
export const everyNth = (rows: TrainingRows, step: number): TrainingRows => {
  const isNth = (_: unknown, row: number): boolean => row % step === 0
  return {
    urls: rows.urls.filter(isNth),
    labels: rows.labels.filter(isNth),
    weights: rows.weights.filter(isNth),
    folds: rows.folds.filter(isNth),
    isMatched: rows.isMatched.filter(isNth),
    isSynthetic: rows.isSynthetic.filter(isNth),
    oldestPhishing: rows.oldestPhishing,
    newestPhishing: rows.newestPhishing
  }
}
