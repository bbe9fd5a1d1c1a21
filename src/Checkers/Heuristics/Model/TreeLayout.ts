import * as ModelTrees from "./ModelTrees.ts"
import { MAX_LEAVES } from "./TreeScorer.ts"

/** Of a node with `MAX_LEAVES` leaves below it, in a tree that is one chain. */
const MAX_DEPTH = MAX_LEAVES - 1

/** `MAX_LEAVES` leaves, and the nodes above them. */
const MAX_TREE_NODES = 2 * MAX_LEAVES - 1

/** `TreeScorer` has 16 bits for the number of a tree. */
const MAX_TREES = 65_536

/**
 * Whether arrays from a file are trees as `ModelTrees` describes them, one after the other without a gap, with finite numbers,
 * features below `featureCount` and at most `MAX_LEAVES` leaves each. Only then may they be evaluated: a wrong distance could
 * lead out of the arrays or in a circle.
 */
export const isWellFormed = (
  { roots, nodes, numbers }: ModelTrees.ModelTrees,
  featureCount: number
): boolean => {
  /** The index after the subtree at `at`; undefined if it is none. */
  const endOfSubtree = (at: number, depth: number): number | undefined => {
    const node = nodes[at]
    if (node === undefined || depth > MAX_DEPTH) return undefined
    if (node === ModelTrees.LEAF) return at + 1
    if (ModelTrees.featureOf(node) >= featureCount) return undefined
    const right = endOfSubtree(at + 1, depth + 1)
    return right === at + ModelTrees.distanceToRight(node) ? endOfSubtree(right, depth + 1) : undefined
  }
  let end = 0
  for (const root of roots) {
    const next = root === end ? endOfSubtree(root, 0) : undefined
    if (next === undefined || next - root > MAX_TREE_NODES) return false
    end = next
  }
  return roots.length <= MAX_TREES && end === nodes.length && numbers.every(Number.isFinite)
}
