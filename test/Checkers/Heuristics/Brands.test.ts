import { assert, describe, it } from "@effect/vitest"
import * as CanonicalUrl from "../../../src/Checkers/CanonicalUrl.ts"
import { brands } from "../../../src/Checkers/Heuristics/Brands.ts"
import * as Hosting from "../../../src/Checkers/Heuristics/Hosting.ts"
import * as Signals from "../../../src/Checkers/Heuristics/Signals.ts"

const kinds = (url: string): ReadonlyArray<string> =>
  Signals.extract(CanonicalUrl.parse(url)).map(({ kind }) => kind)

const brandKinds = (url: string): ReadonlyArray<string> =>
  kinds(url).filter((kind) => kind.startsWith("brand"))

describe("the table of brands", () => {
  it("spells names in letters and digits, each once", () => {
    const names = brands.flatMap((brand) => brand.names)
    for (const name of names) assert.match(name, /^[a-z0-9]{3,}$/)
    assert.strictEqual(new Set(names).size, names.length)
  })

  it("spells domains in lower case, each once for a brand, the first one whole", () => {
    for (const { domains } of brands) {
      assert.match(domains[0], /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/)
      for (const domain of domains)
        assert.match(domain, /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)+|[a-z0-9-]+\.\*|\.[a-z]+)$/)
      assert.strictEqual(new Set(domains).size, domains.length)
    }
  })

  it("takes no brand's own domain, nor a page below it, for an imitation of any brand", () => {
    const own = brands
      .flatMap((brand) => brand.domains)
      .filter((domain) => Hosting.publisher(`customer.${domain}`) === undefined)
      .map((domain) => (domain.startsWith(".") ? `home${domain}` : domain.replace("*", "de")))
    for (const domain of own) {
      assert.deepStrictEqual(brandKinds(`https://${domain}/`), [], domain)
      assert.deepStrictEqual(brandKinds(`https://paypal.login.${domain}/netflix/signin`), [], domain)
    }
  })

  it("finds each name in a domain of somebody else, once the company is suspicious", () => {
    for (const name of brands.flatMap((brand) => brand.names))
      assert.include(
        ["brandInDomain", "brandLookAlike"],
        brandKinds(`https://${name}-verify.example/`)[0],
        name
      )
  })

  it("has an everyday word count by itself only when it is misspelled", () => {
    assert.deepStrictEqual(kinds("https://ledger.example/"), [])
    assert.deepStrictEqual(kinds("https://ledqer.example/"), ["brandLookAlike"])
    assert.deepStrictEqual(kinds("https://ledger.weebly.com/"), ["brandInDomain", "freeHosting"])
  })

  it("takes a name under a country's suffix for the brand's own, but not where names are cheap", () => {
    assert.deepStrictEqual(kinds("https://paypal.de/"), [])
    assert.deepStrictEqual(kinds("https://paypal.com.mx/"), [])
    assert.deepStrictEqual(kinds("https://paypal.tk/"), ["abusedSuffix", "brandInDomain"])
    assert.deepStrictEqual(kinds("https://paypal.com.de/"), ["brandInDomain"])
    assert.deepStrictEqual(kinds("https://paypal.shop/"), ["abusedSuffix", "brandInDomain"])
  })
})
