/**
 * Evaluates all trees at once without walking them: QuickScorer (Lucchese et al., SIGIR 2015). Each tree has a bit set of
 * the leaves that a row may reach. For each feature, the nodes that send the row right are those with the smallest
 * thresholds; each removes the leaves of its left subtree. The leftmost remaining leaf is the row's.
 */

import * as ModelTrees from "./ModelTrees.ts"

/** The nodes of all trees, grouped by feature, with rising thresholds. */
export interface TreeScorer {
  readonly bias: number
  /** For each feature the index of its first node, and one more for the end. */
  readonly starts: Int32Array
  readonly thresholds: Float32Array
  readonly trees: Uint16Array
  /** For each node the leaves of its tree that remain if the row goes right. */
  readonly remaining: Int32Array
  /** The values of leaves, from left to right, `MAX_LEAVES` for each tree. */
  readonly leaves: Float32Array
}

/** The bits of a bit set. */
export const MAX_LEAVES = 32

const ALL_LEAVES = -1

interface Node {
  readonly feature: number
  readonly threshold: number
  readonly tree: number
  readonly remaining: number
}

export const make = (
  { roots, nodes, numbers, bias }: ModelTrees.ModelTrees,
  featureCount: number
): TreeScorer => {
  const allNodes: Array<Node> = []
  const leaves = new Float32Array(roots.length * MAX_LEAVES)
  /** Reads the subtree at index `at`, whose leaves are numbered from `firstLeaf` on. Returns the next leaf's number. */
  const readSubtree = (tree: number, at: number, firstLeaf: number): number => {
    const node = nodes[at] ?? ModelTrees.LEAF
    if (node === ModelTrees.LEAF) {
      leaves[tree * MAX_LEAVES + firstLeaf] = numbers[at] ?? 0
      return firstLeaf + 1
    }
    const middle = readSubtree(tree, at + 1, firstLeaf)
    const leftLeaves = ((1 << (middle - firstLeaf)) - 1) << firstLeaf
    allNodes.push({
      feature: ModelTrees.featureOf(node),
      threshold: numbers[at] ?? 0,
      tree,
      remaining: ~leftLeaves
    })
    return readSubtree(tree, at + ModelTrees.distanceToRight(node), middle)
  }
  for (const [tree, root] of roots.entries()) readSubtree(tree, root, 0)
  allNodes.sort((a, b) => a.feature - b.feature || a.threshold - b.threshold)
  const starts = new Int32Array(featureCount + 1)
  for (const { feature } of allNodes) starts[feature + 1] = (starts[feature + 1] ?? 0) + 1
  for (let feature = 0; feature < featureCount; feature++)
    starts[feature + 1] = (starts[feature + 1] ?? 0) + (starts[feature] ?? 0)
  return {
    bias,
    starts,
    thresholds: Float32Array.from(allNodes, ({ threshold }) => threshold),
    trees: Uint16Array.from(allNodes, ({ tree }) => tree),
    remaining: Int32Array.from(allNodes, ({ remaining }) => remaining),
    leaves
  }
}

/** For each tree the set of all leaves, before any feature is evaluated. */
export const allLeaves = ({ leaves }: TreeScorer): Int32Array =>
  new Int32Array(leaves.length / MAX_LEAVES).fill(ALL_LEAVES)

/** Removes from `reachable` the leaves that the features of a row from `first` up to `end` exclude. */
export const removeLeaves = (
  { starts, thresholds, trees, remaining }: TreeScorer,
  row: Float32Array,
  first: number,
  end: number,
  reachable: Int32Array
): void => {
  for (let feature = first; feature < end; feature++) {
    const start = starts[feature] ?? 0
    const stop = firstAtLeast(thresholds, row[feature] ?? 0, start, starts[feature + 1] ?? 0)
    for (let at = start; at < stop; at++) {
      const tree = trees[at] ?? 0
      reachable[tree] = (reachable[tree] ?? 0) & (remaining[at] ?? 0)
    }
  }
}

/** The log-odds of a row after `removeLeaves` for all features: the same as `ModelTrees.logOdds`. */
export const logOdds = ({ bias, leaves }: TreeScorer, reachable: Int32Array): number => {
  let sum = bias
  for (let tree = 0; tree < reachable.length; tree++) {
    const bits = reachable[tree] ?? 0
    const leftmost = 31 - Math.clz32(bits & -bits)
    sum += leaves[tree * MAX_LEAVES + leftmost] ?? 0
  }
  return sum
}

/** The index of the first of some rising thresholds that is at least `number`. */
const firstAtLeast = (thresholds: Float32Array, number: number, start: number, end: number): number => {
  let low = start
  let high = end
  while (low < high) {
    const middle = (low + high) >> 1
    if ((thresholds[middle] ?? 0) < number) low = middle + 1
    else high = middle
  }
  return low
}
