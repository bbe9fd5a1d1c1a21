/**
 * How much a URL resembles reported phishing. Four tables have weights for pieces of its text; decision trees combine their
 * sums with features of the URL's structure and facts. Training data and errors: training/MODEL_CARD.md.
 */

import type { Curve } from "./Model/Curve.ts"
import * as ModelFeatures from "./Model/ModelFeatures.ts"
import * as ModelTables from "./Model/ModelTables.ts"
import * as ModelText from "./Model/ModelText.ts"
import type { UrlFacts } from "./UrlFacts.ts"

/** One weight for each bucket. */
export interface ModelTable {
  readonly weights: Int8Array
  /** The value of one unit of a weight, in log-odds. */
  readonly scale: number
  readonly bias: number
}

/** Decision trees as flat arrays: the right child of a node is the element after the left one. */
export interface ModelTrees {
  /** The index of each tree's root. */
  readonly roots: Int32Array
  /** Of each node its feature in the lowest byte, above it the index of its left child. A leaf is its own child. */
  readonly nodes: Int32Array
  /** For a node its threshold: a row with at most this goes left. For a leaf its value, log-odds. */
  readonly numbers: Float32Array
  /** The log-odds of phishing in the training data, which the leaves are added to. */
  readonly bias: number
}

/** What training yields and the weights file contains. */
export interface Model {
  /** A description of the training data. */
  readonly trainedOn: string
  /** The newest day on which phishing in the training data was first seen, such as `2026-06-30`. */
  readonly learnedUpTo: string
  /** For each table of names and words, digests of the rows from which it learned: see training/TableRows.ts. */
  readonly rows: Readonly<Record<string, string>>
  /** In the order of `ModelTables.tables`. */
  readonly tables: readonly [url: ModelTable, host: ModelTable, path: ModelTable, tokens: ModelTable]
  /** See `LetterRuns`. */
  readonly costs: Uint8Array
  readonly trees: ModelTrees
  readonly curve: Curve
  /** The sum of the host's table below which a host is ordinary: see `ModelValue`. In log-odds. */
  readonly ordinaryHost: number
}

/** The log-odds by a table, from so many of `ModelTables.buckets`. */
const logitOf = ({ bias, scale, weights }: ModelTable, count: number): number => {
  const { buckets } = ModelTables
  let sum = 0
  for (let at = 0; at < count; at++) sum += weights[buckets[at] ?? 0] ?? 0
  return count === 0 ? bias : bias + (scale * sum) / Math.sqrt(count)
}

/** An element of `ModelTrees.nodes`. Of a leaf `left` is its own index, and the feature does not count. */
export const nodeOf = (left: number, feature = 0): number => (left << 8) | feature

const featureOf = (node: number): number => node & 0xff

const leftOf = (node: number): number => node >> 8

/** Whether the node at an index is a leaf. */
export const isLeaf = (node: number, at: number): boolean => leftOf(node) === at

/**
 * The child to which a row goes; a leaf itself. Comparisons count as numbers because processors often guess the way of a branch
 * wrong, which takes longer.
 */
const childOf = (nodes: Int32Array, numbers: Float32Array, row: Float32Array, at: number): number => {
  const node = nodes[at] ?? 0
  const left = leftOf(node)
  return left + (Number((row[featureOf(node)] ?? 0) > (numbers[at] ?? 0)) & Number(left !== at))
}

/**
 * The log-odds of a row by the trees, found by walking each. Four at a time, so that the processor need not wait for one: the
 * findings of a URL take 0.9 of the time that they take with walks one after the other.
 */
export const treesLogOdds = ({ bias, nodes, numbers, roots }: ModelTrees, row: Float32Array): number => {
  let sum = bias
  for (let tree = 0; tree < roots.length; tree += 4) {
    let a = roots[tree] ?? 0
    // Beyond the last tree the same walk again, which does not count.
    let b = roots[tree + 1] ?? a
    let c = roots[tree + 2] ?? a
    let d = roots[tree + 3] ?? a
    for (;;) {
      const nextA = childOf(nodes, numbers, row, a)
      const nextB = childOf(nodes, numbers, row, b)
      const nextC = childOf(nodes, numbers, row, c)
      const nextD = childOf(nodes, numbers, row, d)
      if (nextA === a && nextB === b && nextC === c && nextD === d) break
      a = nextA
      b = nextB
      c = nextC
      d = nextD
    }
    sum += numbers[a] ?? 0
    if (tree + 1 < roots.length) sum += numbers[b] ?? 0
    if (tree + 2 < roots.length) sum += numbers[c] ?? 0
    if (tree + 3 < roots.length) sum += numbers[d] ?? 0
  }
  return sum
}

/**
 * Whether trees from a file can be evaluated: each walk goes only forward, to a leaf inside the arrays, over features below
 * `featureCount` and finite numbers. Otherwise it could go in a circle.
 */
export const areTreesWellFormed = ({ roots, nodes, numbers }: ModelTrees, featureCount: number): boolean =>
  roots.every((root) => root >= 0 && root < nodes.length) &&
  nodes.every((node, at) => {
    const left = leftOf(node)
    return left === at || (left > at && left + 1 < nodes.length && featureOf(node) < featureCount)
  }) &&
  numbers.every(Number.isFinite)

/**
 * The share of the tables' mean in a raw value. Trees tell no difference beyond their last thresholds, so the most suspicious rows
 * are all alike to them. Chosen on recent: it finds 3 points more at 0.05 % false positives, and 0.3 more at 0.45 %; also of July's
 * and August's phishing.
 */
const TABLES_SHARE = 0.22

/** The raw value by the log-odds of the trees and the total of the tables' sums. */
export const combined = (logOdds: number, total: number): number =>
  logOdds + TABLES_SHARE * (total / ModelTables.tables.length - logOdds)

/** The text of a host, and its sum in the host's table. */
export interface HostSum {
  readonly text: ModelText.HostText
  readonly logit: number
}

export const hostSum = ({ tables: [, hosts] }: Model, text: ModelText.HostText): HostSum => ({
  text,
  logit: logitOf(hosts, ModelTables.ofHost(text))
})

/** Evaluates the model for a URL: log-odds of phishing by trees and tables, 0 is even. `host` is that of `facts.host`. */
export const rawValue = (
  model: Model,
  facts: UrlFacts,
  host = hostSum(model, ModelText.hostTextOf(facts.host))
): number => {
  const [urls, , paths, tokens] = model.tables
  const path = ModelText.pathTextOf(facts.url)
  const sums = [
    logitOf(urls, ModelTables.ofUrl(host.text, path)),
    host.logit,
    logitOf(paths, ModelTables.ofPath(path)),
    logitOf(tokens, ModelTables.tokensOf(host.text, path))
  ]
  const total = sums.reduce((total, sum) => total + sum, 0)
  const row = new Float32Array(ModelFeatures.COUNT)
  row.set(sums)
  row[ModelFeatures.ALL_WEIGHTS] = total
  ModelFeatures.fill(facts, host.text, path, model.costs, row)
  return combined(treesLogOdds(model.trees, row), total)
}
