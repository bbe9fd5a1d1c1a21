/** Converts fitted numbers to those of the weights file. */

import { type ModelTable, type ModelTrees, nodeOf } from "../../src/Checkers/Heuristics/Model.ts"
import type { Boosted, Cuts, Tree } from "./BoostedTrees.ts"
import type { Fitted } from "./LogisticRegression.ts"

/** As a child in a `Tree`. */
const FIRST_LEAF = ~0

const MAX_WEIGHT = 127
/** The largest weights are clipped to this quantile, so that the others keep more digits. */
const CLIP_QUANTILE = 0.9998

/** Weights as multiples of one unit, one byte each. */
export const quantizeTable = ({ weights, bias }: Fitted): ModelTable => {
  const sizes = Float32Array.from(weights, Math.abs).sort()
  const scale = (sizes[Math.floor(CLIP_QUANTILE * (sizes.length - 1))] ?? 0) / MAX_WEIGHT
  return {
    weights: Int8Array.from(weights, (weight) =>
      Math.max(-MAX_WEIGHT, Math.min(MAX_WEIGHT, Math.round(weight / scale)))
    ),
    scale,
    bias
  }
}

/** All trees one after the other, with thresholds in place of bins. Both children of a node are beside each other. */
export const flattenTrees = ({ bias, trees }: Boosted, cuts: Cuts): ModelTrees => {
  const roots: Array<number> = []
  const nodes: Array<number> = []
  const numbers: Array<number> = []
  const write = (tree: Tree, child: number, at: number): void => {
    if (child < 0) {
      nodes[at] = nodeOf(at)
      numbers[at] = tree.leaves[~child] ?? 0
      return
    }
    const feature = tree.feature[child] ?? 0
    const left = nodes.length
    nodes.push(0, 0)
    nodes[at] = nodeOf(left, feature)
    numbers[at] = cuts[feature]?.[tree.cut[child] ?? 0] ?? Number.MAX_VALUE
    write(tree, tree.left[child] ?? FIRST_LEAF, left)
    write(tree, tree.right[child] ?? FIRST_LEAF, left + 1)
  }
  for (const tree of trees) {
    const root = nodes.push(0) - 1
    roots.push(root)
    write(tree, tree.feature.length === 0 ? FIRST_LEAF : 0, root)
  }
  return {
    roots: Int32Array.from(roots),
    nodes: Int32Array.from(nodes),
    numbers: Float32Array.from(numbers),
    bias
  }
}
