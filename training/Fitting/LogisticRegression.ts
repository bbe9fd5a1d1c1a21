/** Logistic regression on hashed pieces: fits one table of weights. */

/** The buckets of all rows one after the other: row `r` has those from `starts[r]` to `starts[r + 1]`. */
export interface HashedRows {
  readonly starts: Float64Array
  readonly buckets: Uint32Array
}

export interface Fitted {
  readonly weights: Float32Array
  readonly bias: number
}

/** AdaGrad (Duchi, Hazan, Singer 2011); the rate was chosen on recent, not apart from other settings. */
const RATE = 0.8
const INITIAL_GRADIENT = 1
const EPOCHS = 5
/** L2 regularization of the weights of each row. */
const DECAY = 2e-6

export const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit))

/**
 * Fits the weights. The logit of a row is the sum of its buckets' weights over the square root of their number, plus the
 * bias. `order` lists the rows to learn from, in the order of each epoch.
 */
export const fit = (
  size: number,
  rows: HashedRows,
  labels: Uint8Array,
  rowWeights: Float32Array,
  order: Uint32Array
): Fitted => {
  const weights = new Float32Array(size)
  const gradients = new Float32Array(size).fill(INITIAL_GRADIENT)
  const { starts, buckets } = rows
  let bias = 0
  let biasGradients = INITIAL_GRADIENT
  for (let epoch = 0; epoch < EPOCHS; epoch++)
    for (let index = 0; index < order.length; index++) {
      const row = order[index] ?? 0
      const from = starts[row] ?? 0
      const to = starts[row + 1] ?? 0
      if (to === from) continue
      const share = 1 / Math.sqrt(to - from)
      let sum = 0
      for (let at = from; at < to; at++) sum += weights[buckets[at] ?? 0] ?? 0
      const error = (sigmoid(bias + sum * share) - (labels[row] ?? 0)) * (rowWeights[row] ?? 0)
      biasGradients += error * error
      bias -= (RATE * error) / Math.sqrt(biasGradients)
      const step = error * share
      const squared = step * step
      for (let at = from; at < to; at++) {
        const bucket = buckets[at] ?? 0
        const weight = weights[bucket] ?? 0
        const gradient = (gradients[bucket] ?? 0) + squared
        gradients[bucket] = gradient
        weights[bucket] = weight - (RATE * (step + DECAY * weight)) / Math.sqrt(gradient)
      }
    }
  return { weights, bias }
}

/** The logit of a row. */
export const logit = ({ weights, bias }: Fitted, { starts, buckets }: HashedRows, row: number): number => {
  const from = starts[row] ?? 0
  const to = starts[row + 1] ?? 0
  if (to === from) return bias
  let sum = 0
  for (let at = from; at < to; at++) sum += weights[buckets[at] ?? 0] ?? 0
  return bias + sum / Math.sqrt(to - from)
}
