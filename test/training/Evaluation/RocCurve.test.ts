import { assert, describe, it } from "@effect/vitest"
import * as RocCurve from "../../../training/Evaluation/RocCurve.ts"

const rows = (phishing: ReadonlyArray<number>, benign: ReadonlyArray<number>) => [
  ...phishing.map((value) => ({ isPhishing: true, value })),
  ...benign.map((value) => ({ isPhishing: false, value }))
]

describe("the ROC curve", () => {
  it("has the share of pairs in the right order as its area, ties by half", () => {
    assert.strictEqual(RocCurve.rocCurve(rows([3, 4], [1, 2]))?.area, 1)
    assert.strictEqual(RocCurve.rocCurve(rows([1, 2], [3, 4]))?.area, 0)
    assert.strictEqual(RocCurve.rocCurve(rows([1, 3], [1, 2]))?.area, 0.625)
    assert.strictEqual(RocCurve.rocCurve(rows([5, 5], [5, 5]))?.area, 0.5)
  })

  it("gives the recall at a share of false positives", () => {
    const curve = RocCurve.rocCurve(rows([9, 8, 5, 1], [7, 6, 4, 3, 2]))
    assert.isDefined(curve)
    if (curve === undefined) return
    assert.strictEqual(RocCurve.recallAt(curve, 0), 0.5)
    assert.strictEqual(RocCurve.recallAt(curve, 0.39), 0.5)
    assert.strictEqual(RocCurve.recallAt(curve, 0.4), 0.75)
    assert.strictEqual(RocCurve.recallAt(curve, 1), 1)
  })

  it("is undefined for one class alone", () => {
    assert.isUndefined(RocCurve.rocCurve(rows([1], [])))
    assert.isUndefined(RocCurve.rocCurve(rows([], [1])))
  })
})
