/**
 * Decision trees as flat arrays, in the order in which a walk from the root meets their nodes: a node's left child is the
 * next node.
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

/** The feature that a node asks for. */
export const featureOf = (node: number): number => node & FEATURE_MASK

/** How many places behind a node its right child stands. */
export const rightOf = (node: number): number => node >> FEATURE_BITS

/** The sum of the leaves that a row falls into: log-odds. By walking each tree; `TreeScorer` finds the same sooner. */
export const value = ({ roots, nodes, numbers, bias }: ModelTrees, row: Float32Array): number => {
  let sum = bias
  for (const root of roots) {
    let at = root
    let node = nodes[at] ?? LEAF
    while (node !== LEAF) {
      at += (row[featureOf(node)] ?? 0) <= (numbers[at] ?? 0) ? 1 : rightOf(node)
      node = nodes[at] ?? LEAF
    }
    sum += numbers[at] ?? 0
  }
  return sum
}
