import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { brands } from "../../../src/Checkers/Heuristics/Brand/Brands.ts"
import * as Host from "../../../src/Checkers/Heuristics/Host.ts"
import * as Signals from "../../../src/Checkers/Heuristics/Signals.ts"
import * as UrlFacts from "../../../src/Checkers/Heuristics/UrlFacts.ts"
import * as Heuristics from "../../../src/Checkers/Heuristics.ts"
import type { Found } from "../../../src/Checkers/Kinds.ts"
import * as CanonicalUrl from "../../../src/Url/CanonicalUrl.ts"
import { runs } from "../../fixtures/Seed.ts"
import { silent } from "../../fixtures/SmallModel.ts"

const canonical = (url: string) => Either.getOrThrow(CanonicalUrl.parse(url))

const extract = (url: string, isPopular = false): ReadonlyArray<Found> =>
  Signals.signalsOf(UrlFacts.factsOf(canonical(url)), isPopular)

const kinds = (url: string, isPopular = false): ReadonlyArray<string> =>
  extract(url, isPopular).map(({ kind }) => kind)

const ownDomain = FastCheck.constantFrom(
  ...brands
    .flatMap((brand) => brand.domains)
    .filter((domain) => !domain.startsWith("*.") && Host.hostingFirmOf(`customer.${domain}`) === undefined)
    .map((domain) => (domain.startsWith(".") ? `home${domain}` : domain.replace("*", "fr")))
)

const name = FastCheck.constantFrom(...brands.flatMap((brand) => brand.names))
const lure = FastCheck.constantFrom("login", "secure", "account", "verify", "update", "wallet", "anmelden")

const host = FastCheck.oneof(
  FastCheck.tuple(name, lure).map(([brand, word]) => `${brand}-${word}.example`),
  FastCheck.tuple(lure, name).map(([word, brand]) => `${word}.${brand}.example.top`),
  FastCheck.tuple(name, lure).map(([brand, word]) => `${brand}${word}.weebly.com`),
  FastCheck.stringMatching(/^[a-z0-9]{1,12}(-[a-z0-9]{1,8})?$/).map((label) => `${label}.example`)
)

const path = FastCheck.tuple(lure, name).map(([word, brand]) => `/${word}/${brand}.html`)

describe("the signals of a URL", () => {
  it("contain no brand on a brand's own hosts, for every subdomain and path", () => {
    FastCheck.assert(
      FastCheck.property(ownDomain, name, lure, path, (domain, brand, word, page) => {
        for (const own of [domain, `${word}.${domain}`, `${brand}.${word}.${domain}`]) {
          const signals = extract(`https://${own}${page}`).filter((signal) => "brand" in signal)
          assert.deepStrictEqual(signals, [], own)
        }
      }),
      { numRuns: runs(2000) }
    )
  })

  it("do not change with a brand's domain in the query", () => {
    FastCheck.assert(
      FastCheck.property(host, path, ownDomain, (someHost, page, domain) => {
        const url = `https://${someHost}${page}`
        assert.deepStrictEqual(extract(`${url}?ref=${domain}`), extract(url))
      }),
      { numRuns: runs(1000) }
    )
  })

  it("do not change with the case of the host, nor with a dot after it", () => {
    FastCheck.assert(
      FastCheck.property(host, path, (someHost, page) => {
        const expected = extract(`https://${someHost}${page}`)
        assert.deepStrictEqual(extract(`https://${someHost.toUpperCase()}${page}`), expected)
        assert.deepStrictEqual(extract(`https://${someHost}.${page}`), expected)
      }),
      { numRuns: runs(1000) }
    )
  })

  it.each([
    ["https://attlogin.weeblysite.com/", ["brandLure", "freeHosting"]],
    ["https://ledger-app-orchard.weebly.com/", ["freeHosting"]],
    ["https://ledger-app-signin-orchard.weebly.com/", ["brandLure", "freeHosting"]],
    ["https://metamaskkxyz.gitbook.io/", ["brandAmongWords", "freeHosting"]],
    ["https://discord-nitro-gift.example/", ["brandInDomain", "lureInDomain"]],
    ["https://pay-pal.example/", ["brandInDomain"]],
    ["https://steamcomnumnity.example/", ["brandLookAlike"]],
    ["https://n-e-t-f-l-i-x.example/", ["brandLookAlike"]],
    ["https://www.my-p-a-y-p-a-l.example/", ["brandLookAlike"]],
    ["https://p-a-y-p-a-l-l-o-g-i-n.example/", ["brandLure"]],
    ["https://a-b-c-d-e-paypal.example/", ["brandAmongWords"]],
    ["https://storage.googleapis.com/bucket/office365.html", ["brandInPath", "freeHosting"]],
    ["https://volksbank-sicherheit.example/", ["brandLure"]],
    ["https://gov-uk.example.org/", ["brandInSubdomain"]],
    ["https://irs-refund.example.top/", ["brandLure", "abusedSuffix"]],
    ["https://dmv.gov-pay.example/", ["decoyDomain"]],
    ["https://pub-0f1e2d3c4b5a6978.r2.dev/", ["machineName", "freeHosting"]]
  ])("of %s are %j", (url, expected) => {
    assert.deepStrictEqual(kinds(url), expected)
  })

  it.each([
    "https://example.com/auth/google/login",
    "https://example.com/wp-content/themes/plain/facebook.svg",
    "https://example.com/netflix/login.php",
    "https://someone.github.io/spotify.js",
    "https://metamask.zendesk.com/",
    "https://example.com/?to=https://other.example/",
    "https://example.com/go/someone%40example.org",
    "https://example.com/index.html/",
    "https://example.com:8081/%252541",
    `https://a.b.c.d.${"a".repeat(50)}.example/?${"b".repeat(500)}`,
    "https://amazing-pizza.weebly.com/"
  ])("of %s explain nothing by themselves", (url) => {
    assert.deepStrictEqual(Heuristics.findingsOf(silent, canonical(url)), [])
  })
})

