import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import type { Finding } from "../../src/Checkers/Checker.ts"
import * as Heuristics from "../../src/Checkers/Heuristics.ts"
import { type FindingKind, kinds, ownScore } from "../../src/Checkers/Kinds.ts"
import * as Verdict from "../../src/Checkers/Verdict.ts"
import * as Submission from "../../src/Url/Submission.ts"
import { finding, judged, ofModel } from "../fixtures/Findings.ts"
import { modelOf } from "../fixtures/SmallModel.ts"

const kindsOf = (findings: ReadonlyArray<Finding>) => Verdict.judge(findings).findings.map(({ kind }) => kind)

const all = (...kinds: ReadonlyArray<FindingKind>) => kinds.map((kind) => finding(kind))

const allKinds = Object.keys(kinds) as ReadonlyArray<FindingKind>

describe("the score", () => {
  it.each<[name: string, score: number, findings: ReadonlyArray<Finding>]>([
    ["nothing", 0, []],
    ["plain HTTP", 10, all("notHttps")],
    ["what only explains", 0, all("abusedSuffix", "lureInPath", "freeHosting", "ipHost")],
    ["two listings", 100, all("listedPage", "listedUrl")],
    ["a listing over plain HTTP", 80, all("listedHost", "notHttps")],
    ["the model over plain HTTP", 55, [ofModel(55), ...all("notHttps")]],
    ["a rule that is stronger than the model", 60, [ofModel(55), ...all("brandLure")]],
    ["the model that is stronger than a rule", 85, [...all("brandLure"), ofModel(85)]],
    ["three rules", 60, all("brandLure", "mixedScripts", "brandSplit")],
    ["a carried listing beside other pages", 65, all("carriedListing", "otherPagesListed")],
    ["an unconfirmed row beside other pages", 45, all("unconfirmedListing", "otherPagesListed")],
    ["a finding of an address that the link leads to", 70, [finding("listedPage", { addressIndex: 1 })]],
    [
      "a carried finding with less than its own score",
      65,
      [finding("brandHomograph", { addressIndex: 1, points: 65 })]
    ]
  ])("of %s is %i", (_, expected, findings) => {
    assert.strictEqual(Verdict.judge(findings).score, expected)
    assert.strictEqual(Verdict.judge(findings.toReversed()).score, expected)
  })

  const anyFindings = FastCheck.array(
    FastCheck.tuple(
      FastCheck.constantFrom(...allKinds),
      FastCheck.integer({ min: 0, max: 2 }),
      FastCheck.integer({ min: 20, max: 95 })
    ).map(([kind, addressIndex, points]) =>
      kind === "model" ? ofModel(points, { addressIndex }) : finding(kind, { addressIndex })
    ),
    { maxLength: 12 }
  )

  it("is that of the strongest finding, which is shown", () => {
    FastCheck.assert(
      FastCheck.property(anyFindings, (findings) => {
        const { findings: shown, score, verdict } = Verdict.judge(findings)
        assert.strictEqual(score, Math.max(0, ...findings.map(({ points }) => points)))
        assert.strictEqual(score, Math.max(0, ...shown.map(({ points }) => points)))
        assert.strictEqual(verdict, Verdict.verdict(score))
      }),
      { seed: 1, numRuns: 1000 }
    )
  })

  it("does not depend on the order of the findings, and never falls with one more", () => {
    FastCheck.assert(
      FastCheck.property(anyFindings, FastCheck.constantFrom(...allKinds), (findings, kind) => {
        const { score } = Verdict.judge(findings)
        assert.strictEqual(Verdict.judge(findings.toReversed()).score, score)
        assert.isAtLeast(Verdict.judge([...findings, finding(kind)]).score, score)
      }),
      { seed: 2, numRuns: 1000 }
    )
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

describe("the reasons", () => {
  it("stand in the order in which people understand them", () => {
    const [named = assert.fail()] = Heuristics.findings(
      modelOf(90),
      Submission.read("https://paypal-info.example/", 0)
    )
    assert.strictEqual(named.kind, "brandInDomain")
    assert.deepStrictEqual(
      kindsOf([ofModel(90), ...all("lureInPath", "notHttps"), named, ...all("mixedScripts", "listedPage")]),
      ["listedPage", "mixedScripts", "brandInDomain", "notHttps", "lureInPath", "model"]
    )
  })

  it("have the operator's list before listings, and of listings and rules the strongest first", () => {
    assert.deepStrictEqual(
      kindsOf(all("brandLure", "brandHomograph", "otherPagesListed", "listedHost", "blocked")),
      ["blocked", "listedHost", "otherPagesListed", "brandHomograph", "brandLure"]
    )
  })

  it("end with the model, also if it has the score, and have it alone if there is nothing else", () => {
    assert.deepStrictEqual(kindsOf([ofModel(95), ...all("shortener", "notHttps")]), [
      "shortener",
      "notHttps",
      "model"
    ])
    assert.deepStrictEqual(kindsOf([ofModel(95)]), ["model"])
  })

  it("keep the checkers' order among equals", () => {
    const findings = ["abusedSuffix", "ipHost", "dynamicDns"] as const
    assert.deepStrictEqual(kindsOf(all(...findings)), [...findings])
  })

  const many = all(
    "abusedSuffix",
    "ipHost",
    "dynamicDns",
    "decoyDomain",
    "lureInHost",
    "machineName",
    "lureInPath"
  )

  it("are at most six, with the finding that has the score and plain HTTP among them", () => {
    assert.lengthOf(kindsOf(many), 6)
    const shown = kindsOf([...many, ofModel(77), ...all("notHttps")])
    assert.lengthOf(shown, 6)
    assert.includeMembers([...shown], ["model", "notHttps"])
    assert.strictEqual(shown.at(-1), "model")
    assert.deepStrictEqual(
      shown.slice(1, -1),
      many.slice(0, 4).map(({ kind }) => kind)
    )
  })

  it("leave out the weakest of many listings", () => {
    const listings = all("listedUrl", "listedHost", "listedDirectory", "listedPage", "otherPagesListed")
    assert.deepStrictEqual(kindsOf([...many, ...all("notHttps"), ...listings]), [
      ...listings.map(({ kind }) => kind),
      "notHttps"
    ])
  })
})

describe("the own score of a kind", () => {
  it("is at most 100, and 0 if it weighs or explains", () => {
    for (const kind of allKinds) {
      const { strength } = kinds[kind]
      assert.strictEqual(ownScore(kind), typeof strength === "number" ? strength : 0)
      assert.isAtMost(ownScore(kind), 100)
    }
  })

  it("reaches 40 only for listings and what honest sites have no use for, and 70 for few of these", () => {
    const rules = allKinds.filter((kind) => kinds[kind].checker === "heuristics")
    const from = (score: number) => rules.filter((kind) => ownScore(kind) >= score)
    assert.sameMembers(from(70), ["brandInUserInfo", "brandHomograph", "bankCodeLure", "brandDomainInHost"])
    assert.sameMembers(from(40), [
      ...from(70),
      "brandLure",
      "brandSplit",
      "malformed",
      "scriptScheme",
      "unreadDestination",
      "disguisedFile",
      "harmfulFile",
      "brandDomainInPath",
      "deceptiveUserInfo",
      "mixedScripts"
    ])
  })

  it("is that of the contract", () => {
    const contract = {
      blocked: 100,
      listedUrl: 100,
      listedHost: 80,
      listedDirectory: 80,
      listedPage: 70,
      otherPagesListed: 45,
      unconfirmedListing: 30,
      severeThreat: 100,
      unwantedSoftware: 40,
      carriedListing: 65,
      carriedUnwantedSoftware: 40,
      malformed: 40,
      notHttps: 10,
      otherScheme: 10,
      privateHost: 15,
      shortener: 20
    } as const
    for (const [kind, score] of Object.entries(contract))
      assert.strictEqual(ownScore(kind as FindingKind), score, kind)
  })

  it("is weighed for the age of a domain and the model only", () => {
    assert.deepStrictEqual(
      allKinds.filter((kind) => kinds[kind].strength === "weighs"),
      ["newDomain", "model"]
    )
  })
})

const popular = (source: string, changes: Partial<Finding> = {}, isStale = false) =>
  finding("listedHost", {
    checker: "feed_a",
    source,
    reason: `listed by ${source}`,
    needsSecondPublisher: true,
    ...(isStale && { isStale }),
    ...changes
  })

describe("a row that names a very popular site", () => {
  it("is not confirmed by a row that was copied from another publisher", () => {
    const copied = popular("B", { isCopied: true })
    assert.strictEqual(judged([popular("A"), copied]).score, 30)
    assert.strictEqual(judged([copied]).score, 30)
    assert.strictEqual(judged([popular("A"), copied, popular("C")]).score, 80)
  })

  it("has 30 points alone, and says so", () => {
    assert.deepStrictEqual(judged([popular("A")]), {
      score: 30,
      verdict: "safe",
      reasons: ["listed by A, but no other list confirms it"]
    })
  })

  it("counts in full when another publisher's list has such a row too", () => {
    assert.deepStrictEqual(judged([popular("A"), popular("B")]), {
      score: 80,
      verdict: "phishing",
      reasons: ["listed by A", "listed by B"]
    })
  })

  it("is not confirmed by the same publisher, a stale list, or a row about another address", () => {
    assert.strictEqual(Verdict.judge([popular("A"), popular("A")]).score, 30)
    assert.strictEqual(Verdict.judge([popular("A"), popular("B", {}, true)]).score, 30)
    assert.strictEqual(Verdict.judge([popular("A", {}, true), popular("B", {}, true)]).score, 30)
    assert.strictEqual(Verdict.judge([popular("A"), popular("B", { addressIndex: 1 })]).score, 30)
    assert.strictEqual(Verdict.judge([popular("A"), ofModel(55)]).score, 55)
  })

  it("is confirmed by any list of another publisher, Google's too", () => {
    const google = finding("unwantedSoftware", { checker: "reputation_lookup", source: "Google" })
    assert.deepStrictEqual(judged([popular("A"), google]).reasons, ["listed by A", "unwantedSoftware"])
  })

  it("counts in full on a stale list when two others confirm it", () => {
    assert.deepStrictEqual(judged([popular("A", {}, true), popular("B"), popular("C")]).reasons, [
      "listed by A",
      "listed by B",
      "listed by C"
    ])
  })
})

describe("the operator's lists", () => {
  const listed: ReadonlyArray<Finding> = [
    finding("listedUrl", { reason: "listed" }),
    finding("notHttps", { reason: "plain" }),
    finding("lureInHost", { reason: "lure", addressIndex: 1 })
  ]

  const blocked = finding("blocked", { checker: "operator_lists", addressIndex: 1 })

  it("block with 100 points and a first reason of its own", () => {
    assert.deepStrictEqual(judged([], [undefined, blocked]), {
      score: 100,
      verdict: "phishing",
      reasons: ["blocked"]
    })
    assert.deepStrictEqual(judged(listed, [undefined, blocked]).reasons, [
      "blocked",
      "listed",
      "plain",
      "lure"
    ])
  })

  it("add a finding about a blocked address that the URL only carries", () => {
    const carried = finding("carriedListing", { reason: "carried", addressIndex: 1 })
    assert.deepStrictEqual(judged([], [undefined, carried]), {
      score: 65,
      verdict: "suspicious",
      reasons: ["carried"]
    })
    assert.deepStrictEqual(judged(listed, ["allow", carried]).reasons, ["carried", "plain", "lure"])
    assert.isUndefined(Verdict.resultOverride([carried]))
  })

  it("allow: only plain HTTP stays of the findings about the address", () => {
    assert.deepStrictEqual(judged(listed, ["allow"]), {
      score: 10,
      verdict: "safe",
      reasons: ["plain", "lure"]
    })
    assert.deepStrictEqual(judged(listed, ["allow", "allow"]).reasons, ["plain"])
    assert.strictEqual(Verdict.judge(listed, ["allow", "allow"]).score, 10)
    assert.strictEqual(Verdict.judge(listed, ["allow", blocked]).score, 100)
  })

  it("allow: that a link leads through too many addresses stays", () =>
    assert.deepStrictEqual(judged([finding("unreadDestination", { reason: "unread" })], ["allow", "allow"]), {
      score: 40,
      verdict: "suspicious",
      reasons: ["unread"]
    }))

  it.each([
    [[], undefined],
    [[undefined], undefined],
    [["allow"], "allow"],
    [[blocked], "block"],
    [[undefined, "allow"], undefined],
    [[undefined, blocked], "block"],
    [["allow", undefined], "allow"],
    [["allow", blocked], "block"],
    [[blocked, "allow"], "block"]
  ] as const)("of the addresses %j overrule the result as %s", (decisions, expected) => {
    assert.strictEqual(Verdict.resultOverride(decisions), expected)
  })
})

describe("the rule of the score", () => {
  const MAX_LINES = 120

  it("fits on a page", () => {
    const lines = readFileSync(new URL("../../src/Checkers/Verdict.ts", import.meta.url), "utf8").trimEnd()
    assert.isBelow(lines.split("\n").length, MAX_LINES)
  })
})
