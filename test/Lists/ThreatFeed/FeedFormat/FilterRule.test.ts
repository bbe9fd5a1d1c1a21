import { assert, describe, it } from "@effect/vitest"
import { readRule } from "../../../../src/Lists/ThreatFeed/FeedFormat/FilterRule.ts"

describe("readRule", () => {
  it.each([
    "bad.example/pay$card",
    "https://bad.example/$document-1",
    "https://bad.example/?$3p=e_et&a=$deep",
    "https://bad.example/?a=1&$3p=e_et",
    "https://bad.example/?a=$~user",
    "https://bad.example/x,y$",
    "https://bad.example/a#b",
    "bad.example phishing site block"
  ])("does not take the URL %s for a rule", (url) => {
    assert.isUndefined(readRule(url))
  })

  it.each([
    ["||bad.example^$all,csp=script-src none", "Rule for parts of pages"],
    ["||bad.example^$removeparam=id", "Rule for parts of pages"],
    ["||bad.example^$unknown", "Restricted rule"],
    ["https://bad.example/a$script", "Rule for parts of pages"],
    ["https://bad.example/a$document,domain=shop.example", "Restricted rule"],
    ["https://bad.example/a$document,~third-party", "Restricted rule"],
    ["good.example * inline-script block", "Rule for parts of pages"],
    ["good.example ads.example 3p-script noop", "Rule for parts of pages"],
    ["@@||good.example^", "Exception"]
  ])("does not use %s: %s", (rule, reason) => {
    assert.strictEqual<unknown>(readRule(rule), reason)
  })
})
