import { assert, describe, it } from "@effect/vitest"
import {
  areWellFormed,
  type ModelTrees,
  nodeOf,
  treesLogOdds
} from "../../../src/Checkers/Heuristics/Model.ts"

const FEATURES = 3

const treesOf = (
  roots: ReadonlyArray<number>,
  nodes: ReadonlyArray<number>,
  numbers: ReadonlyArray<number> = nodes.map(() => 0)
): ModelTrees => ({
  roots: Int32Array.from(roots),
  nodes: Int32Array.from(nodes),
  numbers: Float32Array.from(numbers),
  bias: 0.5
})

const isWellFormed = (...args: Parameters<typeof treesOf>): boolean =>
  areWellFormed(treesOf(...args), FEATURES)

/** A node with two leaves behind it, if it is at this index. */
const stump = (at = 0) => [nodeOf(at + 1), nodeOf(at + 1), nodeOf(at + 2)]

/** A tree in which each left child is a leaf. */
const rightChain = (leaves: number): ReadonlyArray<number> => [
  ...Array.from({ length: leaves - 1 }, (_, leaf) => [nodeOf(2 * leaf + 1), nodeOf(2 * leaf + 1)]).flat(),
  nodeOf(2 * leaves - 2)
]

describe("the log-odds of a row", () => {
  const at = (trees: ModelTrees, ...row: ReadonlyArray<number>) => treesLogOdds(trees, Float32Array.from(row))

  it("are the bias and a leaf of each tree", () => {
    assert.strictEqual(at(treesOf([0], [nodeOf(0)], [3])), 3.5)
    assert.strictEqual(at(treesOf([0, 1], [nodeOf(0), nodeOf(1)], [1, 2])), 3.5)
    assert.strictEqual(at(treesOf([0, 1, 2], [nodeOf(0), nodeOf(1), nodeOf(2)], [1, 2, 4])), 7.5)
  })

  it("go left up to the threshold", () => {
    const trees = treesOf([0], stump(), [10, 1, 2])
    assert.deepStrictEqual(
      [9, 10, 10.5].map((value) => at(trees, value)),
      [1.5, 1.5, 2.5]
    )
  })

  it("are found by each of the features on the way", () => {
    // 0: feature 2; left 1: feature 0 with leaves 3 and 4; right 2: leaf.
    const nodes = [nodeOf(1, 2), nodeOf(3), nodeOf(2), nodeOf(3), nodeOf(4)]
    const trees = treesOf([0], nodes, [5, 1, 40, 10, 20])
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
    assert.isTrue(isWellFormed([0], [nodeOf(0)]))
    assert.isTrue(isWellFormed([0], stump()))
    assert.isTrue(isWellFormed([0, 3, 4], [...stump(), nodeOf(3), ...stump(4)]))
    assert.isTrue(isWellFormed([0], [nodeOf(2, 2), nodeOf(1), ...stump(2)]))
    assert.isTrue(isWellFormed([0], rightChain(10_000)))
  })

  const wrong: ReadonlyArray<readonly [string, Parameters<typeof isWellFormed>]> = [
    ["a root outside the array", [[3], stump()]],
    ["a root below 0", [[-1], stump()]],
    ["no nodes", [[0], []]],
    ["a child before its node", [[0], [nodeOf(1), nodeOf(0), nodeOf(2)]]],
    ["a child behind the array", [[0], [nodeOf(3), nodeOf(1), nodeOf(2)]]],
    ["a child below 0", [[0], [nodeOf(-1), nodeOf(1), nodeOf(2)]]],
    ["a node without a right child", [[0], [nodeOf(1), nodeOf(1)]]],
    ["a node without children", [[0], [nodeOf(1)]]],
    ["a last node that is not a leaf", [[0], [nodeOf(0), nodeOf(2)]]],
    ["a feature that does not exist", [[0], [nodeOf(1, FEATURES), nodeOf(1), nodeOf(2)]]],
    ["a value that is not a number", [[0], stump(), [0, Number.NaN, 0]]],
    ["a threshold that is not finite", [[0], stump(), [Number.POSITIVE_INFINITY, 0, 0]]]
  ]
  it.each(wrong)("do not have %s", (_, trees) => {
    assert.isFalse(isWellFormed(...trees))
  })
})
