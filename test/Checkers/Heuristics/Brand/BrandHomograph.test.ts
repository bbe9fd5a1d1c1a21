import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import * as BrandName from "../../../../src/Checkers/Heuristics/Brand/BrandName.ts"
import { brands } from "../../../../src/Checkers/Heuristics/Brand/Brands.ts"
import * as Host from "../../../../src/Checkers/Heuristics/Host.ts"
import * as CanonicalUrl from "../../../../src/Url/CanonicalUrl.ts"

const imitatedBy = (host: string): string | undefined => {
  const url = Either.getOrThrow(CanonicalUrl.parse(`https://${host}/`))
  const name = Host.parse(url.host)
  return name && BrandName.findHomograph(name)?.name
}

describe("the name of a domain", () => {
  it.each([
    ["paypa1.com", "paypal"],
    ["g00gle.com", "google"],
    ["rnicrosoft.com", "microsoft"],
    ["vvhatsapp.com", "whatsapp"],
    ["faceb00k.example", "facebook"],
    ["face6ook.example", "facebook"],
    ["ama2on.example", "amazon"],
    ["aclobe.example", "adobe"],
    ["paypai.com", "paypal"],
    ["pay-pa1.com", "paypal"],
    ["0penai.com", "openai"],
    ["t-m0bile.example", "tmobile"],
    ["www.login.paypa1.co.uk", "paypal"],
    // Everyday words with digits need the brand's suffix.
    ["app1e.com", "apple"],
    ["ph4ntom.app", "phantom"],
    ["b00king.com", "booking"],
    // So do those with `l` for `i`.
    ["dlscord.com", "discord"],
    // U+0262, and Cyrillic, Greek, Armenian and doubled letters
    ["\u0262oogle.com", "google"],
    ["\u0430pple.com", "apple"],
    ["\u0430\u0440\u0440\u04cf\u0435.example", "apple"],
    ["p\u03b1ypal.com", "paypal"],
    ["paypa\u217c.example", undefined],
    ["g\ua74fgle.example", "google"],
    ["\u0493acebook.example", "facebook"],
    ["eb\u0430y.com", "ebay"],
    ["u\u0455ps.example", "usps"],
    ["p\u00e1ypal.com", "paypal"],
    ["go\u1ecdgle.com", "google"],
    ["p\u0430ypa1.com", "paypal"],
    // Characters that the converter of some versions of Node does not know
    ["paypal\u1acf.example", "paypal"],
    ["paypal\u0897.example", "paypal"],
    // The name has accents, but not these.
    ["tel\u00e9fonica.com", "telefonica"]
  ])("%s looks like %s", (host, name) => {
    assert.strictEqual(imitatedBy(host), name)
  })

  it.each([
    ["the name itself", "paypal.example"],
    ["the name under another suffix", "paypal.cm"],
    ["a letter more", "paypall.com"],
    ["a letter less", "micosoft.com"],
    ["another letter", "amazom.com"],
    ["two letters exchanged", "micorsoft.com"],
    ["two letters exchanged that look alike", "netfilx.com"],
    ["another word beside it", "paypa1-info.com"],
    ["a subdomain", "paypa1.example.com"],
    ["a tenant of a hosting firm", "paypa1.weebly.com"],
    ["an ordinary word", "allpay.example"],
    ["an everyday word with digits", "ph4ntom.example"],
    ["an everyday word with digits that reports seldom misspell", "b00king.example"],
    ["an everyday word with l for i", "appie.example"],
    ["a long everyday word with l for i", "dlscord.example"],
    ["an everyday word with an accent", "ch\u00e2se.example"],
    ["a short name with digits", "eb4y.example"],
    ["a short name with l for i", "vlsa.example"],
    ["a short name with an accent", "\u00edng.example"],
    ["the accents of the name itself", "telef\u00f3nica.example"],
    ["the accents of the name itself and a hyphen", "cr\u00e9dit-mutuel.example"]
  ])("is no imitation with %s", (_, host) => {
    assert.isUndefined(imitatedBy(host))
  })

  const mutations: Readonly<Record<string, ReadonlyArray<string>>> = {
    a: ["4", "\u0430"],
    b: ["8", "6", "\u0432"],
    c: ["\u0441"],
    d: ["cl", "\u0501"],
    e: ["3", "\u0435"],
    g: ["9", "\u0262"],
    i: ["1", "\u0456"],
    l: ["1", "\u04cf"],
    m: ["rn", "\u043c"],
    o: ["0", "\u043e"],
    p: ["\u0440"],
    s: ["5", "\u0455"],
    t: ["7", "\u0442"],
    w: ["vv", "\u051d"],
    z: ["2"]
  }
  const large = brands.flatMap((brand) =>
    brand.names.filter((name) => name.length > 5 && !brand.everyday && BrandName.isLarge({ brand, name }))
  )

  it("of a large brand is found in every mixture of look-alikes", () => {
    assert.isAbove(large.length, 300)
    let mutated = 0
    FastCheck.assert(
      FastCheck.property(
        FastCheck.constantFrom(...large),
        FastCheck.array(FastCheck.nat(8), { minLength: 30, maxLength: 30 }),
        FastCheck.constantFrom("com", "example", "co.uk", "top"),
        (name, choices, suffix) => {
          const label = Array.from(
            name,
            (letter, at) => mutations[letter]?.[choices[at] ?? 9] ?? letter
          ).join("")
          if (label === name) return
          mutated++
          assert.isDefined(imitatedBy(`${label}.${suffix}`), label)
        }
      ),
      { numRuns: 1000 }
    )
    assert.isAbove(mutated, 700)
  })
})
