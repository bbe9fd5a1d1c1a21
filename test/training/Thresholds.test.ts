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
  it("are exceeded by 0.44, 0.25 and 0.06 % of the benign rows", () => {
    assert.deepStrictEqual(thresholdsOf({}), { suspicious: 9955, likely: 9974, phishing: 9994 })
  })

  it("ignore phishing and synthetic rows", () => {
    const lower = { suspicious: 4977, likely: 4987, phishing: 4997 }
    assert.deepStrictEqual(thresholdsOf({ labels: highest }), lower)
    assert.deepStrictEqual(thresholdsOf({ isSynthetic: highest }), lower)
  })

  it("are the higher ones of all rows and of those of matched shape", () => {
    const { suspicious } = thresholdsOf({ isMatched: highest })
    assert.strictEqual(suspicious, 9977)
    assert.strictEqual(thresholdsOf({ isMatched: everySecond }).likely, 9975)
  })
})
