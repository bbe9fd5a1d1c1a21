/** Gradient-boosted decision trees for log-odds, grown leaf by leaf on histograms, as in LightGBM (Ke et al., 2017). */

import { random } from "../Random.ts"
import { sigmoid } from "./LogisticRegression.ts"

/** The rising thresholds of each feature; the bin of a value is the number of thresholds below it. */
export type Cuts = ReadonlyArray<Float32Array>

const MAX_BINS = 255

/** Rows one after the other, `width` values each. */
interface Rows {
  readonly width: number
  readonly count: number
  readonly values: Float32Array
}

/** Thresholds at equal shares of the rows, between different values. */
export const cutsOf = ({ width, count, values }: Rows): Cuts =>
  Array.from({ length: width }, (_, feature) => {
    const step = Math.max(1, Math.floor(count / 100_000))
    const sample = new Float32Array(Math.ceil(count / step))
    for (let index = 0; index < sample.length; index++)
      sample[index] = values[index * step * width + feature] ?? 0
    sample.sort()
    const cuts: Array<number> = []
    const distinct = new Set(sample)
    const candidates =
      distinct.size <= MAX_BINS
        ? [...distinct].slice(0, -1)
        : Array.from(
            { length: MAX_BINS - 1 },
            (_, bin) => sample[Math.floor(((bin + 1) * sample.length) / MAX_BINS)] ?? 0
          )
    for (const cut of candidates) if (cuts.at(-1) !== cut) cuts.push(cut)
    return Float32Array.from(cuts)
  })

const binOf = (cuts: Float32Array, value: number): number => {
  let low = 0
  let high = cuts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (value <= (cuts[middle] ?? 0)) high = middle
    else low = middle + 1
  }
  return low
}

/** The bin of every value, in shared memory so that threads need no copy. */
export const binsOf = ({ width, count, values }: Rows, cuts: Cuts): Uint8Array => {
  const bins = new Uint8Array(new SharedArrayBuffer(width * count))
  for (let feature = 0; feature < width; feature++) {
    const thresholds = cuts[feature] ?? new Float32Array()
    for (let row = 0; row < count; row++)
      bins[row * width + feature] = binOf(thresholds, values[row * width + feature] ?? 0)
  }
  return bins
}

/** A child that is not negative is a node, else the complement of a leaf. Cuts are indices into the feature's thresholds. */
export interface Tree {
  readonly feature: Array<number>
  readonly cut: Array<number>
  readonly left: Array<number>
  readonly right: Array<number>
  readonly leaves: Array<number>
}

export interface Boosted {
  readonly bias: number
  readonly trees: ReadonlyArray<Tree>
}

export interface Plan {
  readonly trees: number
  readonly leaves: number
  readonly rate: number
  /** The share of rows and features that each tree learns from. */
  readonly rowShare: number
  readonly featureShare: number
  readonly minHessian: number
  readonly l2: number
  /** The features that trees may use. */
  readonly features: ReadonlyArray<number>
}

interface Leaf {
  readonly from: number
  readonly to: number
  readonly histogram: Float64Array
  readonly gradient: number
  readonly hessian: number
  readonly split: Split | undefined
  /** The parent node and the side; -1 for the root. */
  readonly parent: number
  readonly isLeft: boolean
}

interface Split {
  readonly gain: number
  readonly feature: number
  readonly cut: number
}

const BINS = 256

