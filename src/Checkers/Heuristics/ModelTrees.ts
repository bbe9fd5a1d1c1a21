/**
 * Decision trees as flat arrays, in the order in which they are walked: a node's left child is the next node. Two reads
 * a node keep the walk in the processor's cache.
 */
export interface ModelTrees {
  /** Where each tree begins. */
  readonly roots: Int32Array
  /**
   * Of a node: its feature in the lowest byte, above it how far away its right child is. Of a leaf: -1.
   */
  readonly nodes: Int32Array
  /** Of a node: a row goes left where its feature is at most this. Of a leaf: its value, log-odds. */
  readonly numbers: Float32Array
  /** What the leaves are added to: the log-odds of phishing before anything is known. */
  readonly bias: number
}

export const LEAF = -1
export const FEATURE_BITS = 8
const FEATURE_MASK = 0xff

/** The sum of the leaves that a row falls into: log-odds. */
export const value = ({ roots, nodes, numbers, bias }: ModelTrees, row: Float32Array): number => {
  let sum = bias
  for (let tree = 0; tree < roots.length; tree++) {
    let at = roots[tree] ?? 0
    let node = nodes[at] ?? LEAF
    while (node !== LEAF) {
      at += (row[node & FEATURE_MASK] ?? 0) <= (numbers[at] ?? 0) ? 1 : node >> FEATURE_BITS
      node = nodes[at] ?? LEAF
    }
    sum += numbers[at] ?? 0
  }
  return sum
}
