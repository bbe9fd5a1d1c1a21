/** Fitted numbers as the weights file holds them. */

import type { ModelTable } from "../src/Checkers/Heuristics/Model.ts"
import type { ModelTrees } from "../src/Checkers/Heuristics/ModelTrees.ts"
import type { Boosted, Cuts } from "./BoostedTrees.ts"
import type { Fitted } from "./LogisticRegression.ts"

const LARGEST = 127
/** The few weights above this share of all are cut down to it, so that the many keep more of their digits. */
const KEPT_SHARE = 0.9998

/** Weights as multiples of one unit, in a byte each. */
export const table = ({ weights, bias }: Fitted): ModelTable => {
  const sizes = Float32Array.from(weights, Math.abs).sort()
  const scale = (sizes[Math.floor(KEPT_SHARE * (sizes.length - 1))] ?? 0) / LARGEST
  return {
    weights: Int8Array.from(weights, (weight) =>
      Math.max(-LARGEST, Math.min(LARGEST, Math.round(weight / scale)))
    ),
    scale,
    bias
  }
}

/** All trees in one row of nodes, cuts as the values that they stand for. */
export const trees = ({ bias, trees }: Boosted, cuts: Cuts): ModelTrees => {
  const roots: Array<number> = []
  const feature: Array<number> = []
  const threshold: Array<number> = []
  const left: Array<number> = []
  const right: Array<number> = []
  const leaves: Array<number> = []
  for (const tree of trees) {
    const node = feature.length
    const leaf = leaves.length
    const child = (own: number): number => (own < 0 ? ~(~own + leaf) : own + node)
    roots.push(tree.feature.length === 0 ? ~leaf : node)
    for (const [index, own] of tree.feature.entries()) {
      feature.push(own)
      threshold.push(cuts[own]?.[tree.cut[index] ?? 0] ?? Number.POSITIVE_INFINITY)
      left.push(child(tree.left[index] ?? 0))
      right.push(child(tree.right[index] ?? 0))
    }
    leaves.push(...tree.leaves)
  }
  return {
    roots: Int32Array.from(roots),
    feature: Uint8Array.from(feature),
    threshold: Float32Array.from(threshold),
    left: Int32Array.from(left),
    right: Int32Array.from(right),
    leaves: Float32Array.from(leaves),
    bias
  }
}
