/**
 * Compares two models on the same rows: the recall of each at as many false positives as the current one has at a score, with the
 * 95 % interval of the difference, by resampling sites. It does not depend on how the curve of the candidate was fitted.
 */

import * as Random from "../Random.ts"

/** What a model says about one row. */
export interface Judgement {
  /** The raw value. */
  readonly value: number
  readonly score: number
}

export interface ComparedRow {
  readonly isPhishing: boolean
  /** Rows of one site are not independent, so a resample has all of them or none. */
  readonly site: string
  readonly current: Judgement
  readonly candidate: Judgement
}

export interface Comparison {
  readonly measure: string
  readonly current: number
  readonly candidate: number
  /** Of the candidate minus the current one. */
  readonly low: number
  readonly high: number
  /** Whether the interval lies wholly below 0, or there is none. */
  readonly isWorse: boolean
}

const RESAMPLES = 1000
const SEED = 20260702
/** Both ends of the interval of 95 %. */
const TAIL = 0.025

const scores = [40, 70] as const

/** The row numbers by falling value of a model. */
interface Order {
  readonly rows: Uint32Array
  /** Whether the next row has another value. */
  readonly endsTie: Uint8Array
}

const orderOf = (judgements: ReadonlyArray<Judgement>): Order => {
  const values = Float64Array.from(judgements, ({ value }) => value)
  const rows = Uint32Array.from(values.keys()).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0))
  const endsTie = Uint8Array.from(rows, (row, at) => (values[row] === values[rows[at + 1] ?? -1] ? 0 : 1))
  return { rows, endsTie }
}

const siteNumbers = (rows: ReadonlyArray<ComparedRow>): Uint32Array => {
  const numbers = new Map<string, number>()
  return Uint32Array.from(rows, ({ site }) => {
    const number = numbers.get(site) ?? numbers.size
    numbers.set(site, number)
    return number
  })
}

const quantile = (sorted: Float64Array, share: number): number =>
  sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN

/** Compares the models at the scores of 40 and 70 of the current one. The same rows give the same result. */
export const compare = (rows: ReadonlyArray<ComparedRow>): ReadonlyArray<Comparison> => {
  const sites = siteNumbers(rows)
  const siteCount = sites.reduce((count, site) => Math.max(count, site + 1), 0)
  const orders = [orderOf(rows.map((row) => row.current)), orderOf(rows.map((row) => row.candidate))]

  /** The recall of both models at each score when each site counts so many times. NaN without phishing. */
  const measure = (counts: Uint16Array): ReadonlyArray<ReadonlyArray<number>> => {
    let phishing = 0
    const allowed = scores.map(() => 0)
    for (const [index, { current, isPhishing }] of rows.entries()) {
      const count = counts[sites[index] ?? 0] ?? 0
      if (isPhishing) phishing += count
      else
        for (const [at, score] of scores.entries())
          if (current.score >= score) allowed[at] = (allowed[at] ?? 0) + count
    }
    return orders.map((order) => found(order, counts, allowed).map((count) => count / phishing))
  }

  /** How much phishing has a value above that of more benign rows than are allowed, for each number of them. */
  const found = (
    { endsTie, rows: ordered }: Order,
    counts: Uint16Array,
    allowed: ReadonlyArray<number>
  ): ReadonlyArray<number> => {
    const most = Math.max(...allowed)
    const result = allowed.map(() => 0)
    let right = 0
    let wrong = 0
    for (let at = 0; at < ordered.length && wrong <= most; at++) {
      const row = ordered[at] ?? 0
      const count = counts[sites[row] ?? 0] ?? 0
      if (rows[row]?.isPhishing) right += count
      else wrong += count
      if (endsTie[at] === 1)
        for (const [index, bound] of allowed.entries()) if (wrong <= bound) result[index] = right
    }
    return result
  }

  const [current = [], candidate = []] = measure(new Uint16Array(siteCount).fill(1))
  const differences = scores.map(() => new Float64Array(RESAMPLES))
  const next = Random.random(SEED)
  const counts = new Uint16Array(siteCount)
  for (let resample = 0; resample < RESAMPLES; resample++) {
    counts.fill(0)
    for (let draw = 0; draw < siteCount; draw++) {
      const site = Math.floor(next() * siteCount)
      counts[site] = (counts[site] ?? 0) + 1
    }
    const [before = [], after = []] = measure(counts)
    for (const [at, values] of differences.entries()) values[resample] = (after[at] ?? 0) - (before[at] ?? 0)
  }
  return scores.map((score, at) => {
    const sorted = (differences[at] ?? new Float64Array()).filter((value) => !Number.isNaN(value)).sort()
    const high = quantile(sorted, 1 - TAIL)
    return {
      measure: `recall at as many false positives as the current score of ${score}`,
      current: current[at] ?? Number.NaN,
      candidate: candidate[at] ?? Number.NaN,
      low: quantile(sorted, TAIL),
      high,
      // Written so that NaN is worse.
      isWorse: !(high >= 0)
    }
  })
}
