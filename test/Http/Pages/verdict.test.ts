import { assert, describe, it } from "@effect/vitest"
import { CheckerId, CheckerStatus } from "../../../src/Checkers/Checker/CheckerStatus.ts"
import type { FindingKind } from "../../../src/Checkers/Kinds.ts"
import * as CheckerVerdict from "../../../src/Checkers/Verdict.ts"
import * as Verdict from "../../../src/Http/Pages/verdict.browser.js"
import { finding } from "../../fixtures/Findings.ts"

/** A status for each checker in their order; `ok` for the others. */
const statusesWith = (...statuses: ReadonlyArray<string>) =>
  new Map(CheckerId.literals.map((checker, index) => [checker as string, statuses[index] ?? "ok"]))

const all = statusesWith()

const publishers = new Map([
  ["feed_a", "phishunt.io"],
  ["feed_b", "TweetFeed"]
])

const nameOf = (checker: string) => Verdict.checkerName(checker, { get: (id) => publishers.get(id) ?? null })

/** What the page shows for findings of these kinds. */
const outcomeOf = (
  kinds: ReadonlyArray<FindingKind>,
  statuses: Verdict.Statuses = all,
  listOverride: string | null = null
) => {
  const { findings, verdict } = CheckerVerdict.judge(kinds.map((kind) => finding(kind)))
  return Verdict.outcomeOf(
    { verdict, findings: findings.map(CheckerVerdict.reported), listOverride },
    statuses
  )
}

