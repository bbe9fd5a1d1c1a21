import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as Brands from "../../src/Checkers/Heuristics/Brand/Brands.ts"
import * as Signals from "../../src/Checkers/Heuristics/Signals.ts"
import * as UrlFacts from "../../src/Checkers/Heuristics/UrlFacts.ts"
import { findingOf, inReason, sentenceOf, shortAddress } from "../../src/Checkers/Kinds.ts"
import * as CanonicalUrl from "../../src/Url/CanonicalUrl.ts"
import * as Submission from "../../src/Url/Submission.ts"

const signalsOf = (url: string) =>
  Signals.signalsOf(UrlFacts.factsOf(Either.getOrThrow(CanonicalUrl.parse(url))), false)

describe("a reason", () => {
  it("quotes only printable ASCII", () => {
    assert.strictEqual(
      sentenceOf("privateHost", { host: "a\u202eb\u0000c\nd\u00e9" }),
      "The address a?b?c?d? is on a private network or on your own device, not on the Internet"
    )
  })

  it("cuts a long quotation at its end, that of a host at its beginning", () => {
    assert.strictEqual(
      findingOf({ kind: "otherScheme", scheme: "a".repeat(61) }).reason,
      `The link begins with "${"a".repeat(60)}…:", so it does not lead to a web page`
    )
    assert.strictEqual(
      sentenceOf("privateHost", { host: `${"a".repeat(61)}.example` }),
      `The address …${"a".repeat(52)}.example is on a private network or on your own device, not on the Internet`
    )
  })
})

const longLabel = "a".repeat(59)

describe("a shown address", () => {
  it.each<[submitted: string, shown: string]>([
    ["https://evil.example/", "evil.example"],
    ["https://user@evil.example:8443/a?b#c", "evil.example/a"],
    [`https://b.example/${longLabel}`, `b.example/${longLabel.slice(0, 50)}…`],
    [`https://${longLabel}.evil.example/`, `…${longLabel.slice(0, 47)}.evil.example`],
    [`https://${longLabel}.evil.example/path`, `…${longLabel.slice(0, 47)}.evil.example`],
    ["https://b\u00fccher.example/\u00fc", "xn--bcher-kva.example/%C3%BC"]
  ])("of %s is %s", (submitted, shown) => {
    assert.strictEqual(shortAddress(Either.getOrThrow(CanonicalUrl.parse(submitted))), shown)
  })
})

describe("a reason about an address", () => {
  const [submitted, destination] = Submission.read(
    "https://www.google.com/url?q=https%3A%2F%2Fevil.example%2Fa",
    0
  ).addresses
  const [, carried] = Submission.read(
    "https://garden.example/?next=https%3A%2F%2Fevil.example%2Fa",
    0
  ).addresses

  it.each<[reason: string, about: Submission.Address | undefined, shown: string]>([
    ["The address evil.example is a", submitted, "The address evil.example is a"],
    ["The address evil.example is a", destination, "The link leads to evil.example, which is a"],
    ["The address shows a", destination, "The link leads to evil.example: the address shows a"],
    ["URL holds an e-mail", destination, "The link leads to evil.example: URL holds an e-mail"],
    ["35 other pages", destination, "The link leads to evil.example: 35 other pages"],
    ["The address evil.example is a", carried, "The link contains an address on evil.example, which is a"],
    ["The address shows a", carried, "The link contains an address on evil.example: the address shows a"]
  ])("%j about %o reads %s", (reason, about, shown) => {
    assert.strictEqual(about && inReason(about, reason), shown)
  })
})

describe("the name of a brand", () => {
  it.each([
    ["paypal", "PayPal"],
    ["bankofamerica", "Bank of America"],
    ["1inch", "1inch"],
    // Without other words.
    ["discordgift", "Discord"],
    // Its spelling is not known.
    ["findmydevice", '"findmydevice"'],
    ["etoll", '"etoll"']
  ])("%s is shown as %s", (name, shown) => {
    const brand = Brands.byName.get(name)
    assert.strictEqual(brand && Brands.shown(brand, name).name, shown)
  })
})

describe("the owner that a reason names", () => {
  const ownerOf = (url: string) =>
    signalsOf(url).flatMap((signal) => ("brand" in signal ? [signal.brand.domain] : []))

  it.each([
    ["https://paypal-secure.example/", "paypal.com"],
    ["https://lidl-verify.example/", "lidl.com"],
    ["https://woolworths-login.example/", "woolworths.com.au"],
    ["https://hepsiburada-login.example/", "hepsiburada.com"],
    ["https://adcbbank-login.example/", "adcb.com"],
    ["https://whatsap-login.example/", "whatsapp.com"],
    // Names beside that of another firm.
    ["https://hsbcmexico-login.example/", "hsbc.com.mx"],
    ["https://ceskasporitelna-login.example/", "csas.cz"],
    ["https://socialsecuritygov-login.example/", "ssa.gov"],
    ["https://njmvc-login.example/", "nj.gov"],
    ["https://dgtgob-login.example/", "dgt.gob.es"],
    ["https://shopeebr-login.example/", "shopee.com.br"],
    ["https://ebaykleinanzeigen-login.example/", "kleinanzeigen.de"],
    ["https://wppoczta-login.example/", "wp.pl"],
    ["https://kansaidenki-login.example/", "kepco.co.jp"],
    ["https://steamtrade-login.example/", "steampowered.com"]
  ])("of %s is %s", (url, domain) => {
    assert.deepStrictEqual(ownerOf(url), [domain])
  })
})
