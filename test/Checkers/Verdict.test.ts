import { assert, describe, it } from "@effect/vitest"
import type { Finding } from "../../src/Checkers/Checker.ts"
import { type FindingKind, kinds } from "../../src/Checkers/Kinds.ts"
import * as Verdict from "../../src/Checkers/Verdict.ts"
import { finding, judged } from "../fixtures/Findings.ts"

const score = (...kinds: ReadonlyArray<FindingKind>) => Verdict.score(kinds.map((kind) => ({ kind })))

describe("the score", () => {
  it("is the sum of the findings' points, at most 100", () => {
    assert.strictEqual(score(), 0)
    assert.strictEqual(score("notHttps"), 10)
    assert.strictEqual(score("malformed"), 40)
    assert.strictEqual(score("abusedSuffix", "lureInPath"), 30)
    assert.strictEqual(score("listedUrl", "listedHost"), 100)
  })

  it("counts only the larger of the model and the signals", () => {
    const { modelSuspicious, modelPhishing } = kinds
    assert.strictEqual(score("abusedSuffix", "modelSuspicious"), modelSuspicious.points)
    assert.strictEqual(score("modelPhishing", "brandLookAlike", "lureInPath"), modelPhishing.points)
    const signals = score("brandLookAlike", "lureInHost")
    assert.isAbove(signals, modelSuspicious.points)
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

  it("stays below phishing when only scheme, user info or page add points", () => {
    const page = ["brandInPath", "pageAmongSoftware", "lureInPath"] as const
    assert.strictEqual(score(...page, "otherScheme", "notHttps"), 69)
    assert.strictEqual(score("privateHost", ...page, "executablePath", "notHttps"), 69)
    assert.strictEqual(score("abusedSuffix", "lureInHost", "userInfo", ...page, "notHttps"), 69)
    assert.strictEqual(score("deceptiveUserInfo", "brandLookAlike", ...page), 75)
  })

  it("adds plain HTTP, which lifts no level of the model above the next threshold", () => {
    const { modelSuspicious, modelLikely } = kinds
    assert.strictEqual(score("modelSuspicious", "notHttps"), modelSuspicious.points + 10)
    assert.strictEqual(Verdict.verdict(score("modelLikely", "notHttps")), "suspicious")
    assert.isAtLeast(modelLikely.points, modelSuspicious.points)
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

const allOutside: ReadonlyArray<FindingKind> = [
  "otherScheme",
  "userInfo",
  "pageAmongSoftware",
  "executablePath",
  "brandInPath",
  "lureInPath"
]

describe("a listed address that the URL only carries", () => {
  it.each<[name: string, score: number, kinds: ReadonlyArray<FindingKind>]>([
    ["alone", 55, ["carriedListing"]],
    ["over plain HTTP", 65, ["carriedListing", "notHttps"]],
    ["on two feeds", 55, ["carriedListing", "carriedListing"]],
    ["beside unwanted software that it carries too", 55, ["carriedUnwantedSoftware", "carriedListing"]],
    ["with every signal that a link's writer chooses", 59, ["carriedListing", ...allOutside]],
    ["the same over plain HTTP", 69, ["carriedListing", ...allOutside, "notHttps"]],
    ["beside the model", 55, ["carriedListing", "modelLikely"]],
    ["beside signals of the host", 59, ["carriedListing", "abusedSuffix"]],
    ["beside more signals of the host", 75, ["carriedListing", "brandLookAlike", "brandDomainInHost"]],
    ["on a host that is listed too", 100, ["carriedListing", "listedHost"]]
  ])("%s has %i points", (_, expected, kinds) => {
    assert.strictEqual(score(...kinds), expected)
  })

  it("counts also when the URL leads elsewhere", () => {
    assert.strictEqual(
      Verdict.score([
        { kind: "carriedListing", addressIndex: 2 },
        { kind: "lureInDomain", addressIndex: 1 }
      ]),
      59
    )
  })
})

describe("what lists say about the site", () => {
  it.each<[name: string, score: number, kinds: ReadonlyArray<FindingKind>]>([
    ["other pages of the host", 45, ["otherPagesListed"]],
    ["the same on two feeds", 45, ["otherPagesListed", "otherPagesListed"]],
    ["the same over plain HTTP", 55, ["otherPagesListed", "notHttps"]],
    ["the same beside weaker signals", 45, ["otherPagesListed", "abusedSuffix"]],
    ["the same beside every signal that a link's writer chooses", 59, ["otherPagesListed", ...allOutside]],
    ["the same beside the model", 55, ["otherPagesListed", "modelLikely"]],
    ["an unconfirmed row", 30, ["unconfirmedListing"]],
    ["an unconfirmed row and other pages", 45, ["unconfirmedListing", "otherPagesListed"]],
    ["an unconfirmed row beside a carried address", 55, ["unconfirmedListing", "carriedListing"]],
    [
      "all three over plain HTTP",
      65,
      ["unconfirmedListing", "otherPagesListed", "carriedListing", "notHttps"]
    ]
  ])("%s: %i points", (_, expected, kinds) => {
    assert.strictEqual(score(...kinds), expected)
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
  it("has 30 points alone, and says so", () => {
    assert.deepStrictEqual(judged([popular("A")]), {
      score: 30,
      verdict: "safe",
      reasons: ["listed by A, but no other list confirms it"]
    })
  })

  it("counts in full when another publisher's list has such a row too", () => {
    assert.deepStrictEqual(judged([popular("A"), popular("B")]), {
      score: 100,
      verdict: "phishing",
      reasons: ["listed by A", "listed by B"]
    })
  })

  it("is not confirmed by the same publisher, a stale list, or a row about another address", () => {
    assert.strictEqual(Verdict.judge([popular("A"), popular("A")]).score, 30)
    assert.strictEqual(Verdict.judge([popular("A"), popular("B", {}, true)]).score, 30)
    assert.strictEqual(Verdict.judge([popular("A", {}, true), popular("B", {}, true)]).score, 30)
    assert.strictEqual(Verdict.judge([popular("A"), popular("B", { addressIndex: 1 })]).score, 30)
    assert.strictEqual(Verdict.judge([popular("A"), finding("modelLikely")]).score, 55)
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

describe("the heuristics about a popular site", () => {
  const isFirst = (addressIndex: number): boolean => addressIndex === 0
  const kindsOf = (findings: ReadonlyArray<Finding>, isPopularSite = isFirst) =>
    Verdict.judge(findings, [], isPopularSite).findings.map(({ kind }) => kind)
  const all = (kinds: ReadonlyArray<FindingKind>, changes: Partial<Finding> = {}) =>
    kinds.map((kind) => finding(kind, changes))

  it("say nothing of its name, nor does the model, and plain HTTP stays", () => {
    const findings = all(["brandLookAlike", "lureInDomain", "modelPhishing", "notHttps"])
    assert.deepStrictEqual(judged(findings, [], isFirst), {
      score: 10,
      verdict: "safe",
      reasons: ["notHttps"]
    })
    assert.strictEqual(Verdict.judge(findings, [], () => false).score, 90)
  })

  it("count for what the writer of a link chooses", () => {
    const chosen = ["brandInUserInfo", "disguisedFile", "pageAmongSoftware"] as const
    assert.deepStrictEqual(kindsOf(all([...chosen, "modelLikely", "abusedSuffix"])), [...chosen])
    for (const kind of ["deceptiveUserInfo", "userInfo", "unreadDestination", "scriptScheme"] as const)
      assert.deepStrictEqual(kindsOf(all([kind])), [kind])
  })

  it("leave out what was found only beside a signal of the name, and a weak signal that remains alone", () => {
    const beside = ["abusedSuffix", "brandInPath", "lureInPath"] as const
    assert.deepStrictEqual(kindsOf(all([...beside])), [])
    assert.deepStrictEqual(kindsOf(all([...beside, "notHttps"])), ["notHttps"])
    assert.deepStrictEqual(kindsOf(all([...beside, "executablePath"])), [])
    assert.deepStrictEqual(kindsOf(all([...beside, "executablePath", "notHttps"])), [
      "executablePath",
      "notHttps"
    ])
  })

  it("are judged for each address by its own popularity", () => {
    const findings = [finding("modelLikely", { addressIndex: 1 }), finding("modelPhishing")]
    assert.deepStrictEqual(kindsOf(findings), ["modelLikely"])
    assert.deepStrictEqual(
      kindsOf(findings, (index) => index === 1),
      ["modelPhishing"]
    )
  })

  it("count again when a list has the address, also by a row that needs a second publisher", () => {
    const model = finding("modelLikely")
    assert.deepStrictEqual(kindsOf([model, popular("A")]), ["modelLikely", "unconfirmedListing"])
    assert.strictEqual(Verdict.judge([model, popular("A")], [], isFirst).score, 55)
    const google = finding("unwantedSoftware", { checker: "reputation_lookup", source: "Google" })
    assert.deepStrictEqual(kindsOf([model, google]), ["modelLikely", "unwantedSoftware"])
  })

  it("are confirmed neither by a stale list nor by a listing of another address", () => {
    const model = finding("modelLikely")
    assert.deepStrictEqual(kindsOf([model, popular("A", {}, true)]), ["unconfirmedListing"])
    assert.deepStrictEqual(kindsOf([model, popular("A", { addressIndex: 1 })]), ["unconfirmedListing"])
    assert.deepStrictEqual(kindsOf([model, finding("carriedListing", { source: "A", addressIndex: 1 })]), [
      "carriedListing"
    ])
  })

  it("are overruled by the operator as before", () => {
    const findings = all(["modelLikely", "userInfo"])
    const blocked = finding("blocked", { checker: "operator_lists" })
    assert.deepStrictEqual(judged(findings, ["allow"], isFirst).reasons, [])
    assert.deepStrictEqual(judged(findings, [blocked], isFirst), {
      score: 100,
      verdict: "phishing",
      reasons: ["blocked", "userInfo"]
    })
  })

  it("are asked about only where something rests on the name, once for each address", () => {
    const asked: Array<number> = []
    const isPopularSite = (addressIndex: number) => asked.push(addressIndex) > 0
    Verdict.judge(all(["disguisedFile", "brandInUserInfo", "notHttps"]), [], isPopularSite)
    assert.deepStrictEqual(asked, [])
    Verdict.judge(
      [...all(["ipHost", "modelLikely"]), ...all(["machineName"], { addressIndex: 2 })],
      [],
      isPopularSite
    )
    assert.deepStrictEqual(asked, [0, 2])
  })
})

describe("a URL that leads to another address", () => {
  it("has the score of the worse of the two, with the points of plain HTTP once", () => {
    const at = (addressIndex: number, kind: FindingKind) => ({
      kind,
      addressIndex,
      reason: `${kind} ${addressIndex}`
    })
    const findings = [at(0, "listedPage"), at(1, "brandLookAlike"), at(1, "lureInHost")]
    assert.strictEqual(Verdict.score(findings), 70)
    assert.strictEqual(Verdict.score([...findings, at(0, "notHttps"), at(1, "notHttps")]), 80)
    assert.strictEqual(Verdict.score([...findings, at(1, "listedHost")]), 100)
  })

  it("has plain HTTP before the reasons of the address that does not count", () => {
    const findings = [finding("listedPage"), finding("notHttps"), finding("listedHost", { addressIndex: 1 })]
    assert.deepStrictEqual(judged(findings), {
      score: 90,
      verdict: "phishing",
      reasons: ["listedHost", "notHttps", "listedPage"]
    })
  })
})

describe("the reasons", () => {
  it("stand in the order of their points, those that do not count last", () => {
    const findings = ["lureInPath", "modelSuspicious", "notHttps", "brandLookAlike", "listedPage"] as const
    assert.deepStrictEqual(judged(findings.map((kind) => finding(kind))).reasons, [
      "listedPage",
      "brandLookAlike",
      "lureInPath",
      "notHttps",
      "modelSuspicious"
    ])
  })

  it("keep the checkers' order among equal points", () => {
    const findings = ["abusedSuffix", "ipHost", "dynamicDns"] as const
    assert.deepStrictEqual(judged(findings.map((kind) => finding(kind))).reasons, [...findings])
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
      score: 55,
      verdict: "suspicious",
      reasons: ["carried"]
    })
    assert.deepStrictEqual(judged(listed, ["allow", carried]).reasons, ["carried", "lure", "plain"])
    assert.isUndefined(Verdict.resultOverride([carried]))
  })

  it("allow: only plain HTTP stays of the findings about the address", () => {
    assert.deepStrictEqual(judged(listed, ["allow"]), {
      score: 35,
      verdict: "safe",
      reasons: ["lure", "plain"]
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
