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
  { name: "false positives at a score of 70", isBetter: -1 }
] as const

const FALSE_POSITIVES_OF_RECALL = [0.001, 0.01] as const

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

/** The measures of a model when each site counts so many times. NaN if a class has no row. */
const measure = (
  { order, endsTie, isSuspicious, isCalledPhishing }: Prepared,
  { isPhishing, sites }: Rows,
  counts: Uint16Array
): Float64Array => {
  let phishing = 0
  let benign = 0
  const at40 = [0, 0]
  const at70 = [0, 0]
  for (let row = 0; row < order.length; row++) {
    const count = counts[sites[row] ?? 0] ?? 0
    if (count === 0) continue
    const label = isPhishing[row] ?? 0
    if (label === 1) phishing += count
    else benign += count
    if (isSuspicious[row] === 1) at40[label] = (at40[label] ?? 0) + count
    if (isCalledPhishing[row] === 1) at70[label] = (at70[label] ?? 0) + count
  }
  const [first, second] = FALSE_POSITIVES_OF_RECALL
  const recalls = [0, 0]
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
    if (wrong <= first * benign) recalls[0] = found
    if (wrong <= second * benign) recalls[1] = found
    foundBeforeTie = found
    wrongBeforeTie = wrong
  }
  return Float64Array.of(
    area / (2 * phishing * benign),
    (recalls[0] ?? 0) / phishing,
    (recalls[1] ?? 0) / phishing,
    (at40[1] ?? 0) / phishing,
    (at40[0] ?? 0) / benign,
    (at70[1] ?? 0) / phishing,
    (at70[0] ?? 0) / benign
  )
}

const quantile = (sorted: Float64Array, share: number): number =>
  sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN

/** Compares the models by each measure. The same rows give the same result. */
export const compare = (rows: ReadonlyArray<ComparedRow>): ReadonlyArray<Comparison> => {
  const prepared = rowsOf(rows)
  const current = prepare(rows.map((row) => row.current))
  const candidate = prepare(rows.map((row) => row.candidate))
  const once = new Uint16Array(prepared.siteCount).fill(1)
  const currentMeasures = measure(current, prepared, once)
  const candidateMeasures = measure(candidate, prepared, once)

  const differences = measures.map(() => new Float64Array(RESAMPLES))
  const next = Random.random(SEED)
  const counts = new Uint16Array(prepared.siteCount)
  for (let resample = 0; resample < RESAMPLES; resample++) {
    counts.fill(0)
    for (let draw = 0; draw < prepared.siteCount; draw++) {
      const site = Math.floor(next() * prepared.siteCount)
      counts[site] = (counts[site] ?? 0) + 1
    }
    const before = measure(current, prepared, counts)
    const after = measure(candidate, prepared, counts)
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
