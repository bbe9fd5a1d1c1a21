import { assert, describe, it } from "@effect/vitest"
import * as Thresholds from "../../training/Fitting/Thresholds.ts"
import type { TrainingRows } from "../../training/TrainingRows.ts"

const COUNT = 10_000

/** Rows of which the n-th has the raw value n: benign and observed, if not said otherwise. */
const thresholdsOf = (rows: Partial<Pick<TrainingRows, "labels" | "isSynthetic" | "isMatched">>) =>
  Thresholds.thresholdsOf(
    {
      urls: [],
      labels: new Uint8Array(COUNT),
      weights: new Float32Array(COUNT),
      folds: new Uint8Array(COUNT),
      isMatched: new Uint8Array(COUNT).fill(1),
      isSynthetic: new Uint8Array(COUNT),
      oldestPhishing: "",
      newestPhishing: "",
      ...rows
    },
    Float64Array.from({ length: COUNT }, (_, row) => row)
  )

const everySecond = Uint8Array.from({ length: COUNT }, (_, row) => row % 2)
const highest = Uint8Array.from({ length: COUNT }, (_, row) => (row >= COUNT / 2 ? 1 : 0))

describe("the thresholds", () => {
  it("are exceeded by 0.47, 0.27 and 0.1 % of the benign rows", () => {
    assert.deepStrictEqual(thresholdsOf({}), { suspicious: 9952, likely: 9972, phishing: 9989 })
  })

  it("ignore phishing and synthetic rows", () => {
    const lower = { suspicious: 4976, likely: 4986, phishing: 4994 }
    assert.deepStrictEqual(thresholdsOf({ labels: highest }), lower)
    assert.deepStrictEqual(thresholdsOf({ isSynthetic: highest }), lower)
  })

  it("are the higher ones of all rows and of those of matched shape", () => {
    const { suspicious } = thresholdsOf({ isMatched: highest })
    assert.strictEqual(suspicious, 9976)
    assert.strictEqual(thresholdsOf({ isMatched: everySecond }).likely, 9973)
  })
})
