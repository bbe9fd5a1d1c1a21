/** How well raw values tell phishing from benign, at every threshold. */

export interface Scored {
  readonly isPhishing: boolean
  readonly value: number
}

/** A point of the ROC curve: shares of the benign and of the phishing rows at or above a value. */
export interface Point {
  readonly falsePositives: number
  readonly recall: number
}

export interface Curve {
  readonly phishing: number
  readonly benign: number
  /** From none to all; rows of equal values come together. */
  readonly points: ReadonlyArray<Point>
  readonly area: number
}

/** Nothing where one class is missing. */
export const of = (rows: ReadonlyArray<Scored>): Curve | undefined => {
  const phishing = rows.filter(({ isPhishing }) => isPhishing).length
  const benign = rows.length - phishing
  if (phishing === 0 || benign === 0) return undefined
  const points: Array<Point> = [{ falsePositives: 0, recall: 0 }]
  let caught = 0
  let wrong = 0
  let area = 0
  const ordered = rows.toSorted((a, b) => b.value - a.value)
  for (const [index, { isPhishing, value }] of ordered.entries()) {
    if (isPhishing) caught++
    else wrong++
    if (ordered[index + 1]?.value === value) continue
    const point = { falsePositives: wrong / benign, recall: caught / phishing }
    const previous = points.at(-1) ?? point
    area += ((point.falsePositives - previous.falsePositives) * (point.recall + previous.recall)) / 2
    points.push(point)
  }
  return { phishing, benign, points, area }
}

/** The greatest recall at which no larger share of the benign rows is hit. */
export const recallAt = ({ points }: Curve, falsePositives: number): number => {
  let recall = 0
  for (const point of points)
    if (point.falsePositives <= falsePositives) recall = Math.max(recall, point.recall)
  return recall
}
