import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { brands } from "../../../src/Checkers/Heuristics/Brand/Brands.ts"
import * as Hosting from "../../../src/Checkers/Heuristics/Host/Hosting.ts"
import * as UrlFacts from "../../../src/Checkers/Heuristics/UrlFacts.ts"
import type { Signal } from "../../../src/Checkers/Kinds.ts"
import * as CanonicalUrl from "../../../src/Url/CanonicalUrl.ts"

const extract = (url: string): ReadonlyArray<Signal> =>
  UrlFacts.factsOf(Either.getOrThrow(CanonicalUrl.parse(url))).signals

const kinds = (url: string): ReadonlyArray<string> => extract(url).map(({ kind }) => kind)

const ownDomain = FastCheck.constantFrom(
  ...brands
    .flatMap((brand) => brand.domains)
    .filter((domain) => !domain.startsWith("*.") && Hosting.hostingFirmOf(`customer.${domain}`) === undefined)
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
      { numRuns: 2000 }
    )
  })

  it("do not change with a brand's domain in the query", () => {
    FastCheck.assert(
      FastCheck.property(host, path, ownDomain, (someHost, page, domain) => {
        const url = `https://${someHost}${page}`
        assert.deepStrictEqual(extract(`${url}?ref=${domain}`), extract(url))
      }),
      { numRuns: 1000 }
    )
  })

  it("do not change with the case of the host, nor with a dot after it", () => {
    FastCheck.assert(
      FastCheck.property(host, path, (someHost, page) => {
        const expected = extract(`https://${someHost}${page}`)
        assert.deepStrictEqual(extract(`https://${someHost.toUpperCase()}${page}`), expected)
        assert.deepStrictEqual(extract(`https://${someHost}.${page}`), expected)
      }),
      { numRuns: 1000 }
    )
  })

  it.each([
    ["https://attlogin.weeblysite.com/", ["brandInDomain", "freeHosting"]],
    ["https://ledger-app-orchard.weebly.com/", ["everydayBrand", "freeHosting"]],
    ["https://metamaskkxyz.gitbook.io/", ["brandAmongWords", "freeHosting"]],
    ["https://metamagskxyz.gitbook.io/", ["brandLookAlike", "freeHosting"]],
    ["https://discord-nitro-gift.example/", ["lureInDomain", "brandInDomain"]],
    ["https://pay-pal.example/", ["brandInDomain"]],
    ["https://steamcomnumnity.example/", ["brandLookAlike"]],
    ["https://storage.googleapis.com/bucket/office365.html", ["brandInPath", "freeHosting"]],
    ["https://volksbank-sicherheit.example/", ["brandInDomain", "lureInHost"]],
    ["https://gov-uk.example.org/", ["brandInSubdomain"]],
    ["https://irs-refund.example.top/", ["abusedSuffix", "everydayBrand", "lureInHost"]],
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
  ])("of %s are none", (url) => {
    assert.deepStrictEqual(kinds(url), [])
  })
})

describe("a page among the files of a site's software", () => {
  it.each([
    ["/wp-includes/css/otp.php", "wp-includes"],
    ["/blog/wp-content/plugins/x/", "wp-content"],
    ["/.well-known/signin/index.html", ".well-known"]
  ])("is a signal: %s", (path, folder) => {
    assert.deepStrictEqual(extract(`https://www.example.com${path}`), [{ kind: "pageAmongSoftware", folder }])
  })

  it.each([
    "/wp-content/uploads/2024/05/menu.html",
    "/wp-content/themes/plain/style.css",
    "/wp-content/plugins/x/logo.png",
    "/wp-admin/admin-ajax.php",
    "/wp-login.php",
    "/.well-known/security.txt"
  ])("is not in %s", (path) => {
    assert.deepStrictEqual(extract(`https://www.example.com${path}`), [])
  })
})
