/**
 * Judges a row by all trees at once, without walking them: QuickScorer (Lucchese and others, SIGIR 2015). Each tree has a
 * set of leaves that a row may still fall into, as bits. Of each feature, the nodes that send the row to the right are
 * those with the smallest thresholds; each rules out the leaves at its left. The leftmost leaf that stays is the row's.
 * A walk is a chain of jumps that no processor foresees; this is some straight loops.
 */

import * as ModelTrees from "./ModelTrees.ts"

export interface TreeScorer {
  readonly bias: number
  /** Of each feature where its nodes begin; one more for the end. */
  readonly starts: Int32Array
  /** Of the nodes, those of one feature behind each other, by rising threshold. */
  readonly thresholds: Float32Array
  readonly trees: Uint16Array
  /** The leaves of its tree that stay if the row goes right. */
  readonly staying: Int32Array
  /** Of each tree room for 32 leaves, from left to right. */
  readonly leaves: Float32Array
}

/** As many leaves as a number has bits. */
export const MOST_LEAVES = 32

const ALL = -1

interface Node {
  readonly feature: number
  readonly threshold: number
  readonly tree: number
  readonly staying: number
}

export const of = ({ roots, nodes, numbers, bias }: ModelTrees.ModelTrees, features: number): TreeScorer => {
  const found: Array<Node> = []
  const leaves = new Float32Array(roots.length * MOST_LEAVES)
  /** Reads the part of a tree that begins `at`; its leaves are numbered from `first` on. The number behind its last one. */
  const read = (tree: number, at: number, first: number): number => {
    const node = nodes[at] ?? ModelTrees.LEAF
    if (node === ModelTrees.LEAF) {
      leaves[tree * MOST_LEAVES + first] = numbers[at] ?? 0
      return first + 1
    }
    const middle = read(tree, at + 1, first)
    const atLeft = ((1 << (middle - first)) - 1) << first
    found.push({
      feature: ModelTrees.featureOf(node),
      threshold: numbers[at] ?? 0,
      tree,
      staying: ~atLeft
    })
    return read(tree, at + ModelTrees.rightOf(node), middle)
  }
  for (const [tree, root] of roots.entries()) read(tree, root, 0)
  found.sort((a, b) => a.feature - b.feature || a.threshold - b.threshold)
  const starts = new Int32Array(features + 1)
  for (const { feature } of found) starts[feature + 1] = (starts[feature + 1] ?? 0) + 1
  for (let feature = 0; feature < features; feature++)
    starts[feature + 1] = (starts[feature + 1] ?? 0) + (starts[feature] ?? 0)
  return {
    bias,
    starts,
    thresholds: Float32Array.from(found, ({ threshold }) => threshold),
    trees: Uint16Array.from(found, ({ tree }) => tree),
    staying: Int32Array.from(found, ({ staying }) => staying),
    leaves
  }
}

/** Of each tree the leaves that a row may fall into, before any feature of it is known. */
export const everyLeaf = ({ leaves }: TreeScorer): Int32Array =>
  new Int32Array(leaves.length / MOST_LEAVES).fill(ALL)

/** Takes away the leaves that the features of a row from `first` up to `end` rule out. */
export const ruleOut = (
  { starts, thresholds, trees, staying }: TreeScorer,
  row: Float32Array,
  first: number,
  end: number,
  possible: Int32Array
): void => {
  for (let feature = first; feature < end; feature++) {
    const start = starts[feature] ?? 0
    const stop = firstAtLeast(thresholds, row[feature] ?? 0, start, starts[feature + 1] ?? 0)
    for (let at = start; at < stop; at++) {
      const tree = trees[at] ?? 0
      possible[tree] = (possible[tree] ?? 0) & (staying[at] ?? 0)
    }
  }
}

/** The same as `ModelTrees.value`, when all features have ruled out theirs. */
export const value = ({ bias, leaves }: TreeScorer, possible: Int32Array): number => {
  let sum = bias
  for (let tree = 0; tree < possible.length; tree++) {
    const bits = possible[tree] ?? 0
    const leftmost = 31 - Math.clz32(bits & -bits)
    sum += leaves[tree * MOST_LEAVES + leftmost] ?? 0
  }
  return sum
}

/** The first of some rising thresholds that is not below a number. */
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
