/**
 * Decision trees as flat arrays in depth-first order: the left child of a node is the next element.
 */
export interface ModelTrees {
  /** The index of each tree's root. */
  readonly roots: Int32Array
  /** For a node its feature in the lowest byte, above it the distance to its right child. For a leaf -1. */
  readonly nodes: Int32Array
  /** For a node its threshold: a row with at most this goes left. For a leaf its value, log-odds. */
  readonly numbers: Float32Array
  /** The log-odds of phishing in the training data, which the leaves are added to. */
  readonly bias: number
}

export const LEAF = -1
export const FEATURE_BITS = 8
const FEATURE_MASK = 0xff

const featureOf = (node: number): number => node & FEATURE_MASK

/** The distance from a node to its right child. */
const distanceToRight = (node: number): number => node >> FEATURE_BITS

/** The log-odds of a row, found by walking each tree. */
export const logOdds = ({ roots, nodes, numbers, bias }: ModelTrees, row: Float32Array): number => {
  let sum = bias
  for (const root of roots) {
    let at = root
    let node = nodes[at] ?? LEAF
    while (node !== LEAF) {
      at += (row[featureOf(node)] ?? 0) <= (numbers[at] ?? 0) ? 1 : distanceToRight(node)
      node = nodes[at] ?? LEAF
    }
    sum += numbers[at] ?? 0
  }
  return sum
}

/** Of a tree. Bounds the recursion over a file. */
const MAX_DEPTH = 64

/**
 * Whether arrays from a file are trees as `ModelTrees` describes them, one after the other without a gap, with finite numbers and
 * features below `featureCount`. Only then may they be evaluated: a wrong distance could lead out of the arrays or in a circle.
 */
export const isWellFormed = ({ roots, nodes, numbers }: ModelTrees, featureCount: number): boolean => {
  /** The index after the subtree at `at`; undefined if it is none. */
  const endOfSubtree = (at: number, depth: number): number | undefined => {
    const node = nodes[at]
    if (node === undefined || depth > MAX_DEPTH) return undefined
    if (node === LEAF) return at + 1
    if (featureOf(node) >= featureCount) return undefined
    const right = endOfSubtree(at + 1, depth + 1)
    return right === at + distanceToRight(node) ? endOfSubtree(right, depth + 1) : undefined
  }
  let end = 0
  for (const root of roots) {
    const next = root === end ? endOfSubtree(root, 0) : undefined
    if (next === undefined) return false
    end = next
  }
  return end === nodes.length && numbers.every(Number.isFinite)
}
