/**
 * Decision trees as flat arrays. All nodes of all trees stand in one row; a child that is not negative is a node, else
 * its complement is a leaf.
 */
export interface ModelTrees {
  /** The first node of each tree. */
  readonly roots: Int32Array
  readonly feature: Uint8Array
  /** A row goes left where its feature is at most this. */
  readonly threshold: Float32Array
  readonly left: Int32Array
  readonly right: Int32Array
  readonly leaves: Float32Array
  /** What the leaves are added to: the log-odds of phishing before anything is known. */
  readonly bias: number
}

/** The sum of the leaves that a row falls into: log-odds. */
export const value = (trees: ModelTrees, row: Float32Array): number => {
  const { roots, feature, threshold, left, right, leaves } = trees
  let sum = trees.bias
  for (let tree = 0; tree < roots.length; tree++) {
    let node = roots[tree] ?? -1
    while (node >= 0)
      node = ((row[feature[node] ?? 0] ?? 0) <= (threshold[node] ?? 0) ? left[node] : right[node]) ?? -1
    sum += leaves[~node] ?? 0
  }
  return sum
}
