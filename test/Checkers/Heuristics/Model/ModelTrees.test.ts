import { assert, describe, it } from "@effect/vitest"
import * as ModelTrees from "../../../../src/Checkers/Heuristics/Model/ModelTrees.ts"

const { FEATURE_BITS, LEAF } = ModelTrees
const FEATURES = 3

const treesOf = (
  roots: ReadonlyArray<number>,
  nodes: ReadonlyArray<number>,
  numbers: ReadonlyArray<number> = nodes.map(() => 0)
): ModelTrees.ModelTrees => ({
  roots: Int32Array.from(roots),
  nodes: Int32Array.from(nodes),
  numbers: Float32Array.from(numbers),
  bias: 0.5
})

const isWellFormed = (...args: Parameters<typeof treesOf>): boolean =>
  ModelTrees.isWellFormed(treesOf(...args), FEATURES)

/** A node with its feature and the distance to its right child. */
const node = (feature: number, distance: number): number => feature | (distance << FEATURE_BITS)

const stump = [node(0, 2), LEAF, LEAF]

/** A tree in which each left child is a leaf. */
const rightChain = (leaves: number): ReadonlyArray<number> => [
  ...Array.from({ length: leaves - 1 }, () => [node(0, 2), LEAF]).flat(),
  LEAF
]

describe("the log-odds of a row", () => {
  const at = (trees: ModelTrees.ModelTrees, ...row: ReadonlyArray<number>) =>
    ModelTrees.logOdds(trees, Float32Array.from(row))

  it("are the bias and a leaf of each tree", () => {
    assert.strictEqual(at(treesOf([0], [LEAF], [3])), 3.5)
    assert.strictEqual(at(treesOf([0, 1, 2], [LEAF, LEAF, LEAF], [1, 2, 4])), 7.5)
  })

  it("go left up to the threshold", () => {
    const trees = treesOf([0], stump, [10, 1, 2])
    assert.deepStrictEqual(
      [9, 10, 10.5].map((value) => at(trees, value)),
      [1.5, 1.5, 2.5]
    )
  })

  it("are found by each of the features on the way", () => {
    // 0: feature 2; left 1: feature 0 with leaves 2 and 3; right 4: leaf.
    const trees = treesOf([0], [node(2, 4), node(0, 2), LEAF, LEAF, LEAF], [5, 1, 10, 20, 40])
    assert.strictEqual(at(trees, 0, 0, 5), 10.5)
    assert.strictEqual(at(trees, 2, 0, 5), 20.5)
    assert.strictEqual(at(trees, 2, 0, 6), 40.5)
  })

  it("are those of each leaf of a long chain", () => {
    const leaves = 32
    const numbers = Array.from({ length: leaves - 1 }, (_, leaf) => [leaf, leaf * 100]).flat()
    const trees = treesOf([0], rightChain(leaves), [...numbers, (leaves - 1) * 100])
    for (let value = -1; value <= leaves; value++)
      assert.strictEqual(at(trees, value), 0.5 + 100 * Math.min(Math.max(value, 0), leaves - 1))
  })
})

describe("trees that can be evaluated", () => {
  it("lead forward to leaves", () => {
    assert.isTrue(isWellFormed([0], [LEAF]))
    assert.isTrue(isWellFormed([0], stump))
    assert.isTrue(isWellFormed([0, 3, 4], [...stump, LEAF, ...stump]))
    assert.isTrue(isWellFormed([0], [node(2, 4), ...stump, LEAF]))
    assert.isTrue(isWellFormed([0], rightChain(10_000)))
  })

  const wrong: ReadonlyArray<readonly [string, Parameters<typeof isWellFormed>]> = [
    ["a root outside the array", [[3], stump]],
    ["a root below 0", [[-1], stump]],
    ["no nodes", [[], []]],
    ["a distance of 0, which leads in a circle", [[0], [node(0, 0), LEAF, LEAF]]],
    ["a distance behind the array", [[0], [node(0, 3), LEAF, LEAF]]],
    ["a distance below 0", [[0], [node(0, -1), LEAF, LEAF]]],
    ["a node without a right child", [[0], [node(0, 2), LEAF]]],
    ["a node without children", [[0], [node(0, 2)]]],
    ["a last node that is not a leaf", [[0], [LEAF, node(0, 1)]]],
    ["a feature that does not exist", [[0], [node(FEATURES, 2), LEAF, LEAF]]],
    ["a value that is not a number", [[0], stump, [0, Number.NaN, 0]]],
    ["a threshold that is not finite", [[0], stump, [Number.POSITIVE_INFINITY, 0, 0]]]
  ]
  it.each(wrong)("do not have %s", (_, trees) => {
    assert.isFalse(isWellFormed(...trees))
  })
})
