import { assert, describe, it } from "@effect/vitest"
import { CheckerId, CheckerStatus } from "../../../src/Checkers/Checker/CheckerStatus.ts"
import type { Finding } from "../../../src/Checkers/Checker.ts"
import type { FindingKind } from "../../../src/Checkers/Kinds.ts"
import * as CheckerVerdict from "../../../src/Checkers/Verdict.ts"
import * as Verdict from "../../../src/Http/Pages/verdict.browser.js"
import { finding } from "../../fixtures/Findings.ts"

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

const nameOf = (checker: string) => Verdict.checkerName(checker, { get: (id) => publishers.get(id) ?? null })

/** What the page shows for findings of these kinds. */
const outcomeOf = (
  kinds: ReadonlyArray<FindingKind>,
  checkers: Verdict.Result["checkers"] = all,
  override?: "allow" | "block",
  url = "http://example.com/"
) => {
  const { findings, verdict } = CheckerVerdict.judge(kinds.map((kind) => finding(kind)))
  return Verdict.outcomeOf({
    url,
    verdict,
    findings: findings.map(CheckerVerdict.reported),
    checkers,
    ...(override !== undefined && { override })
  })
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
    it(`is "${Verdict.headlines[outcome]}" for ${kinds.join(" and ") || "no finding"}${statuses === incomplete ? " when a checker is silent" : ""}`, () => {
      assert.strictEqual(outcomeOf(kinds, statuses), outcome)
    })

  it("is the operator's decision if the link is allowed, unless there is something worse", () => {
    assert.strictEqual(outcomeOf(["notHttps"], incomplete, "allow"), "allowed")
    assert.strictEqual(outcomeOf(["listedUrl"], all, "allow"), "phishing")
  })

  it("does not count missing encryption of a link that was typed without a scheme", () => {
    assert.strictEqual(outcomeOf(["notHttps"], all, undefined, "example.com"), "nothing")
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

const one = { checked: 1, unchecked: 0 }

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
      statusesWith("ok", "ok", "unavailable", "unavailable"),
      "No answer from Google Safe Browsing and TweetFeed. The checks that answered found nothing serious. Try again in a few minutes, or leave the link closed."
    ],
    [
      "incomplete",
      statusesWith("ok", "unavailable", "ok", "unavailable", "unavailable", "unavailable"),
      "Our lists are not available right now. The checks that answered found nothing serious. Try again in a few minutes, or leave the link closed."
    ],
    [
      "hidden",
      statusesWith("ok", "unavailable", "timeout", "unavailable", "not-configured", "unavailable"),
      "It is a short link, which hides the real address. Open it only if you expected it, and enter no password there. Our lists are not available right now. No answer from Google Safe Browsing."
    ],
    [
      "little",
      all,
      "It has only small signs, which honest pages have too. Be careful if you did not expect this link."
    ],
    [
      "nothing",
      statusesWith("ok", "stale", "not-configured"),
      "Each of our 5 checks found nothing bad. That is no guarantee: new traps appear every day. Do not enter a password if you did not expect this link."
    ],
    [
      "nothing",
      statusesWith("ok", ...Array<CheckerStatus>(5).fill("not-configured")),
      "Our check found nothing bad. That is no guarantee: new traps appear every day. Do not enter a password if you did not expect this link."
    ],
    ["allowed", all, "It is the operator's decision, not the result of a check."],
    ["malformed", all, "No browser can open it. Copy the whole link, or the whole message, and try again."]
  ] as const)
    it(`below "${Verdict.headlines[outcome]}" is: ${text}`, () => {
      assert.strictEqual(Verdict.advice(outcome, one, statuses, nameOf), text)
    })
})

