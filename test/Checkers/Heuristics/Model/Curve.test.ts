import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Curve from "../../../../src/Checkers/Heuristics/Model/Curve.ts"
import { curve } from "../../../fixtures/SmallModel.ts"

describe("the share of benign URLs that reach a score", () => {
  it("is what docs/reasons.md promises", () => {
    for (const [score, share] of [
      [20, 0.03],
      [40, 0.0045],
      [70, 0.0005],
      [90, 0.00005]
    ] as const)
      assert.closeTo(Curve.shareOf(score), share, 1e-12)
  })

  it("is linear in its logarithm between these, and goes on beyond 90 as from 70", () => {
    assert.closeTo(Curve.shareOf(30), Math.sqrt(0.03 * 0.0045), 1e-12)
    assert.closeTo(Curve.shareOf(55), Math.sqrt(0.0045 * 0.0005), 1e-12)
    assert.closeTo(Curve.shareOf(80), Math.sqrt(0.0005 * 0.00005), 1e-12)
    assert.closeTo(Curve.shareOf(95), 0.00005 * 0.1 ** 0.25, 1e-12)
  })

  it("falls with every score", () => {
    for (let score = Curve.MIN_SCORE; score < Curve.MAX_SCORE; score++)
      assert.isAbove(Curve.shareOf(score), Curve.shareOf(score + 1))
  })
})

describe("the score of a value", () => {
  it.each([
    [-100, 0],
    [1.999, 0],
    [2, 20],
    [2.25, 22],
    [2.5, 25],
    [3.999, 39],
    [4, 40],
    [6.999, 69],
    [7, 70],
    [9.499, 94],
    [9.5, 95],
    [100, 95],
    [Number.POSITIVE_INFINITY, 95],
    [Number.NEGATIVE_INFINITY, 0]
  ])("of %d is %i", (value, score) => {
    assert.strictEqual(Curve.scoreOf(curve, value), score)
  })

  const anyCurve = FastCheck.tuple(
    FastCheck.double({ min: -20, max: 20, noNaN: true }),
    FastCheck.array(FastCheck.double({ min: 0.001, max: 5, noNaN: true }), {
      minLength: Curve.scores.length,
      maxLength: Curve.scores.length
    })
  ).map(([from, steps]) => {
    let value = from
    return steps.map((step) => (value += step))
  })
  const anyValue = FastCheck.double({ min: -50, max: 150, noNaN: true })

  it("is 0 or a whole number from 20 to 95, and never falls with the value", () => {
    FastCheck.assert(
      FastCheck.property(anyCurve, anyValue, anyValue, (curve, one, other) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)]
        const [lower, higher] = [Curve.scoreOf(curve, low), Curve.scoreOf(curve, high)]
        assert.isAtMost(lower, higher)
        for (const score of [lower, higher])
          assert.isTrue(score === 0 || (Number.isInteger(score) && score >= 20 && score <= 95))
      }),
      { seed: 1 }
    )
  })

  it("is each of the curve's scores from its value on, and not below", () => {
    FastCheck.assert(
      FastCheck.property(anyCurve, (curve) => {
        for (const score of Curve.scores) {
          const value = Curve.valueFor(curve, score)
          assert.strictEqual(Curve.scoreOf(curve, value), score)
          assert.isBelow(Curve.scoreOf(curve, value - 1e-6), score)
        }
      }),
      { seed: 2 }
    )
  })
})

describe("the value of a score", () => {
  it("is known for the curve's scores; nothing reaches any other", () => {
    assert.strictEqual(Curve.valueFor(curve, 20), 2)
    assert.strictEqual(Curve.valueFor(curve, 95), 9.5)
    assert.strictEqual(Curve.valueFor(curve, 42), Number.POSITIVE_INFINITY)
  })
})
