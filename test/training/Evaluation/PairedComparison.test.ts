import { assert, describe, it } from "@effect/vitest"
import * as PairedComparison from "../../../training/Evaluation/PairedComparison.ts"
import * as RocCurve from "../../../training/Evaluation/RocCurve.ts"
import * as Random from "../../../training/Random.ts"

/** Rows whose raw value is the label and noise; larger noise makes a worse model. */
const rows = (count: number, noise: { readonly current: number; readonly candidate: number }) => {
  const next = Random.random(5)
  const judgement = (isPhishing: boolean, size: number): PairedComparison.Judgement => {
    const value = (isPhishing ? 1 : 0) + size * (next() - 0.5)
    return { value, score: Math.max(0, Math.min(100, Math.round(value * 60))) }
  }
  return Array.from({ length: count }, (_, index): PairedComparison.ComparedRow => {
    const isPhishing = index % 3 === 0
    return {
      isPhishing,
      site: `site${index}`,
      current: judgement(isPhishing, noise.current),
      candidate: judgement(isPhishing, noise.candidate)
    }
  })
}

const worse = (compared: ReadonlyArray<PairedComparison.ComparedRow>) =>
  PairedComparison.compare(compared).map(({ isWorse }) => isWorse)

describe("the comparison of two models", () => {
  it("has the recall of each at the false positives of the current one", () => {
    const compared = rows(999, { current: 2, candidate: 1.8 })
    const benign = compared.filter(({ isPhishing }) => !isPhishing)
    const found = PairedComparison.compare(compared)
    for (const [index, score] of [40, 70].entries()) {
      const share = benign.filter(({ current }) => current.score >= score).length / benign.length
      for (const model of ["current", "candidate"] as const) {
        const curve = RocCurve.rocCurve(
          compared.map((row) => ({ isPhishing: row.isPhishing, value: row[model].value }))
        )
        const recall = curve && RocCurve.recallAt(curve, share)
        assert.isAbove(recall ?? 0, 0.1)
        assert.closeTo(found[index]?.[model] ?? Number.NaN, recall ?? Number.NaN, 1e-9)
      }
    }
  })

  it("has an interval of nothing for two models that agree, also with ties", () => {
    const compared = rows(300, { current: 2, candidate: 2 }).map((row) => {
      const same = { value: Math.round(row.current.value), score: row.current.score }
      return { ...row, current: same, candidate: same }
    })
    for (const { low, high, isWorse } of PairedComparison.compare(compared))
      assert.deepStrictEqual({ low, high, isWorse }, { low: 0, high: 0, isWorse: false })
  })

  it("finds that a model is worse when the whole interval says so, and does not say it of a better or an equal one", () => {
    assert.deepStrictEqual(worse(rows(1500, { current: 1.5, candidate: 3 })), [true, true])
    assert.deepStrictEqual(worse(rows(1500, { current: 3, candidate: 1.5 })), [false, false])
    assert.deepStrictEqual(worse(rows(1500, { current: 2, candidate: 2 })), [false, false])
  })

  it("does not depend on the scores of the candidate", () => {
    const compared = rows(900, { current: 2, candidate: 2.2 })
    const shifted = compared.map((row) => ({ ...row, candidate: { ...row.candidate, score: 0 } }))
    assert.deepStrictEqual(PairedComparison.compare(shifted), PairedComparison.compare(compared))
  })

  it("has the interval of the binomial distribution for a share of independent sites", () => {
    // The candidate finds each second row of phishing, the current model none: 0.5, with a deviation of
    // sqrt(0.5 * 0.5 / 400) = 0.025.
    const compared = Array.from({ length: 800 }, (_, index): PairedComparison.ComparedRow => {
      const isPhishing = index < 400
      const current = { value: isPhishing ? 0 : 1, score: 0 }
      const candidate = { value: isPhishing && index % 2 === 0 ? 2 : 0, score: 0 }
      return { isPhishing, site: String(index), current, candidate }
    })
    for (const { current, candidate, low, high } of PairedComparison.compare(compared)) {
      assert.deepStrictEqual([current, candidate], [0, 0.5])
      assert.closeTo(low, 0.5 - 1.96 * 0.025, 0.008)
      assert.closeTo(high, 0.5 + 1.96 * 0.025, 0.008)
    }
  })

  it("has a wider interval for as many rows on fewer sites", () => {
    const compared = rows(1200, { current: 2.2, candidate: 2 })
    const ofSites = compared.map((row, index): PairedComparison.ComparedRow => {
      const site = Math.floor(index / 30)
      return { ...(compared[site] ?? row), site: String(site) }
    })
    const width = (of: ReadonlyArray<PairedComparison.ComparedRow>) => {
      const [first] = PairedComparison.compare(of)
      return (first?.high ?? 0) - (first?.low ?? 0)
    }
    assert.isAbove(width(ofSites), 2 * width(compared))
  })

  it("is worse where nothing can be measured", () => {
    const benignOnly = rows(30, { current: 2, candidate: 2 }).filter(({ isPhishing }) => !isPhishing)
    assert.deepStrictEqual(worse(benignOnly), [true, true])
    assert.deepStrictEqual(worse([]), [true, true])
  })
})
