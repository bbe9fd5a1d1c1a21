/**
 * Fits the curve from values to scores, and what an ordinary host is: to benign rows, by values of tables and trees that did not
 * learn from them.
 */

import * as Curve from "../../src/Checkers/Heuristics/Model/Curve.ts"
import * as ModelValue from "../../src/Checkers/Heuristics/Model/ModelValue.ts"
import type { Model } from "../../src/Checkers/Heuristics/Model.ts"
import * as UrlFacts from "../../src/Checkers/Heuristics/UrlFacts.ts"
import type { CanonicalUrl } from "../../src/Url/CanonicalUrl.ts"
import type { TrainingRows } from "../TrainingRows.ts"

/** The rows of a benign row's other URLs, whose values the policy asks for. */
interface Variants {
  readonly row: number
  readonly facts: UrlFacts.UrlFacts
  readonly withoutQuery: number
  readonly bareHost: number
  readonly bareDomains: ReadonlyArray<number>
}

export interface OtherUrls {
  /** They come after the rows to learn from. */
  readonly urls: ReadonlyArray<CanonicalUrl>
  readonly folds: Uint8Array
  readonly variants: ReadonlyArray<Variants>
}

/** The URLs that the policy asks for beside those of the benign rows: without the query, the bare host, the bare domains. */
export const otherUrls = (rows: TrainingRows): OtherUrls => {
  const urls: Array<CanonicalUrl> = []
  const folds: Array<number> = []
  const rowByUrl = new Map<string, number>()
  const rowOf = ({ url }: UrlFacts.UrlFacts, fold: number): number => {
    const key = `${url.host}:${url.port ?? ""}${url.path}`
    const known = rowByUrl.get(key)
    if (known !== undefined) return known
    const row = rows.urls.length + urls.length
    urls.push(url)
    folds.push(fold)
    rowByUrl.set(key, row)
    return row
  }
  const variants: Array<Variants> = []
  for (const [row, url] of rows.urls.entries()) {
    if (rows.labels[row] === 1 || rows.isSynthetic[row] === 1) continue
    const facts = UrlFacts.factsOf(url)
    const fold = rows.folds[row] ?? 0
    variants.push({
      row,
      facts,
      withoutQuery: url.query === undefined ? row : rowOf(UrlFacts.withoutQuery(facts), fold),
      bareHost: UrlFacts.isBareHost(url) ? row : rowOf(UrlFacts.ofHost(facts), fold),
      bareDomains: UrlFacts.domainPrefixes(facts).map((prefix) =>
        rowOf(UrlFacts.ofDomain(facts, prefix), fold)
      )
    })
  }
  return { urls, folds: Uint8Array.from(folds), variants }
}

const quantileFromTop = (falling: Float64Array, share: number): number =>
  falling[Math.floor(share * falling.length)] ?? Number.MAX_VALUE

/** Values must rise, also where there are too few rows to tell two scores apart. */
const MIN_STEP = 0.001

/**
 * Later URLs reach low scores more often than those that the folds hold back. With 0.75 of the share fitted at 20, and 0.85 at 40,
 * 3.6 and 3.1 % of the benign rows of two tests reached 20, and 0.53 and 0.45 % reached 40; 70 is reached as often as fitted. So a part
 * is fitted, from this at a score of 20 to the whole at 70: about 3 % and 0.45 % of later rows reach 20 and 40.
 */
const FITTED_PART_AT_20 = 0.6

const fittedShareOf = (score: number): number =>
  Curve.shareOf(score) * Math.min(1, FITTED_PART_AT_20 + ((1 - FITTED_PART_AT_20) * (score - 20)) / 50)

/**
 * Of each score the value that its share of the rows reaches. Of all shapes together: among rows of matched shape most are bare
 * hosts, of which a score of 70 said 0.01 % of all benign rows in place of 0.05 %.
 */
const curveOf = (values: Float64Array): Curve.Curve => {
  const falling = values.sort().reverse()
  const curve: Array<number> = []
  for (const score of Curve.scores)
    curve.push(
      Math.max(quantileFromTop(falling, fittedShareOf(score)), (curve.at(-1) ?? -Number.MAX_VALUE) + MIN_STEP)
    )
  return curve
}

/**
 * The share of the benign rows whose hosts are ordinary; of later ones it is about 0.1 less. The policy for them costs a third of a
 * point of the finds at 70.
 */
const ORDINARY_SHARE = 0.76

/** The policy asks for marks of the curve: the first is without policy. */
const ROUNDS = 3

/**
 * For held-out values. `values`: of each row and of the other URLs behind them; `hostLogits`: likewise, the sums of the
 * host's table.
 */
export const fit = (
  { variants }: OtherUrls,
  values: ArrayLike<number>,
  hostLogits: ArrayLike<number>
): Pick<Model, "curve" | "ordinaryHost"> => {
  const at = (row: number): number => values[row] ?? 0
  const falling = Float64Array.from(variants, ({ row }) => hostLogits[row] ?? 0)
    .sort()
    .reverse()
  const ordinaryHost = quantileFromTop(falling, 1 - ORDINARY_SHARE)
  const benign = (valueIn: (variant: Variants) => number): Curve.Curve => {
    const values = variants.map((variant) =>
      ModelValue.hasValue(variant.facts) ? valueIn(variant) : Number.NEGATIVE_INFINITY
    )
    return curveOf(Float64Array.from(values))
  }
  let curve = benign(({ row }) => at(row))
  for (let round = 1; round < ROUNDS; round++) {
    // Always with the policy: what it lowers below the lowest score has none, wherever that begins.
    const marks = { ...ModelValue.marksOf({ curve, ordinaryHost }), scored: Number.NEGATIVE_INFINITY }
    curve = benign(({ bareDomains, bareHost, facts, row, withoutQuery }) =>
      ModelValue.valueByPolicy(
        facts,
        {
          whole: at(row),
          hostLogit: hostLogits[row] ?? 0,
          domainLogit: () => Math.max(...bareDomains.map((row) => hostLogits[row] ?? 0)),
          withoutQuery: () => at(withoutQuery),
          bareHost: () => at(bareHost),
          bareDomain: () => Math.max(...bareDomains.map(at))
        },
        marks
      )
    )
  }
  return { curve, ordinaryHost }
}