describe("a publisher of two lists", () => {
  it("is named once", () => {
    const text = Verdict.advice(
      "incomplete",
      one,
      statusesWith("ok", "timeout", "ok", "timeout"),
      () => "feed.example"
    )
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
      "4 of 6 checkers answered. This result is without what the others know."
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

describe("the statuses", () => {
  it("name checkers that are silent, but not those that are switched off", () => {
    assert.deepStrictEqual(Verdict.silent(statusesWith("ok", "stale", "not-configured")), [])
    for (const status of ["timeout", "unavailable", "malformed", "failed"] as const)
      assert.deepStrictEqual(Verdict.silent(statusesWith("ok", status)), ["feed_a"], status)
  })
})

describe("the reasons", () => {
  const reasonsOf = (findings: ReadonlyArray<Finding>, url = "http://example.com/") =>
    Verdict.reasonsOf({ url, findings: findings.map(CheckerVerdict.reported) }, nameOf).map(
      ({ text }) => text
    )
  const listed = (checker: CheckerId, kind: FindingKind = "listedUrl") =>
    finding(kind, { checker, source: nameOf(checker), reason: `${checker} (list of 2026-11-21 09:00 UTC)` })

  it("name the lists that have the same finding once, and last that there is no encryption", () => {
    assert.deepStrictEqual(
      reasonsOf([
        listed("feed_a"),
        finding("notHttps"),
        listed("feed_b", "listedHost"),
        listed("feed_c", "listedPage"),
        finding("ipHost", { reason: "Only a number" }),
        listed("feed_d", "otherPagesListed")
      ]),
      [
        "Reported by three lists: phishunt.io, TweetFeed and List C",
        "Only a number",
        "Other pages of this site are reported by one list: List D",
        "The connection to this page would not be encrypted"
      ]
    )
    assert.deepStrictEqual(reasonsOf([listed("feed_a"), listed("feed_a")]), [
      "Reported by one list: phishunt.io"
    ])
    assert.deepStrictEqual(reasonsOf([listed("feed_a", "unconfirmedListing")]), [
      "Reported by only one list: phishunt.io"
    ])
    assert.deepStrictEqual(
      reasonsOf([listed("feed_a", "carriedListing"), listed("feed_b", "carriedListing")]),
      ["The link contains an address that is reported by two lists: phishunt.io and TweetFeed"]
    )
  })

  it("say nothing of encryption for a link that was typed without a scheme", () => {
    assert.deepStrictEqual(reasonsOf([finding("notHttps")], "example.com"), [])
  })

  it("are Google's own sentences, and the operator's", () => {
    assert.deepStrictEqual(
      Verdict.reasonsOf(
        {
          url: "https://example.com/",
          findings: [
            finding("severeThreat", { checker: "reputation_lookup", reason: "Google" }),
            finding("carriedListing", { checker: "operator_lists", reason: "Operator" })
          ].map(CheckerVerdict.reported)
        },
        nameOf
      ),
      [
        { text: "Google", isGoogle: true },
        { text: "Operator", isGoogle: false }
      ]
    )
  })

  it("have the dates of the lists in the details", () => {
    assert.deepStrictEqual(
      Verdict.listingsOf({ findings: [listed("feed_a"), finding("notHttps")].map(CheckerVerdict.reported) }),
      ["feed_a (list of 2026-11-21 09:00 UTC)"]
    )
  })
})

describe("the text about the operator's lists", () => {
  it("says what they decided", () => {
    assert.strictEqual(
      Verdict.overrideText("allow"),
      "The operator of this service allows this address: what the checkers found about it does not count."
    )
    assert.strictEqual(Verdict.overrideText("block"), "The operator of this service blocks this link.")
    for (const override of [undefined, "quarantine"]) assert.strictEqual(Verdict.overrideText(override), "")
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

  it("says how many were checked", () => {
    assert.strictEqual(
      Verdict.headlineOf("partial", { checked: 10, unchecked: 4 }),
      "We checked the first 10 of 14 links"
    )
    assert.deepStrictEqual(
      [2, 3].map((checked) => Verdict.countText({ checked, unchecked: 0 })),
      ["We checked both links", "We checked all 3 links"]
    )
    assert.deepStrictEqual([1, 4].map(Verdict.moreText), ["Check the next link", "Check the next 4 links"])
  })

  it("has advice for all of them", () => {
    const advice = (outcome: Verdict.Outcome, checked: number, unchecked: number) =>
      Verdict.advice(outcome, { checked, unchecked }, all, nameOf)
    assert.deepStrictEqual(
      [
        advice("partial", 10, 1),
        advice("partial", 1, 2),
        advice("little", 2, 0),
        advice("nothing", 2, 0),
        advice("malformed", 2, 0)
      ],
      [
        "We found nothing serious in these. The other one may be a trap: check it before you open it.",
        "We found nothing serious in this one. Each of the others may be a trap: check it before you open it.",
        "No link has more than small signs. Honest pages have such signs too. Be careful if you did not expect this message.",
        "We found nothing bad in any of the 2 links. That is no guarantee: new traps appear every day. Do not enter a password if you did not expect this message.",
        "No browser can open them. Copy the whole link, or the whole message, and try again."
      ]
    )
  })
})
