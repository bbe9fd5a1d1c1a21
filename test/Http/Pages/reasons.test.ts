import { assert, describe, it } from "@effect/vitest"
import type { CheckerId } from "../../../src/Checkers/Checker/CheckerNames.ts"
import type { Finding } from "../../../src/Checkers/Checker.ts"
import type { FindingKind } from "../../../src/Checkers/Kinds.ts"
import * as CheckerVerdict from "../../../src/Checkers/Verdict.ts"
import * as Reasons from "../../../src/Http/Pages/reasons.browser.js"
import { finding } from "../../fixtures/Findings.ts"
import { english, formatterIn } from "../../fixtures/Texts.ts"

const publishers = new Map([
  ["feed_a", "phishunt.io"],
  ["feed_b", "TweetFeed"],
  ["feed_c", "PhishTank"]
])
const nameOf = (checker: string) => publishers.get(checker) ?? checker

const reasonsOf = (findings: ReadonlyArray<Finding>, url = "http://example.com/", formatter = english) =>
  Reasons.reasonsOf({ url, findings: findings.map(CheckerVerdict.reported) }, nameOf, formatter)

const textsOf = (...args: Parameters<typeof reasonsOf>) => reasonsOf(...args).map(({ text }) => text)

const listed = (checker: CheckerId, kind: FindingKind = "listedUrl", details: Finding["details"] = {}) =>
  finding(kind, { checker, source: nameOf(checker), details })

const brand = { name: "PayPal", domain: "paypal.com" }

describe("the reasons", () => {
  it("name the lists that have the same finding once, and last that there is no encryption", () => {
    assert.deepStrictEqual(
      textsOf([
        listed("feed_a"),
        finding("notHttps"),
        listed("feed_b", "listedHost"),
        finding("ipHost", { details: { host: "192.0.2.7" } }),
        listed("feed_c", "otherPagesListed")
      ]),
      [
        "Reported as dangerous by phishunt.io and TweetFeed.",
        "The address is only a number, 192.0.2.7. Honest sites have a name.",
        "Other pages of this site are reported by PhishTank.",
        "The connection to this page would not be encrypted."
      ]
    )
    assert.deepStrictEqual(textsOf([listed("feed_a"), listed("feed_a")]), [
      "Reported as dangerous by phishunt.io."
    ])
    assert.deepStrictEqual(textsOf([listed("feed_a", "unconfirmedListing")]), [
      "Reported only by phishunt.io. No other list confirms it."
    ])
  })

  it("say nothing of encryption for a link that was typed without a scheme", () => {
    assert.deepStrictEqual(textsOf([finding("notHttps")], "example.com"), [])
  })

  it("are made from the details, in the language of the page", () => {
    const found = finding("brandLure", {
      details: { brand, host: "paypal-login.example", words: ["login", "secure"] }
    })
    assert.deepStrictEqual(textsOf([found]), [
      "The address joins the name PayPal with words that ask for a login or money: login, secure. The real site is paypal.com."
    ])
    assert.deepStrictEqual(textsOf([found], "https://x.example", formatterIn("fr")), [
      "L’adresse associe le nom PayPal à des mots qui demandent un identifiant ou de l’argent : login et secure. Le vrai site est paypal.com."
    ])
  })

  it("name the words of host and path in one sentence, and those of another address in another", () => {
    const words = (kind: FindingKind, ...words: ReadonlyArray<string>) =>
      finding(kind, { details: { words } })
    assert.deepStrictEqual(
      textsOf([
        words("lureInDomain", "parcel", "login"),
        finding("lureInHost", { details: { innerHost: "shop.example", words: ["account"] } }),
        words("lureInPath", "login", "pay")
      ]),
      [
        "The address has words that traps often use: parcel, login, pay.",
        "The link contains the address shop.example. The address has words that traps often use: account."
      ]
    )
  })

  it("show a name in its own letters, as the site above them", () => {
    const found = finding("model", { points: 50, details: { pieces: ["xn--l-7sba6dbr", "login"] } })
    const addresses = [
      { relation: "submitted", host: "www.xn--l-7sba6dbr.com", unicode: "www.раураl.com" }
    ] as const
    assert.deepStrictEqual(
      Reasons.reasonsOf(
        { url: "https://x.example/", findings: [CheckerVerdict.reported(found)], addresses },
        nameOf,
        english
      ).map(({ text }) => text),
      ["The address resembles reported traps: раураl, login."]
    )
  })

  it("name an address inside the link", () => {
    const details = { innerHost: "shop.example", host: "shop.example" }
    assert.deepStrictEqual(
      textsOf([
        finding("mixedScripts", { details }),
        finding("privateHost", { details }),
        listed("feed_a", "carriedListing", {
          address: "evil.example/a",
          innerHost: "evil.example",
          list: { publisher: "phishunt.io", category: "phishing", date: "" }
        }),
        finding("carriedListing", { checker: "operator_lists", details: { address: "blocked.example" } }),
        finding("carriedListing", {
          checker: "reputation_lookup",
          details: { address: "severe.example", threat: "phishing" }
        })
      ]),
      [
        "The link contains the address shop.example. The name mixes letters of several alphabets, some of which look the same.",
        "The address shop.example is in a private network or on your own device, not on the Internet.",
        "The link contains the address evil.example/a, reported by phishunt.io.",
        "The link contains the address blocked.example, which the operator of this service blocks.",
        "The link contains the address severe.example, which is suspected of being dangerous."
      ]
    )
  })

  it("are Google's with a mark, by what it suspects", () => {
    const google = (threat: string) =>
      reasonsOf([
        finding("severeThreat", { checker: "reputation_lookup", details: { threat } as Finding["details"] })
      ])
    assert.deepStrictEqual(google("malware"), [
      {
        text: "Suspected malware: the page may harm your device.",
        isGoogle: true,
        isModel: false,
        points: 100
      }
    ])
    assert.deepStrictEqual(
      ["phishing", "harmful applications"].map((threat) => google(threat)[0]?.text.split(":")[0]),
      ["Suspected phishing", "Suspected unwanted software"]
    )
  })

  it("show the service's sentence of a kind that the page does not know", () => {
    const reported = { ...CheckerVerdict.reported(finding("model")), kind: "newKind", reason: "In English" }
    assert.deepStrictEqual(
      Reasons.reasonsOf({ url: "x", findings: [reported] }, nameOf, english).map(({ text }) => text),
      ["In English"]
    )
  })

  it("are three at most, and those with points if one is strong that is not the model's", () => {
    const reason = (points: number) => ({ text: String(points), isGoogle: false, isModel: false, points })
    const shown = (...points: ReadonlyArray<number>) =>
      Reasons.first(points.map(reason)).map(({ points }) => points)
    assert.deepStrictEqual(shown(60, 0, 84, 10, 20), [60, 84, 10])
    assert.deepStrictEqual(shown(0, 30, 0, 0), [0, 30, 0])
    const byModel = [reason(0), { ...reason(84), isModel: true }]
    assert.deepStrictEqual(Reasons.first(byModel), byModel)
  })
})
