import { assert, describe, it } from "@effect/vitest"
import { FEATURE_BITS, LEAF } from "../../../../src/Checkers/Heuristics/Model/ModelTrees.ts"
import * as TreeLayout from "../../../../src/Checkers/Heuristics/Model/TreeLayout.ts"

const FEATURES = 3

const isWellFormed = (
  roots: ReadonlyArray<number>,
  nodes: ReadonlyArray<number>,
  numbers: ReadonlyArray<number> = nodes.map(() => 0)
): boolean =>
  TreeLayout.isWellFormed(
    {
      roots: Int32Array.from(roots),
      nodes: Int32Array.from(nodes),
      numbers: Float32Array.from(numbers),
      bias: 0
    },
    FEATURES
  )

/** A node with its feature and the distance to its right child. */
const node = (feature: number, distance: number): number => feature | (distance << FEATURE_BITS)

const stump = [node(0, 2), LEAF, LEAF]

/** A tree in which each right child is a leaf. */
const leftChain = (leaves: number): ReadonlyArray<number> => [
  ...Array.from({ length: leaves - 1 }, (_, depth) => node(0, 2 * (leaves - 1 - depth))),
  ...Array.from({ length: leaves }, () => LEAF)
]

/** A tree in which each left child is a leaf. */
const rightChain = (leaves: number): ReadonlyArray<number> => [
  ...Array.from({ length: leaves - 1 }, () => [node(0, 2), LEAF]).flat(),
  LEAF
]

describe("the layout of trees", () => {
  it("is one tree after the other, each with its left subtree first", () => {
    assert.isTrue(isWellFormed([0], [LEAF]))
    assert.isTrue(isWellFormed([0], stump))
    assert.isTrue(isWellFormed([0, 3, 4], [...stump, LEAF, ...stump]))
    assert.isTrue(isWellFormed([0], [node(2, 4), ...stump, LEAF]))
  })

  it("has at most 32 leaves in a tree", () => {
    for (const chain of [leftChain, rightChain]) {
      assert.isTrue(isWellFormed([0], chain(32)))
      assert.isFalse(isWellFormed([0], chain(33)))
    }
    assert.isFalse(isWellFormed([0], leftChain(100_000)))
    // 64 leaves, none of them deeper than six nodes.
    const full = (depth: number): ReadonlyArray<number> => {
      const child = depth === 0 ? [LEAF] : full(depth - 1)
      return [node(0, child.length + 1), ...child, ...child]
    }
    assert.isTrue(isWellFormed([0], full(4)))
    assert.isFalse(isWellFormed([0], full(5)))
  })

  it("has at most 65,536 trees", () => {
    const leaves = (count: number) =>
      isWellFormed(
        Array.from({ length: count }, (_, index) => index),
        Array.from({ length: count }, () => LEAF)
      )
    assert.isTrue(leaves(65_536))
    assert.isFalse(leaves(65_537))
  })

  const wrong: ReadonlyArray<readonly [string, Parameters<typeof isWellFormed>]> = [
    ["a root outside the array", [[3], stump]],
    ["a root below 0", [[-1], stump]],
    ["a root that is not the next node", [[1], stump]],
    ["nodes after the last tree", [[0], [...stump, LEAF]]],
    ["nodes before the first tree", [[3], [...stump, ...stump]]],
    [
      "trees that overlap",
      [
        [0, 0],
        [...stump, ...stump]
      ]
    ],
    ["no trees but nodes", [[], stump]],
    ["a distance of 0, which leads in a circle", [[0], [node(0, 0), LEAF, LEAF]]],
    ["a distance of 1", [[0], [node(0, 1), LEAF, LEAF]]],
    ["a distance behind the array", [[0], [node(0, 3), LEAF, LEAF]]],
    ["a distance below 0", [[0], [node(0, -1), LEAF, LEAF]]],
    ["a node without a right child", [[0], [node(0, 2), LEAF]]],
    ["a node without children", [[0], [node(0, 2)]]],
    ["a feature that does not exist", [[0], [node(FEATURES, 2), LEAF, LEAF]]],
    ["a value that is not a number", [[0], stump, [0, Number.NaN, 0]]],
    ["a threshold that is not finite", [[0], stump, [Number.POSITIVE_INFINITY, 0, 0]]]
  ]
  it.each(wrong)("is not %s", (_, trees) => {
    assert.isFalse(isWellFormed(...trees))
  })
})
