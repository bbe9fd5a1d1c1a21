/** Compares two models on the same rows: each measure with the 95 % interval of its difference, by resampling sites. */

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
  /** Whether the interval lies wholly on the wrong side, or there is none. */
  readonly isWorse: boolean
}

const RESAMPLES = 1000
const SEED = 20260702
/** Both ends of the interval of 95 %. */
const TAIL = 0.025

const SUSPICIOUS = 40
const PHISHING = 70

/** In the order of `measure`. */
const measures = [
  { name: "area under the ROC curve", isBetter: 1 },
  { name: "recall at 0.1 % false positives", isBetter: 1 },
  { name: "recall at 1 % false positives", isBetter: 1 },
  { name: "recall at a score of 40", isBetter: 1 },
  { name: "false positives at a score of 40", isBetter: -1 },
  { name: "recall at a score of 70", isBetter: 1 },
  { name: "false positives at a score of 70", isBetter: -1 },
  { name: "recall at as many false positives as the current score of 40", isBetter: 1 },
  { name: "recall at as many false positives as the current score of 70", isBetter: 1 }
] as const

const FALSE_POSITIVES_OF_RECALL = [0.001, 0.01] as const

/** The measures that do not depend on how the curve of the candidate was fitted. */
export const atCurrentFalsePositives: ReadonlySet<string> = new Set(
  measures.slice(-2).map(({ name }) => name)
)

/** The judgements of one model, prepared for many resamples. */
interface Prepared {
  /** Rows by falling value. */
  readonly order: Uint32Array
  /** Whether the next row of `order` has another value. */
  readonly endsTie: Uint8Array
  readonly isSuspicious: Uint8Array
  readonly isCalledPhishing: Uint8Array
}

const prepare = (judgements: ReadonlyArray<Judgement>): Prepared => {
  const values = Float64Array.from(judgements, ({ value }) => value)
  const order = Uint32Array.from(values.keys()).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0))
  return {
    order,
    endsTie: Uint8Array.from(order, (row, at) => (values[row] === values[order[at + 1] ?? -1] ? 0 : 1)),
    isSuspicious: Uint8Array.from(judgements, ({ score }) => (score >= SUSPICIOUS ? 1 : 0)),
    isCalledPhishing: Uint8Array.from(judgements, ({ score }) => (score >= PHISHING ? 1 : 0))
  }
}

interface Rows {
  readonly isPhishing: Uint8Array
  /** The number of each row's site. */
  readonly sites: Uint32Array
  readonly siteCount: number
}

const rowsOf = (rows: ReadonlyArray<ComparedRow>): Rows => {
  const numbers = new Map<string, number>()
  const sites = Uint32Array.from(rows, ({ site }) => {
    const number = numbers.get(site) ?? numbers.size
    numbers.set(site, number)
    return number
  })
  return {
    isPhishing: Uint8Array.from(rows, (row) => (row.isPhishing ? 1 : 0)),
    sites,
    siteCount: numbers.size
  }
}

/** The rows of one class, and how many of them have a score of at least 40 and 70. */
interface Scored {
  all: number
  suspicious: number
  phishing: number
}

/** Counts benign rows and rows of phishing when each site counts so many times. */
const countScores = (
  { isSuspicious, isCalledPhishing }: Prepared,
  { isPhishing, sites }: Rows,
  counts: Uint16Array
): readonly [benign: Scored, phishing: Scored] => {
  const benign = { all: 0, suspicious: 0, phishing: 0 }
  const phishing = { all: 0, suspicious: 0, phishing: 0 }
  for (const [row, site] of sites.entries()) {
    const count = counts[site] ?? 0
    if (count === 0) continue
    const scored = isPhishing[row] === 1 ? phishing : benign
    scored.all += count
    if (isSuspicious[row] === 1) scored.suspicious += count
    if (isCalledPhishing[row] === 1) scored.phishing += count
  }
  return [benign, phishing]
}