/** Fits the trees to `rows`. Calls `onTree` after each tree with the log-odds of all rows. */
export const fit = (
  bins: Uint8Array,
  width: number,
  labels: Uint8Array,
  weights: Float32Array,
  rows: Uint32Array,
  plan: Plan,
  seed: number,
  onTree: (trees: number, logits: Float64Array) => void
): Boosted => {
  const next = random(seed)
  const count = labels.length
  let positive = 0
  let total = 0
  for (const row of rows) {
    total += weights[row] ?? 0
    if (labels[row] === 1) positive += weights[row] ?? 0
  }
  const bias = Math.log(positive / (total - positive))
  const logits = new Float64Array(count).fill(bias)
  const gradients = new Float64Array(count)
  const hessians = new Float64Array(count)
  const indices = new Uint32Array(rows.length)
  const spare = new Uint32Array(rows.length)
  const trees: Array<Tree> = []
  const pool: Array<Float64Array> = []
  const { features } = plan

  const histogramOf = (from: number, to: number, allowed: ReadonlyArray<number>): Float64Array => {
    const histogram = pool.pop()?.fill(0) ?? new Float64Array(width * BINS * 2)
    for (let index = from; index < to; index++) {
      const row = indices[index] ?? 0
      const gradient = gradients[row] ?? 0
      const hessian = hessians[row] ?? 0
      const base = row * width
      for (const feature of allowed) {
        const at = ((feature << 8) | (bins[base + feature] ?? 0)) << 1
        histogram[at] = (histogram[at] ?? 0) + gradient
        histogram[at + 1] = (histogram[at + 1] ?? 0) + hessian
      }
    }
    return histogram
  }

  const bestSplit = (
    histogram: Float64Array,
    gradient: number,
    hessian: number,
    allowed: ReadonlyArray<number>
  ): Split | undefined => {
    const { l2, minHessian } = plan
    const whole = (gradient * gradient) / (hessian + l2)
    let best: Split | undefined
    let bestGain = 1e-6
    for (const feature of allowed) {
      let leftGradient = 0
      let leftHessian = 0
      const base = feature << 8
      for (let bin = 0; bin < BINS - 1; bin++) {
        const at = (base | bin) << 1
        const binHessian = histogram[at + 1] ?? 0
        if (binHessian === 0) continue
        leftGradient += histogram[at] ?? 0
        leftHessian += binHessian
        if (leftHessian < minHessian) continue
        const rightHessian = hessian - leftHessian
        if (rightHessian < minHessian) break
        const rightGradient = gradient - leftGradient
        const gain =
          (leftGradient * leftGradient) / (leftHessian + l2) +
          (rightGradient * rightGradient) / (rightHessian + l2) -
          whole
        if (gain > bestGain) {
          bestGain = gain
          best = { gain, feature, cut: bin }
        }
      }
    }
    return best
  }

  for (let number = 0; number < plan.trees; number++) {
    let sampled = 0
    for (const row of rows) {
      const probability = sigmoid(logits[row] ?? 0)
      const weight = weights[row] ?? 0
      gradients[row] = (probability - (labels[row] ?? 0)) * weight
      hessians[row] = Math.max(probability * (1 - probability), 1e-9) * weight
      if (next() < plan.rowShare) indices[sampled++] = row
    }
    const allowed = features.filter(() => next() < plan.featureShare)
    if (allowed.length === 0) allowed.push(...features)

    const leafOf = (
      from: number,
      to: number,
      histogram: Float64Array,
      gradient: number,
      hessian: number,
      parent: number,
      isLeft: boolean
    ): Leaf => ({
      from,
      to,
      histogram,
      gradient,
      hessian,
      split: bestSplit(histogram, gradient, hessian, allowed),
      parent,
      isLeft
    })

    let gradient = 0
    let hessian = 0
    for (let index = 0; index < sampled; index++) {
      gradient += gradients[indices[index] ?? 0] ?? 0
      hessian += hessians[indices[index] ?? 0] ?? 0
    }
    const tree: Tree = { feature: [], cut: [], left: [], right: [], leaves: [] }
    let open = [leafOf(0, sampled, histogramOf(0, sampled, allowed), gradient, hessian, -1, false)]
    while (open.length < plan.leaves) {
      let best: Leaf | undefined
      for (const leaf of open)
        if (leaf.split !== undefined && leaf.split.gain > (best?.split?.gain ?? 0)) best = leaf
      if (best?.split === undefined) break
      const { feature, cut } = best.split
      let middle = best.from
      let rightCount = 0
      let leftGradient = 0
      let leftHessian = 0
      for (let index = best.from; index < best.to; index++) {
        const row = indices[index] ?? 0
        if ((bins[row * width + feature] ?? 0) <= cut) {
          indices[middle++] = row
          leftGradient += gradients[row] ?? 0
          leftHessian += hessians[row] ?? 0
        } else spare[rightCount++] = row
      }
      indices.set(spare.subarray(0, rightCount), middle)
      const leftIsSmaller = middle - best.from < best.to - middle
      const smaller = leftIsSmaller
        ? histogramOf(best.from, middle, allowed)
        : histogramOf(middle, best.to, allowed)
      const larger = best.histogram
      for (let at = 0; at < larger.length; at++) larger[at] = (larger[at] ?? 0) - (smaller[at] ?? 0)
      const node = tree.feature.length
      tree.feature.push(feature)
      tree.cut.push(cut)
      tree.left.push(0)
      tree.right.push(0)
      if (best.parent >= 0) (best.isLeft ? tree.left : tree.right)[best.parent] = node
      const split = best
      open = open.filter((leaf) => leaf !== split)
      open.push(
        leafOf(best.from, middle, leftIsSmaller ? smaller : larger, leftGradient, leftHessian, node, true),
        leafOf(
          middle,
          best.to,
          leftIsSmaller ? larger : smaller,
          best.gradient - leftGradient,
          best.hessian - leftHessian,
          node,
          false
        )
      )
    }
    for (const leaf of open) {
      if (leaf.parent >= 0) (leaf.isLeft ? tree.left : tree.right)[leaf.parent] = ~tree.leaves.length
      tree.leaves.push((-plan.rate * leaf.gradient) / (leaf.hessian + plan.l2))
      pool.push(leaf.histogram)
    }
    trees.push(tree)
    for (let row = 0; row < count; row++)
      logits[row] = (logits[row] ?? 0) + leafValue(tree, bins, row * width)
    onTree(trees.length, logits)
  }
  return { bias, trees }
}

const leafValue = (tree: Tree, bins: Uint8Array, base: number): number => {
  if (tree.feature.length === 0) return tree.leaves[0] ?? 0
  let node = 0
  while (node >= 0)
    node =
      ((bins[base + (tree.feature[node] ?? 0)] ?? 0) <= (tree.cut[node] ?? 0)
        ? tree.left[node]
        : tree.right[node]) ?? -1
  return tree.leaves[~node] ?? 0
}
