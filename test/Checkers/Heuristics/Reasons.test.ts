import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as CanonicalUrl from "../../../src/Checkers/CanonicalUrl.ts"
import * as BrandOwner from "../../../src/Checkers/Heuristics/Brand/BrandOwner.ts"
import { reason } from "../../../src/Checkers/Heuristics/Reasons.ts"
import * as UrlFacts from "../../../src/Checkers/Heuristics/UrlFacts.ts"

const signalsOf = (url: string) => UrlFacts.factsOf(Either.getOrThrow(CanonicalUrl.parse(url))).signals

describe("a reason", () => {
  it("quotes only printable ASCII", () => {
    assert.strictEqual(
      reason({ kind: "privateHost", host: "a\u202eb\u0000c\nd\u00e9" }),
      "Host is a private or local one (a?b?c?d?)"
    )
  })

  it("cuts a long quotation at its end, that of a host at its beginning", () => {
    assert.strictEqual(
      reason({ kind: "otherScheme", scheme: "a".repeat(61) }),
      `Scheme "${"a".repeat(60)}…:" is not one of the web`
    )
    assert.strictEqual(
      reason({ kind: "privateHost", host: `${"a".repeat(61)}.example` }),
      `Host is a private or local one (…${"a".repeat(52)}.example)`
    )
  })
})

describe("the owner that a reason names", () => {
  const ownerOf = (url: string) =>
    signalsOf(url).flatMap((signal) =>
      "brand" in signal ? [BrandOwner.domainToShow(signal.brand, signal.name)] : []
    )

  it.each([
    ["https://paypal-secure.example/", "paypal.com"],
    ["https://lidl-verify.example/", "lidl.com"],
    ["https://woolworths-login.example/", "woolworths.com.au"],
    ["https://hepsiburada-login.example/", "hepsiburada.com"],
    ["https://adcbbank-login.example/", "adcb.com"],
    ["https://whatsap-login.example/", "whatsapp.com"]
  ])("of %s is %s", (url, domain) => {
    assert.deepStrictEqual(ownerOf(url), [domain])
  })
})