/**
 * The measures of a model when each site counts so many times. NaN if a class has no row. `allowed` are the benign rows as the
 * current model scores them: recall at as many shows which model is better whatever its thresholds.
 */
const measure = (
  model: Prepared,
  { isPhishing, sites }: Rows,
  counts: Uint16Array,
  [benign, phishing]: readonly [benign: Scored, phishing: Scored],
  allowed: Scored
): Float64Array => {
  const { order, endsTie } = model
  const [first, second] = FALSE_POSITIVES_OF_RECALL
  const bounds = [first * benign.all, second * benign.all, allowed.suspicious, allowed.phishing]
  const recalls = bounds.map(() => 0)
  let found = 0
  let foundBeforeTie = 0
  let wrong = 0
  let wrongBeforeTie = 0
  let area = 0
  for (let at = 0; at < order.length; at++) {
    const row = order[at] ?? 0
    const count = counts[sites[row] ?? 0] ?? 0
    if (isPhishing[row] === 1) found += count
    else wrong += count
    if (endsTie[at] === 0) continue
    area += (wrong - wrongBeforeTie) * (found + foundBeforeTie)
    for (const [index, bound] of bounds.entries()) if (wrong <= bound) recalls[index] = found
    foundBeforeTie = found
    wrongBeforeTie = wrong
  }
  const [atFirst = 0, atSecond = 0, atSuspicious = 0, atPhishing = 0] = recalls
  return Float64Array.of(
    area / (2 * phishing.all * benign.all),
    atFirst / phishing.all,
    atSecond / phishing.all,
    phishing.suspicious / phishing.all,
    benign.suspicious / benign.all,
    phishing.phishing / phishing.all,
    benign.phishing / benign.all,
    atSuspicious / phishing.all,
    atPhishing / phishing.all
  )
}

const quantile = (sorted: Float64Array, share: number): number =>
  sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN

/** Compares the models by each measure. The same rows give the same result. */
export const compare = (rows: ReadonlyArray<ComparedRow>): ReadonlyArray<Comparison> => {
  const prepared = rowsOf(rows)
  const current = prepare(rows.map((row) => row.current))
  const candidate = prepare(rows.map((row) => row.candidate))
  const measureBoth = (counts: Uint16Array) => {
    const scored = countScores(current, prepared, counts)
    const [allowed] = scored
    return [
      measure(current, prepared, counts, scored, allowed),
      measure(candidate, prepared, counts, countScores(candidate, prepared, counts), allowed)
    ] as const
  }
  const [currentMeasures, candidateMeasures] = measureBoth(new Uint16Array(prepared.siteCount).fill(1))

  const differences = measures.map(() => new Float64Array(RESAMPLES))
  const next = Random.random(SEED)
  const counts = new Uint16Array(prepared.siteCount)
  for (let resample = 0; resample < RESAMPLES; resample++) {
    counts.fill(0)
    for (let draw = 0; draw < prepared.siteCount; draw++) {
      const site = Math.floor(next() * prepared.siteCount)
      counts[site] = (counts[site] ?? 0) + 1
    }
    const [before, after] = measureBoth(counts)
    for (const [index, values] of differences.entries())
      values[resample] = (after[index] ?? 0) - (before[index] ?? 0)
  }
  return measures.map(({ name, isBetter }, index) => {
    const sorted = (differences[index] ?? new Float64Array()).filter((value) => !Number.isNaN(value)).sort()
    const low = quantile(sorted, TAIL)
    const high = quantile(sorted, 1 - TAIL)
    return {
      measure: name,
      current: currentMeasures[index] ?? Number.NaN,
      candidate: candidateMeasures[index] ?? Number.NaN,
      low,
      high,
      // Written so that NaN is worse.
      isWorse: isBetter === 1 ? !(high >= 0) : !(low <= 0)
    }
  })
}
