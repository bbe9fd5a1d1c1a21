import { assert, describe, it } from "@effect/vitest"
import {
  type CheckerStatus,
  checkerIds,
  checkerStatuses
} from "../../../src/Checkers/Checker/CheckerNames.ts"
import type { FindingKind } from "../../../src/Checkers/Kinds.ts"
import * as CheckerVerdict from "../../../src/Checkers/Verdict.ts"
import * as Verdict from "../../../src/Http/Pages/verdict.browser.js"
import { finding } from "../../fixtures/Findings.ts"
import { english } from "../../fixtures/Texts.ts"

/** A status for each checker in their order; `ok` for the others. */
const statusesWith = (...statuses: ReadonlyArray<CheckerStatus>): Verdict.Result["checkers"] => {
  const [
    heuristics = "ok",
    feed_a = "ok",
    reputation_lookup = "ok",
    feed_b = "ok",
    feed_c = "ok",
    feed_d = "ok"
  ] = statuses
  return { heuristics, feed_a, reputation_lookup, feed_b, feed_c, feed_d }
}

const all = statusesWith()

const publishers = new Map([
  ["feed_a", "phishunt.io"],
  ["feed_b", "TweetFeed"]
])

const nameOf = (checker: string) =>
  Verdict.checkerName(checker, { get: (id) => publishers.get(id) ?? null }, english)

/** What the page shows for findings of these kinds. */
const outcomeOf = (
  kinds: ReadonlyArray<FindingKind>,
  checkers: Verdict.Result["checkers"] = all,
  override?: "allow" | "block",
  url = "http://example.com/",
  isDisguised = false
) => {
  const { findings, verdict } = CheckerVerdict.judge(kinds.map((kind) => finding(kind)))
  return Verdict.outcomeOf(
    {
      url,
      verdict,
      findings: findings.map(CheckerVerdict.reported),
      checkers,
      ...(override !== undefined && { override })
    },
    isDisguised
  )
}

describe("the headline", () => {
  const incomplete = statusesWith("ok", "timeout")
  for (const [kinds, statuses, outcome] of [
    [["listedUrl", "notHttps"], all, "phishing"],
    [["blocked"], all, "phishing"],
    [["severeThreat", "malformed"], all, "phishing"],
    [["listedUrl"], incomplete, "phishing"],
    [["mixedScripts"], all, "suspicious"],
    [["brandDomainInHost"], all, "phishing"],
    [["shortener", "otherPagesListed"], all, "suspicious"],
    [["unwantedSoftware"], incomplete, "suspicious"],
    [["malformed"], all, "malformed"],
    [["malformed"], incomplete, "malformed"],
    [["shortener"], all, "hidden"],
    [["shortener", "notHttps"], incomplete, "hidden"],
    [[], incomplete, "incomplete"],
    [["notHttps"], incomplete, "incomplete"],
    [["notHttps"], all, "little"],
    [["unconfirmedListing"], all, "little"],
    [[], all, "nothing"],
    [[], statusesWith("ok", "stale", "not-configured"), "nothing"]
  ] as const)
    it(`is "${outcome}" for ${kinds.join(" and ") || "no finding"}${statuses === incomplete ? " when a checker is silent" : ""}`, () => {
      assert.strictEqual(outcomeOf(kinds, statuses), outcome)
    })

  it("is the operator's decision if the link is allowed, unless there is something worse", () => {
    assert.strictEqual(outcomeOf(["notHttps"], incomplete, "allow"), "allowed")
    assert.strictEqual(outcomeOf(["listedUrl"], all, "allow"), "phishing")
  })

  it("does not count missing encryption of a link that was typed without a scheme", () => {
    assert.strictEqual(outcomeOf(["notHttps"], all, undefined, "example.com"), "nothing")
  })

  it("says that the link leads elsewhere, unless there is something worse", () => {
    assert.strictEqual(outcomeOf([], all, undefined, "https://example.com", true), "disguised")
    assert.strictEqual(outcomeOf(["mixedScripts"], all, undefined, "https://example.com", true), "disguised")
    assert.strictEqual(outcomeOf(["listedUrl"], all, undefined, "https://example.com", true), "phishing")
  })

  it("has help for a password that was entered only below a warning", () => {
    assert.deepStrictEqual(Verdict.outcomes.filter(Verdict.isWarning), [
      "phishing",
      "disguised",
      "suspicious"
    ])
  })
})

