import { assert, describe, it } from "@effect/vitest"
import * as Bootstrap from "../../../training/Evaluation/Bootstrap.ts"
import * as RocCurve from "../../../training/Evaluation/RocCurve.ts"
import * as Random from "../../../training/Random.ts"

/** Rows whose raw value is the label and noise; larger noise makes a worse model. */
const rows = (
  count: number,
  noise: { readonly current: number; readonly candidate: number },
  sites = count
) => {
  const next = Random.random(5)
  const judgement = (isPhishing: boolean, size: number): Bootstrap.Judgement => {
    const value = (isPhishing ? 1 : 0) + size * (next() - 0.5)
    return { value, score: Math.max(0, Math.min(100, Math.round(value * 60))) }
  }
  return Array.from({ length: count }, (_, index): Bootstrap.ComparedRow => {
    const isPhishing = index % 3 === 0
    return {
      isPhishing,
      site: `site${index % sites}`,
      current: judgement(isPhishing, noise.current),
      candidate: judgement(isPhishing, noise.candidate)
    }
  })
}

const byName = (comparisons: ReadonlyArray<Bootstrap.Comparison>) =>
  Object.fromEntries(comparisons.map((comparison) => [comparison.measure, comparison]))

describe("the comparison of two models", () => {
  it("measures each model as `npm run evaluate` does", () => {
    const compared = rows(999, { current: 3, candidate: 2 })
    const found = byName(Bootstrap.compare(compared))
    const benign = compared.filter(({ isPhishing }) => !isPhishing)
    const currentShare = (minScore: number) =>
      benign.filter(({ current }) => current.score >= minScore).length / benign.length
    for (const model of ["current", "candidate"] as const) {
      const curve = RocCurve.rocCurve(
        compared.map((row) => ({ isPhishing: row.isPhishing, value: row[model].value }))
      )
      assert.isDefined(curve)
      if (curve === undefined) return
      const share = (isPhishing: boolean, minScore: number) => {
        const ofClass = compared.filter((row) => row.isPhishing === isPhishing)
        return ofClass.filter((row) => row[model].score >= minScore).length / ofClass.length
      }
      const expected = {
        "area under the ROC curve": curve.area,
        "recall at 0.1 % false positives": RocCurve.recallAt(curve, 0.001),
        "recall at 1 % false positives": RocCurve.recallAt(curve, 0.01),
        "recall at a score of 40": share(true, 40),
        "false positives at a score of 40": share(false, 40),
        "recall at a score of 70": share(true, 70),
        "false positives at a score of 70": share(false, 70),
        "recall at as many false positives as the current score of 40": RocCurve.recallAt(
          curve,
          currentShare(40)
        ),
        "recall at as many false positives as the current score of 70": RocCurve.recallAt(
          curve,
          currentShare(70)
        )
      }
      assert.sameMembers(Object.keys(found), Object.keys(expected))
      for (const [name, value] of Object.entries(expected))
        assert.closeTo(found[name]?.[model] ?? Number.NaN, value, 1e-9, name)
    }
  })

  it("has an interval of nothing for two models that agree, also with ties", () => {
    const compared = rows(300, { current: 2, candidate: 2 }).map((row) => {
      const same = { value: Math.round(row.current.value), score: row.current.score }
      return { ...row, current: same, candidate: same }
    })
    for (const { low, high, isWorse } of Bootstrap.compare(compared))
      assert.deepStrictEqual({ low, high, isWorse }, { low: 0, high: 0, isWorse: false })
  })

  it("finds that a model is worse when the whole interval says so, in recall and in false positives", () => {
    const worse = byName(Bootstrap.compare(rows(1500, { current: 1.5, candidate: 3 })))
    assert.isTrue(worse["area under the ROC curve"]?.isWorse)
    assert.isTrue(worse["recall at 1 % false positives"]?.isWorse)
    assert.isTrue(worse["false positives at a score of 40"]?.isWorse)
    const better = byName(Bootstrap.compare(rows(1500, { current: 3, candidate: 1.5 })))
    assert.isFalse(better["area under the ROC curve"]?.isWorse)
    assert.isFalse(better["recall at 1 % false positives"]?.isWorse)
    assert.isFalse(better["false positives at a score of 40"]?.isWorse)
    const equal = Bootstrap.compare(rows(1500, { current: 2, candidate: 2 }))
    assert.isFalse(equal.some(({ isWorse }) => isWorse))
  })

  it("shows that only the thresholds differ: recall at a score changes, at equal false positives it does not", () => {
    const compared = rows(1500, { current: 1.5, candidate: 1.5 }).map((row) => ({
      ...row,
      candidate: { ...row.current, score: row.current.score - 20 }
    }))
    const found = byName(Bootstrap.compare(compared))
    assert.isTrue(found["recall at a score of 40"]?.isWorse)
    for (const score of [40, 70])
      assert.deepInclude(found[`recall at as many false positives as the current score of ${score}`], {
        low: 0,
        high: 0,
        isWorse: false
      })
  })

  it("has the interval of the binomial distribution for a share of independent sites", () => {
    // The candidate has 70 at each second row of phishing, the current model at none: 0.5, with a deviation of
    // sqrt(0.5 * 0.5 / 400) = 0.025.
    const compared = Array.from({ length: 800 }, (_, index): Bootstrap.ComparedRow => {
      const isPhishing = index < 400
      const none = { value: 0, score: 0 }
      return {
        isPhishing,
        site: String(index),
        current: none,
        candidate: isPhishing && index % 2 === 0 ? { value: 0, score: 70 } : none
      }
    })
    const { low = 0, high = 0 } = byName(Bootstrap.compare(compared))["recall at a score of 70"] ?? {}
    assert.closeTo(low, 0.5 - 1.96 * 0.025, 0.008)
    assert.closeTo(high, 0.5 + 1.96 * 0.025, 0.008)
  })

  it("has a wider interval for as many rows on fewer sites", () => {
    const compared = rows(1200, { current: 2.2, candidate: 2 })
    const ofSites = compared.map((row, index): Bootstrap.ComparedRow => {
      const site = Math.floor(index / 30)
      const copied = compared[site]
      return { ...(copied ?? row), site: String(site) }
    })
    const width = ([area]: ReadonlyArray<Bootstrap.Comparison>) => (area?.high ?? 0) - (area?.low ?? 0)
    assert.isAbove(width(Bootstrap.compare(ofSites)), 3 * width(Bootstrap.compare(compared)))
  })

  it("gives the same result for the same rows", () => {
    const compared = rows(1500, { current: 2, candidate: 2.1 })
    assert.deepStrictEqual(Bootstrap.compare(compared), Bootstrap.compare(compared))
  })

  it("is worse where nothing can be measured", () => {
    const benignOnly = rows(30, { current: 2, candidate: 2 }).filter(({ isPhishing }) => !isPhishing)
    assert.deepStrictEqual(
      Bootstrap.compare(benignOnly).map(({ isWorse }) => isWorse),
      [true, true, true, true, false, true, false, true, true]
    )
    assert.isTrue(Bootstrap.compare([]).every(({ isWorse }) => isWorse))
  })
})
