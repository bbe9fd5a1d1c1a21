/**
 * What a score of the model means: the share of benign URLs that reach it. The same for all trainings, each of which fits the
 * curve anew to rows that it did not learn from.
 */

/** A share of benign URLs, and the score that so many reach. Between two of them the score is linear in the logarithm of the share. */
export const meaning = [
  { share: 0.03, score: 20 },
  { share: 0.0045, score: 40 },
  { share: 0.0005, score: 70 },
  { share: 0.00005, score: 90 }
] as const

/** Below it there is no finding. */
export const MIN_SCORE = 20

/** The model is never certain. */
export const MAX_SCORE = 95

/** The scores for which a curve has a value. */
export const scores: ReadonlyArray<number> = Array.from(
  { length: (MAX_SCORE - MIN_SCORE) / 5 + 1 },
  (_, index) => MIN_SCORE + 5 * index
)

/** The value, in log-odds, from which a URL has each of `scores`. They rise. */
export type Curve = ReadonlyArray<number>

/** The share of benign URLs that reach a score of `MIN_SCORE` or more: `shareOf(40)` is 0.0045. Beyond 90 as from 70 to 90. */
export const shareOf = (score: number): number => {
  const found = meaning.findIndex((point) => point.score >= score)
  const at = found === -1 ? meaning.length - 1 : Math.max(1, found)
  const [from = meaning[0], to = meaning[3]] = [meaning[at - 1], meaning[at]]
  return from.share * (to.share / from.share) ** ((score - from.score) / (to.score - from.score))
}

/** The score of a value in log-odds: 0 below `MIN_SCORE`, else a whole number up to `MAX_SCORE`. */
export const scoreOf = (curve: Curve, value: number): number => {
  const next = curve.findIndex((from) => from > value)
  if (next === -1) return MAX_SCORE
  if (next === 0) return 0
  const [from = 0, to = 0] = [curve[next - 1], curve[next]]
  const [low = 0, high = 0] = [scores[next - 1], scores[next]]
  return Math.floor(low + ((high - low) * (value - from)) / (to - from))
}

/** The value from which a URL has one of `scores`. */
export const valueFor = (curve: Curve, score: number): number =>
  curve[scores.indexOf(score)] ?? Number.POSITIVE_INFINITY
