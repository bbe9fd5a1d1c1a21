/** The receiver operating characteristic (ROC) curve of raw values. */

interface ScoredRow {
  readonly isPhishing: boolean
  readonly value: number
}

/** The shares of benign and of phishing rows at or above one value. */
interface Point {
  readonly falsePositives: number
  readonly recall: number
}

export interface RocCurve {
  readonly phishing: number
  readonly benign: number
  /** From no row to all rows, one point for each value. */
  readonly points: ReadonlyArray<Point>
  readonly area: number
}

/** Nothing if a class has no rows. */
export const rocCurve = (rows: ReadonlyArray<ScoredRow>): RocCurve | undefined => {
  const phishing = rows.filter(({ isPhishing }) => isPhishing).length
  const benign = rows.length - phishing
  if (phishing === 0 || benign === 0) return undefined
  const points: Array<Point> = [{ falsePositives: 0, recall: 0 }]
  let truePositives = 0
  let falsePositives = 0
  let area = 0
  const ordered = rows.toSorted((a, b) => b.value - a.value)
  for (const [index, { isPhishing, value }] of ordered.entries()) {
    if (isPhishing) truePositives++
    else falsePositives++
    if (ordered[index + 1]?.value === value) continue
    const point = { falsePositives: falsePositives / benign, recall: truePositives / phishing }
    const previous = points.at(-1) ?? point
    area += ((point.falsePositives - previous.falsePositives) * (point.recall + previous.recall)) / 2
    points.push(point)
  }
  return { phishing, benign, points, area }
}

/** The highest recall with at most this share of false positives. */
export const recallAt = ({ points }: RocCurve, falsePositives: number): number => {
  let recall = 0
  for (const point of points)
    if (point.falsePositives <= falsePositives) recall = Math.max(recall, point.recall)
  return recall
}
