import { assert, describe, it } from "@effect/vitest"
import * as Verdict from "../../src/Checkers/Verdict.ts"

const score = (...kinds: ReadonlyArray<Verdict.FindingKind>) =>
  Verdict.score(kinds.map((kind) => ({ kind, reason: kind })))

describe("the score", () => {
  it("is the sum of the findings' points, at most 100", () => {
    assert.strictEqual(score(), 0)
    assert.strictEqual(score("notHttps"), 10)
    assert.strictEqual(score("malformed"), 40)
    assert.strictEqual(score("abusedSuffix", "lureInPath"), 30)
    assert.strictEqual(score("listedUrl", "listedHost"), 100)
  })

  it("counts only the larger of the model and the signals", () => {
    const { modelSuspicious, modelPhishing } = Verdict.contributions
    assert.strictEqual(score("abusedSuffix", "modelSuspicious"), modelSuspicious)
    assert.strictEqual(score("modelPhishing", "brandLookAlike", "lureInPath"), modelPhishing)
    const signals = score("brandLookAlike", "lureInHost")
    assert.isAbove(signals, modelSuspicious)
    assert.strictEqual(score("modelSuspicious", "brandLookAlike", "lureInHost"), signals)
  })

  it("stays below phishing when only the path adds points, also over plain HTTP", () => {
    const ofHost = ["machineName", "lureInHost", "freeHosting"] as const
    const ofPage = ["lureInPath", "brandInPath", "pageAmongSoftware"] as const
    assert.isBelow(score(...ofHost), 59)
    assert.strictEqual(score(...ofHost, ...ofPage), 59)
    assert.strictEqual(score(...ofHost, ...ofPage, "notHttps"), 69)
    assert.strictEqual(score("brandDomainInHost", "lureInHost", ...ofPage), 65)
    assert.strictEqual(score("brandDomainInHost", "lureInHost", "abusedSuffix", ...ofPage), 85)
  })

  it("stays below phishing when only scheme, user info or port add points", () => {
    const page = ["brandInPath", "pageAmongSoftware", "mailAddress"] as const
    assert.strictEqual(score(...page, "otherScheme", "notHttps"), 69)
    assert.strictEqual(score("privateHost", ...page, "executablePath", "notHttps"), 69)
    assert.strictEqual(
      score("abusedSuffix", "lureInHost", "userInfo", "unusualPort", ...page, "notHttps"),
      69
    )
    assert.strictEqual(score("deceptiveUserInfo", "brandLookAlike", ...page), 75)
  })

  it("adds plain HTTP, which lifts no level of the model above the next threshold", () => {
    const { modelSuspicious, modelLikely } = Verdict.contributions
    assert.strictEqual(score("modelSuspicious", "notHttps"), modelSuspicious + 10)
    assert.strictEqual(Verdict.verdict(score("modelLikely", "notHttps")), "suspicious")
    assert.isAtLeast(modelLikely, modelSuspicious)
  })
})

describe("the verdict", () => {
  it("changes at 40 and at 70", () => {
    assert.deepStrictEqual([0, 39, 40, 69, 70, 100].map(Verdict.verdict), [
      "safe",
      "safe",
      "suspicious",
      "suspicious",
      "phishing",
      "phishing"
    ])
  })
})