describe("the signals of a popular site", () => {
  it.each([
    "https://paypa1-secure.example.top/login",
    "https://sparkasse-pushtan.example/",
    "https://p\u0430ypal-login.example/",
    "https://www.example.com.shop.example/",
    "https://203.0.113.7/",
    "https://modern-table-729055.example/"
  ])("have nothing about its name: %s", (url) => {
    assert.isNotEmpty(kinds(url))
    assert.deepStrictEqual(kinds(url, true), [])
  })

  it.each([
    ["https://www.paypal.com@paypa1-secure.example/", ["brandInUserInfo"]],
    ["https://www.example.com@garden.example/", ["deceptiveUserInfo"]],
    ["https://someone:secret@garden.example/", ["userInfo"]],
    ["https://garden.example/paypal.com/signin", ["brandDomainInPath"]],
    ["https://garden.example/invoice.pdf.exe", ["disguisedFile"]],
    ["https://garden.example/wp-includes/pay.php", ["pageAmongSoftware"]],
    ["https://bit.ly/abc", ["shortener"]],
    ["http://paypa1-secure.example/", ["notHttps"]]
  ])("have what the writer of a link chooses: %s", (url, expected) => {
    assert.deepStrictEqual(kinds(url, true), expected)
  })
})

describe("the brand of a signal", () => {
  const of = (url: string) => extract(url).find((signal) => "brand" in signal)?.kind

  it.each([
    ["https://paypa1.example/", "brandHomograph"],
    ["https://paypal.com.shop.example/", "brandDomainInHost"],
    ["https://paypal.com-refund.example/", "brandDomainInHost"],
    ["https://myetherw.allet.com/", "brandSplit"],
    ["https://sparkasse-pushtan.example/", "bankCodeLure"],
    ["https://sparkasse-login.example/", "brandLure"],
    ["https://paypa1-login.example/", "brandLure"],
    ["https://login.paypal.shop.example/", "brandLure"],
    ["https://orchard-paypal-login.example/", "brandLure"],
    ["https://paypa1-info.example/", "brandLookAlike"],
    ["https://paypal-info.example/", "brandInDomain"],
    ["https://paypal.shop.example/", "brandInSubdomain"],
    ["https://orchard-paypal.example/", "brandAmongWords"],
    ["https://t-mobile.com-garden.example/", "brandDomainInHost"],
    ["https://apple.example.top/", undefined],
    ["https://apple-verify.example.top/", "brandLure"],
    ["https://paypal-tan.example/", "bankCodeLure"],
    ["https://amazon-tan.example/", "brandLure"],
    ["https://sparkasse-tan.vercel.app/", "brandLure"]
  ])("of %s is a %s", (url, kind) => {
    assert.strictEqual(of(url), kind)
  })

  it("has the words that ask, three at most", () => {
    const words = (url: string) => extract(url).flatMap((signal) => ("words" in signal ? signal.words : []))
    assert.deepStrictEqual(words("https://paypal-garden-login.example/"), ["login"])
    assert.deepStrictEqual(words("https://login.paypal-verify-account-refund.example/").slice(0, 3), [
      "verify",
      "account",
      "refund"
    ])
    assert.deepStrictEqual(words("https://sparkasse-pushtan-login.example/").slice(0, 1), ["pushtan"])
  })
})

describe("a page among the files of a site's software", () => {
  const foldersOf = (path: string) =>
    extract(`https://www.example.com${path}`).flatMap((signal) =>
      signal.kind === "pageAmongSoftware" ? [signal.folder] : []
    )

  it.each([
    ["/wp-includes/css/otp.php", "wp-includes"],
    ["/blog/wp-content/plugins/x/", "wp-content"],
    ["/.well-known/signin/index.html", ".well-known"]
  ])("is a signal: %s", (path, folder) => {
    assert.deepStrictEqual(foldersOf(path), [folder])
  })

  it.each([
    "/wp-content/uploads/2024/05/menu.html",
    "/wp-content/themes/plain/style.css",
    "/wp-content/plugins/x/logo.png",
    "/wp-admin/admin-ajax.php",
    "/wp-admin/",
    "/blog/wp-admin/options-general.php",
    "/wp-login.php",
    "/.well-known/security.txt"
  ])("is not in %s", (path) => {
    assert.deepStrictEqual(foldersOf(path), [])
  })
})
