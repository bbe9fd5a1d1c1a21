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

/**
 * Whether arrays from a file can be evaluated: each walk goes only forward, to a leaf inside the arrays, over features below
 * `featureCount` and finite numbers. Otherwise it could go in a circle.
 */
export const isWellFormed = ({ roots, nodes, numbers }: ModelTrees, featureCount: number): boolean =>
  nodes.at(-1) === LEAF &&
  roots.every((root) => root >= 0 && root < nodes.length) &&
  nodes.every((node, at) => {
    if (node === LEAF) return true
    const right = at + distanceToRight(node)
    return right > at && right < nodes.length && featureOf(node) < featureCount
  }) &&
  numbers.every(Number.isFinite)