describe("the advice", () => {
  for (const [outcome, statuses, text] of [
    ["phishing", all, "It is probably a trap that steals passwords or money, or harms your device."],
    [
      "hidden",
      all,
      "It is a short link, which hides the real address. Open it only if you expected it, and enter no password there."
    ],
    [
      "hidden",
      statusesWith("ok", "unavailable"),
      "It is a short link, which hides the real address. Open it only if you expected it, and enter no password there. No answer from phishunt.io."
    ],
    [
      "incomplete",
      statusesWith("ok", "timeout", "not-configured", "failed", "malformed"),
      "The checks that answered found nothing serious. Try again in a few minutes, or leave the link closed. No answer from phishunt.io, TweetFeed, and List C."
    ],
    [
      "nothing",
      statusesWith("ok", "stale", "not-configured"),
      "5 checks found nothing bad. That is no guarantee: new traps appear every day. Enter no password if you did not expect this."
    ],
    [
      "nothing",
      statusesWith("ok", ...Array<CheckerStatus>(5).fill("not-configured")),
      "Our check found nothing bad. That is no guarantee: new traps appear every day. Enter no password if you did not expect this."
    ]
  ] as const)
    it(`below "${outcome}" is: ${text}`, () => {
      assert.strictEqual(Verdict.advice(outcome, statuses, nameOf, english), text)
    })

  it("names a publisher of two lists once", () => {
    const statuses = statusesWith("ok", "timeout", "ok", "timeout")
    assert.match(
      Verdict.advice("incomplete", statuses, () => "feed.example", english),
      / from feed\.example\.$/
    )
  })
})

describe("the details", () => {
  it("name each checker: a list by its publisher, or else by its letter", () => {
    assert.deepStrictEqual(checkerIds.map(nameOf), [
      "Our own check",
      "phishunt.io",
      "Google Safe Browsing",
      "TweetFeed",
      "List C",
      "List D"
    ])
  })

  it("have a text for every status", () => {
    for (const status of checkerStatuses)
      if (status !== "failed") assert.notStrictEqual(Verdict.statusText(status, false, english), status)
    assert.deepStrictEqual(
      [
        ["ok", false],
        ["ok", true],
        ["stale", true],
        ["timeout", true],
        ["surprise", false]
      ].map(([status, hasFindings]) => Verdict.statusText(String(status), hasFindings === true, english)),
      ["found nothing", "found something", "found something, in older data", "took too long", "surprise"]
    )
  })

  it("say how many checks answered, and that a silent one knows what is missing, but none that is off", () => {
    assert.strictEqual(
      Verdict.coverage(statusesWith("ok", "stale", "not-configured"), english),
      "5 checks answered."
    )
    assert.strictEqual(
      Verdict.coverage(statusesWith("ok", "not-configured", "failed"), english),
      "4 checks answered. 1 check did not answer: this result is without what it knows."
    )
  })

  it("have the score with its thresholds", () => {
    assert.strictEqual(
      english.say("score", { score: 45 }),
      "Score: 45 of 100. From 40 it is suspicious, from 70 probably a trap."
    )
    assert.deepStrictEqual([39, 40, 69, 70].map(CheckerVerdict.verdict), [
      "safe",
      "suspicious",
      "suspicious",
      "phishing"
    ])
  })
})

describe("the statuses", () => {
  it("name checkers that are silent, but not those that are switched off", () => {
    assert.deepStrictEqual(Verdict.silent(statusesWith("ok", "stale", "not-configured")), [])
    for (const status of ["timeout", "unavailable", "malformed", "failed"] as const)
      assert.deepStrictEqual(Verdict.silent(statusesWith("ok", status)), ["feed_a"], status)
  })
})

describe("a text with several links", () => {
  it("has the headline of the worst, and never a calm one while a link is unchecked", () => {
    for (const [outcomes, unchecked, outcome] of [
      [["phishing", "nothing"], 4, "phishing"],
      [["suspicious", "nothing"], 0, "suspicious"],
      [["hidden", "little"], 1, "hidden"],
      [["incomplete", "nothing"], 0, "incomplete"],
      [["nothing", "nothing"], 1, "partial"],
      [["malformed"], 1, "partial"],
      [["allowed"], 1, "partial"],
      [["malformed", "nothing"], 0, "little"],
      [["allowed", "nothing"], 0, "little"],
      [["little", "little"], 0, "little"],
      [["allowed", "allowed"], 0, "allowed"],
      [["nothing", "nothing"], 0, "nothing"]
    ] as const)
      assert.strictEqual(Verdict.outcomeOfText(outcomes, unchecked), outcome, outcomes.join())
  })
})
