import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { brands, ownersOf } from "../../../../src/Checkers/Heuristics/Brand/Brands.ts"
import * as Host from "../../../../src/Checkers/Heuristics/Host.ts"
import * as Signals from "../../../../src/Checkers/Heuristics/Signals.ts"
import * as UrlFacts from "../../../../src/Checkers/Heuristics/UrlFacts.ts"
import * as CanonicalUrl from "../../../../src/Url/CanonicalUrl.ts"
import * as Hosts from "../../../../src/Url/Hosts.ts"

const signalsOf = (url: string) =>
  Signals.signalsOf(UrlFacts.factsOf(Either.getOrThrow(CanonicalUrl.parse(url))), false)

const kinds = (url: string): ReadonlyArray<string> => signalsOf(url).map(({ kind }) => kind)

const brandKinds = (url: string): ReadonlyArray<string> =>
  signalsOf(url).flatMap((signal) => ("brand" in signal ? [signal.kind] : []))

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
        assert.match(domain, /^(?:[\p{Ll}0-9-]+(?:\.[a-z0-9-]+)+|[\p{Ll}0-9-]+\.\*|\.[a-z]+|\*\.[a-z]+)$/u)
      assert.strictEqual(new Set(domains).size, domains.length)
    }
  })

  it("has no imitation on a brand's own domains and their subdomains", () => {
    const own = brands
      .flatMap((brand) => brand.domains)
      .filter((domain) => !domain.startsWith("*.") && Host.hostingFirmOf(`customer.${domain}`) === undefined)
      .map((domain) => (domain.startsWith(".") ? `home${domain}` : domain.replace("*", "de")))
    for (const domain of own) {
      assert.deepStrictEqual(brandKinds(`https://${domain}/`), [], domain)
      assert.deepStrictEqual(brandKinds(`https://paypal.login.${domain}/netflix/signin`), [], domain)
    }
  })

  it("finds each name in a domain of another owner, beside a word that asks for credentials", () => {
    for (const { names } of brands)
      for (const name of names)
        assert.deepStrictEqual(brandKinds(`https://${name}-verify.example/`), ["brandLure"], name)
  })

  it("has no brand for words, surnames and places", () => {
    for (const host of [
      "celsius-converter.example",
      "wind-chime-workshop.example",
      "lawson-carpentry.example",
      "boulangerie-leclerc.example",
      "yamada-dental.example",
      "chainlink-fences.example",
      "saison-fermiere.example",
      "paxos-villas.example",
      "ozon-messung.example",
      "starken-verein.example"
    ])
      assert.deepStrictEqual(brandKinds(`https://${host}/`), [], host)
    assert.deepStrictEqual(brandKinds("https://chime-verify.example/"), ["brandLure"])
  })

  it("allows a name that many firms share in their countries", () => {
    assert.deepStrictEqual(brandKinds("https://sparkasse-example.de/"), [])
    assert.deepStrictEqual(brandKinds("https://www.volksbank-example.at/"), [])
    assert.deepStrictEqual(brandKinds("https://sparkasse-example.top/"), ["brandAmongWords"])
    assert.deepStrictEqual(brandKinds("https://sparkasse-login.example/"), ["brandLure"])
    assert.deepStrictEqual(brandKinds("https://sparkasse-login.de/"), ["brandLure"])
    assert.deepStrictEqual(brandKinds("https://sparkasse-login-koelnbonn.de/"), ["brandLure"])
    assert.deepStrictEqual(brandKinds("https://sparkasse-banking.de/"), [])
    assert.deepStrictEqual(brandKinds("https://meine-volksbank.de/"), [])
  })

  it("counts an everyday word only in a label with a word that asks for credentials", () => {
    for (const [host, expected] of [
      ["ledger.example", []],
      ["login.ledger.example", []],
      ["ledger-printing.weebly.com", []],
      ["login.ledger-printing.example", []],
      ["ledqer.example", ["brandLookAlike"]],
      ["ledger-login.example", ["brandLure"]],
      ["ledger.weebly.com", ["brandInDomain"]],
      ["ledger-signin.weebly.com", ["brandLure"]]
    ] as const)
      assert.deepStrictEqual(brandKinds(`https://${host}/`), expected, host)
  })

  it.each([
    "https://secure.exodus-travel.com/account",
    "https://login.office-solutions.com/",
    "https://support.apple-repair-shop.co.uk/",
    "https://paypal-support.zendesk.com/hc",
    "https://www.ita\u00fa.com.br/",
    "https://www.soci\u00e9t\u00e9-g\u00e9n\u00e9rale.fr/",
    "https://www.cr\u00e9dit-agricole.fr/",
    "https://www.barclayscenter.com/",
    "https://www.santanderarena.com/",
    "https://paypal.gov.example.gov.uk/",
    "https://netflix.engineering/"
  ])("finds no imitation in %s", (url) => {
    assert.deepStrictEqual(brandKinds(url), [])
  })

  it("has no evidence against an honest namesake, on any page and subdomain", () => {
    const namesakes = Hosts.namesWith("namesake")
    for (const domain of namesakes) {
      assert.deepStrictEqual(kinds(`https://${domain}/login`), [], domain)
      assert.deepStrictEqual(kinds(`https://account.${domain}/paypal/signin`), [], domain)
    }
    assert.isAtLeast(namesakes.size, 2)
    assert.deepStrictEqual(kinds("https://1cloud.example/"), ["brandHomograph"])
  })

  it("has all brands of a firm as owners of a name that it has in every country", () => {
    const namesOf = (host: string) => ownersOf(host).flatMap(({ names }) => names)
    assert.deepStrictEqual(namesOf("www.telekom.hu"), ["telekom", "deutschetelekom", "tonline"])
    assert.deepStrictEqual(namesOf("www.strato.nl"), ["stratoag", "strato"])
    assert.deepStrictEqual(namesOf("strato.de"), ["stratoag", "strato"])
  })

  it("has the domains of a firm's other businesses one by one: anybody may register them elsewhere", () => {
    for (const own of ["bbvaseguros.com.ar", "www.bbvaseguros.mx", "santanderuniversidades.com.br"])
      assert.lengthOf(ownersOf(own), 1, own)
    for (const foreign of ["bbvaseguros.ru", "bbvaseguros.cl", "santanderuniversidades.me"])
      assert.deepStrictEqual(ownersOf(foreign), [], foreign)
  })

  it("counts a name under a country's suffix as the brand's own, but not under cheap suffixes", () => {
    assert.deepStrictEqual(kinds("https://paypal.de/"), [])
    assert.deepStrictEqual(kinds("https://paypal.com.mx/"), [])
    assert.deepStrictEqual(brandKinds("https://www.ita\u00fa.com.uy/"), [])
    assert.deepStrictEqual(kinds("https://paypal.abc.de/"), ["brandInSubdomain"])
    assert.deepStrictEqual(ownersOf("paypal.abc.de"), [])
    assert.deepStrictEqual(kinds("https://paypal.cm/"), ["brandInDomain"])
    assert.deepStrictEqual(kinds("https://paypal.co/"), ["brandInDomain"])
    assert.deepStrictEqual(kinds("https://paypal.om/"), ["brandInDomain"])
    assert.deepStrictEqual(kinds("https://paypal.com.co/"), [])
    assert.deepStrictEqual(kinds("https://paypal.tk/"), ["brandInDomain", "abusedSuffix"])
    assert.deepStrictEqual(kinds("https://paypal.com.de/"), ["brandInDomain", "abusedSuffix"])
    assert.deepStrictEqual(kinds("https://paypal.shop/"), ["brandInDomain", "abusedSuffix"])
  })
})
