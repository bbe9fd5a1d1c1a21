/** Converts fitted numbers to those of the weights file. */

import { FEATURE_BITS, LEAF, type ModelTrees } from "../../src/Checkers/Heuristics/Model/ModelTrees.ts"
import type { ModelTable } from "../../src/Checkers/Heuristics/Model.ts"
import type { Boosted, Cuts, Tree } from "./BoostedTrees.ts"
import type { Fitted } from "./LogisticRegression.ts"

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

/** All trees one after the other, depth first, with thresholds in place of bins. */
export const flattenTrees = ({ bias, trees }: Boosted, cuts: Cuts): ModelTrees => {
  const roots: Array<number> = []
  const nodes: Array<number> = []
  const numbers: Array<number> = []
  const write = (tree: Tree, child: number): void => {
    if (child < 0) {
      nodes.push(LEAF)
      numbers.push(tree.leaves[~child] ?? 0)
      return
    }
    const at = nodes.length
    const feature = tree.feature[child] ?? 0
    nodes.push(feature)
    numbers.push(cuts[feature]?.[tree.cut[child] ?? 0] ?? Number.MAX_VALUE)
    write(tree, tree.left[child] ?? LEAF)
    nodes[at] = feature | ((nodes.length - at) << FEATURE_BITS)
    write(tree, tree.right[child] ?? LEAF)
  }
  for (const tree of trees) {
    roots.push(nodes.length)
    write(tree, tree.feature.length === 0 ? LEAF : 0)
  }
  return {
    roots: Int32Array.from(roots),
    nodes: Int32Array.from(nodes),
    numbers: Float32Array.from(numbers),
    bias
  }
}