describe("the headline", () => {
  const incomplete = statusesWith("ok", "timeout")
  for (const [kinds, statuses, outcome] of [
    [["listedUrl", "notHttps"], all, "phishing"],
    [["blocked"], all, "phishing"],
    [["severeThreat", "malformed"], all, "phishing"],
    [["listedUrl"], incomplete, "phishing"],
    [["brandDomainInHost"], all, "suspicious"],
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
    it(`is "${Verdict.headlines[outcome]}" for ${kinds.join(" and ") || "no finding"}${statuses === incomplete ? " when a checker is silent" : ""}`, () => {
      assert.strictEqual(outcomeOf(kinds, statuses), outcome)
    })

  it("is the operator's decision if the link is allowed, unless there is something worse", () => {
    assert.strictEqual(outcomeOf(["notHttps"], incomplete, "allow"), "allowed")
    assert.strictEqual(outcomeOf(["listedUrl"], all, "allow"), "phishing")
  })

  it("never says safe", () => {
    for (const headline of Object.values(Verdict.headlines)) assert.notMatch(headline, /\bsafe\b/i)
  })

  it("has help for a password that was entered only below a warning", () => {
    const warnings = Object.keys(Verdict.headlines).filter((outcome) =>
      Verdict.isWarning(outcome as Verdict.Outcome)
    )
    assert.deepStrictEqual(warnings, ["phishing", "suspicious"])
  })
})

describe("the advice", () => {
  for (const [outcome, statuses, text] of [
    [
      "phishing",
      all,
      "It is probably a trap that steals passwords or money, or harms your device. Delete the message that it came in."
    ],
    [
      "suspicious",
      all,
      "It has signs of a trap. Leave it closed, unless you expected exactly this link. If you know the sender, ask in another way, such as by phone."
    ],
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
      "No answer from phishunt.io, TweetFeed and List C. The checks that answered found nothing serious. Try again in a few minutes, or leave the link closed."
    ],
    [
      "incomplete",
      statusesWith("ok", "ok", "unavailable", "unknown"),
      "No answer from Google Safe Browsing and TweetFeed. The checks that answered found nothing serious. Try again in a few minutes, or leave the link closed."
    ],
    [
      "little",
      all,
      "It has a small sign or two that honest pages have as well. Be careful if you did not expect this link."
    ],
    [
      "nothing",
      statusesWith("ok", "stale", "not-configured"),
      "Each of our 5 checks found nothing bad. That is no guarantee: new traps appear every day. Do not enter a password if you did not expect this link."
    ],
    [
      "nothing",
      new Map([["heuristics", "ok"]]),
      "Our check found nothing bad. That is no guarantee: new traps appear every day. Do not enter a password if you did not expect this link."
    ],
    ["allowed", all, "It is the operator's decision, not the result of a check."],
    ["malformed", all, "No browser can open it. Copy the whole link, or the whole message, and try again."]
  ] as const)
    it(`below "${Verdict.headlines[outcome]}" is: ${text}`, () => {
      assert.strictEqual(Verdict.advice(outcome, 0, statuses, nameOf), text)
    })
})

describe("a publisher of two lists", () => {
  it("is named once", () => {
    const text = Verdict.advice("incomplete", 0, statusesWith("timeout", "timeout"), () => "feed.example")
    assert.match(text, /^No answer from feed\.example\. /)
  })
})

describe("the details", () => {
  it("name each checker: a list by its publisher, or else by its letter", () => {
    assert.deepStrictEqual(CheckerId.literals.map(nameOf), [
      "Our own check",
      "phishunt.io",
      "Google Safe Browsing",
      "TweetFeed",
      "List C",
      "List D"
    ])
  })

  it("have a text for every status", () => {
    for (const status of CheckerStatus.literals)
      if (status !== "failed") assert.notStrictEqual(Verdict.statusText(status, false), status)
    assert.deepStrictEqual(
      [
        ["ok", false],
        ["ok", true],
        ["stale", true],
        ["timeout", true],
        ["surprise", false]
      ].map(([status, hasFindings]) => Verdict.statusText(String(status), hasFindings === true)),
      ["found nothing", "found something", "found something, in older data", "took too long", "surprise"]
    )
  })

  it("say how many checkers answered, and that a silent one knows what is missing", () => {
    assert.strictEqual(Verdict.coverage(statusesWith("ok", "stale")), "6 of 6 checkers answered.")
    assert.strictEqual(
      Verdict.coverage(statusesWith("ok", "not-configured", "failed")),
      "4 of 6 checkers answered. What the others know is missing from this result."
    )
  })

  it("have the score with its thresholds", () => {
    assert.strictEqual(
      Verdict.scoreText(45),
      "Score: 45 of 100. From 40 it is suspicious, from 70 probably phishing."
    )
    assert.deepStrictEqual([39, 40, 69, 70].map(CheckerVerdict.verdict), [
      "safe",
      "suspicious",
      "suspicious",
      "phishing"
    ])
  })
})

describe("Checker-Status", () => {
  it("is parsed, with unknown for missing checkers", () => {
    const checkers = ["heuristics", "feed_a", "feed_b"]
    const states = (header: string | null) => [...Verdict.parseStatuses(header, checkers).values()]
    assert.deepStrictEqual(states("feed_a=stale, heuristics=ok, feed_b=timeout"), ["ok", "stale", "timeout"])
    assert.deepStrictEqual(states("heuristics=ok,feed_a"), ["ok", "unknown", "unknown"])
    assert.deepStrictEqual(states(null), ["unknown", "unknown", "unknown"])
  })

  it("names checkers that are silent, but not those that are switched off", () => {
    assert.deepStrictEqual(Verdict.silent(statusesWith("ok", "stale", "not-configured")), [])
    for (const status of ["timeout", "unavailable", "malformed", "failed", "unknown"])
      assert.deepStrictEqual(Verdict.silent(statusesWith("ok", status)), ["feed_a"], status)
  })
})

describe("the text about the operator's lists", () => {
  it("says what they decided", () => {
    assert.strictEqual(
      Verdict.overrideText("allow"),
      "The operator of this service allows this address: what the checkers found about it does not count."
    )
    assert.strictEqual(Verdict.overrideText("block"), "The operator of this service blocks this link.")
    for (const header of [null, "", "quarantine"]) assert.strictEqual(Verdict.overrideText(header), "")
  })
})

describe("a text with several links", () => {
  const shown = (outcome: Verdict.Outcome, others: number) => {
    const ofText = Verdict.outcomeOfText(outcome, others)
    return [ofText, Verdict.headlineOf(ofText, others), Verdict.advice(outcome, others, all, nameOf)]
  }

  for (const [outcome, advice] of [
    [
      "nothing",
      "We found nothing wrong in the one below. Each of the others may be a trap: check it before you open it."
    ],
    [
      "little",
      "We found nothing serious in the one below. Each of the others may be a trap: check it before you open it."
    ],
    [
      "allowed",
      "This service allows the one below. Each of the others may be a trap: check it before you open it."
    ],
    [
      "malformed",
      "The one below is not a link that a browser can open. Each of the others may be a trap: check it before you open it."
    ]
  ] as const)
    it(`is not "${Verdict.headlines[outcome]}" if only that was found in one of them`, () => {
      assert.deepStrictEqual(shown(outcome, 2), ["partial", "We checked one of 3 links", advice])
    })

  it("has the advice for one other link", () => {
    assert.deepStrictEqual(shown("nothing", 1), [
      "partial",
      "We checked one of 2 links",
      "We found nothing wrong in the one below. The other one may be a trap: check it before you open it."
    ])
  })

  it("has the headline of a verdict that is as bad or worse", () => {
    for (const outcome of ["phishing", "suspicious", "hidden", "incomplete"] as const)
      assert.deepStrictEqual(shown(outcome, 2), shown(outcome, 0), outcome)
  })

  it("says which one was checked", () => {
    assert.deepStrictEqual([0, 1, 2].map(Verdict.othersText), [
      "",
      "Your text has 2 links. We checked only the one above. The other one:",
      "Your text has 3 links. We checked only the one above. The others:"
    ])
  })
})
