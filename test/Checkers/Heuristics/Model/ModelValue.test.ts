import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import * as Curve from "../../../../src/Checkers/Heuristics/Model/Curve.ts"
import * as ModelValue from "../../../../src/Checkers/Heuristics/Model/ModelValue.ts"
import * as UrlFacts from "../../../../src/Checkers/Heuristics/UrlFacts.ts"
import * as CanonicalUrl from "../../../../src/Url/CanonicalUrl.ts"
import { runs } from "../../../fixtures/Seed.ts"
import { curve, modelOf, ORDINARY_HOST } from "../../../fixtures/SmallModel.ts"

const factsOf = (url: string) => UrlFacts.factsOf(Either.getOrThrow(CanonicalUrl.parse(url)))

const marks = ModelValue.marksOf({ curve, ordinaryHost: ORDINARY_HOST })

/** The numbers of `RawValues`; a missing one fails the test if it is asked for. */
interface Values {
  readonly whole: number
  readonly hostLogit?: number
  readonly domainLogit?: number
  readonly withoutQuery?: number
  readonly bareHost?: number
  readonly bareDomain?: number
}

const valueLeft = (
  url: string,
  { bareDomain, bareHost, hostLogit = 12, domainLogit = hostLogit, whole, withoutQuery }: Values
) =>
  ModelValue.valueByPolicy(
    factsOf(url),
    {
      whole,
      hostLogit,
      domainLogit: () => domainLogit,
      withoutQuery: () => withoutQuery ?? assert.fail("without query"),
      bareHost: () => bareHost ?? assert.fail("bare host"),
      bareDomain: () => bareDomain ?? assert.fail("bare domain")
    },
    marks
  )

describe("the values that matter", () => {
  it("are those of the scores 20, 40 and 70, and that of ordinary hosts", () => {
    assert.deepStrictEqual(marks, { ordinaryHost: ORDINARY_HOST, scored: 2, suspicious: 4, phishing: 7 })
  })
})

describe("the value that the policy leaves", () => {
  it.each<[what: string, expected: number, url: string, values: Values]>([
    ["a bare domain as it is", 8, "https://garden.example/", { whole: 8 }],
    ["a bare domain below a score as it is", -3, "https://garden.example/", { whole: -3 }],
    // A query.
    [
      "a query that raises: not counted",
      1,
      "https://garden.example/?a",
      { whole: 9, withoutQuery: 1, bareHost: 1 }
    ],
    [
      "a query that lowers: counted",
      5,
      "https://garden.example/?a",
      { whole: 5, withoutQuery: 9, bareHost: 9 }
    ],
    // A page for signing in.
    [
      "signing in on free hosting: no worse than the host",
      1,
      "https://garden.pages.dev/login",
      { whole: 9, bareHost: 1 }
    ],
    [
      "signing in on free hosting that is worse itself",
      5,
      "https://garden.pages.dev/login",
      { whole: 5, bareHost: 9 }
    ],
    [
      "signing in on a subdomain: no worse than the host",
      1,
      "https://id.garden.example/signin",
      { whole: 9, bareHost: 1, bareDomain: 1 }
    ],
    [
      "signing in on a harmless subdomain: no worse than the domain",
      6,
      "https://docs.garden.example/signin",
      { whole: 9, bareHost: 1, bareDomain: 6 }
    ],
    [
      "signing in at a page with a number: no worse than the host",
      1,
      "https://garden.onelogin.com/login2/",
      { whole: 9, bareHost: 1, bareDomain: 1 }
    ],
    [
      "signing in by OAuth: no worse than the host",
      1,
      "https://id.garden.example/tenant/oauth2/v2.0/authorize",
      { whole: 9, bareHost: 1, bareDomain: 1 }
    ],
    [
      "a page of a site that quotes others: no worse than the host",
      1,
      "https://trustpilot.com/review/paypal.com",
      { whole: 9, bareHost: 1 }
    ],
    [
      "such a page where anybody can publish",
      9,
      "https://raw.githubusercontent.com/garden/a/setup.exe",
      { whole: 9 }
    ],
    ["another one", 9, "https://codeberg.org/garden/a/raw/setup.exe", { whole: 9 }],
    [
      "a page for the owner of a site: no worse than the host",
      1,
      "https://garden.example/blog/wp-admin/",
      { whole: 9, bareHost: 1 }
    ],
    [
      "another such page",
      1,
      "https://garden.example/wp-admin/edit.php?post_type=page",
      { whole: 9, withoutQuery: 9, bareHost: 1 }
    ],
    ["a page that is no part of that software", 9, "https://garden.example/wp-admin/pay.php", { whole: 9 }],
    [
      "what a page loads: no worse than the host",
      1,
      "https://garden.example/wp-content/themes/a/style.css",
      { whole: 9, bareHost: 1 }
    ],
    ["what may be a page", 9, "https://garden.example/a.svg", { whole: 9 }],
    ["a page that is named like a picture", 9, "https://garden.example/secure/verify.png", { whole: 9 }],
    ["such a page with a brand", 9, "https://garden.example/paypal/a.css", { whole: 9 }],
    [
      "a page named like one for the owner of a site",
      9,
      "https://garden.example/paypal/wp-admin/index.php",
      { whole: 9 }
    ],
    ["another one", 9, "https://garden.example/verify/wp-admin/", { whole: 9 }],
    [
      "a page for the owner with a word that phishing uses",
      1,
      "https://garden.example/wp-admin/update-core.php",
      { whole: 9, bareHost: 1 }
    ],
    ["signing in on www, which is no subdomain", 9, "https://www.garden.example/signin", { whole: 9 }],
    [
      "signing in on a domain: a tenth of the way to the sum of its host",
      8.2,
      "https://garden.example/signin",
      { whole: 9, hostLogit: 1 }
    ],
    ["another page on free hosting", 8.2, "https://garden.pages.dev/recipes", { whole: 9, hostLogit: 1 }],
    // The name of the host.
    [
      "a page that is worse than the name of its host: a tenth of the way",
      7.6,
      "https://garden.example/a",
      { whole: 8, hostLogit: 4 }
    ],
    ["a page that is better", 8, "https://garden.example/a", { whole: 8, hostLogit: 9 }],
    ["a bare host that is worse than its name", 8, "https://garden.example/", { whole: 8, hostLogit: 4 }],
    [
      "a page of a host that is nearly ordinary",
      10.55,
      "https://garden.example/a",
      { whole: 12, hostLogit: -2.5 }
    ],
    [
      "a page of an ordinary host: below phishing",
      7 - 1e-6,
      "https://garden.example/a",
      { whole: 12, hostLogit: -2.6 }
    ],
    // A host or domain that is phishing or suspicious by itself.
    ["a page of a phishing host", 4, "https://garden.example/a", { whole: 1, bareHost: 7 }],
    ["a page with a query of a phishing host", 4, "https://garden.example/?a", { whole: -9, bareHost: 7 }],
    [
      "a page of a phishing host that is worse than suspicious",
      5,
      "https://garden.example/a",
      { whole: 5, bareHost: 7 }
    ],
    ["a subdomain of a phishing domain", 4, "https://freedom.garden.example/", { whole: -5, bareDomain: 7 }],
    [
      "a page on a subdomain of a phishing domain",
      4,
      "https://freedom.garden.example/a",
      { whole: -5, bareHost: -5, bareDomain: 7 }
    ],
    [
      "a subdomain of a domain that is almost phishing: as much below",
      3.9,
      "https://freedom.garden.example/",
      { whole: -5, bareDomain: 6.9 }
    ],
    ["a page of a suspicious host", 2.5, "https://garden.example/a", { whole: -5, bareHost: 5.5 }],
    ["a suspicious host with a port", 2.5, "https://garden.example:8443/", { whole: -5, bareHost: 5.5 }],
    ["a suspicious host with user info", 2.5, "https://a@garden.example/", { whole: -5, bareHost: 5.5 }],
    [
      "a page of a host that is worse than its domain",
      3.5,
      "https://freedom.garden.example/a",
      { whole: -5, bareHost: 6.5, bareDomain: 5 }
    ],
    [
      "a page of a phishing host, whose domain is not asked for",
      4,
      "https://b.garden.example/a",
      { whole: -5, bareHost: 8 }
    ],
    [
      "a page of a suspicious host that is worse than what the host leaves",
      3,
      "https://garden.example/a",
      { whole: 3, bareHost: 5.5 }
    ],
    ["www, which is no subdomain", -5, "https://www.garden.example/", { whole: -5 }],
    [
      "a host whose own text is ordinary",
      -5,
      "https://freedom.garden.example/a",
      { whole: -5, hostLogit: -0.01 }
    ],
    [
      "a harmless subdomain of a phishing domain",
      4,
      "https://freedom.garden.example/a",
      { whole: -5, hostLogit: -6, domainLogit: 0, bareDomain: 7 }
    ]
  ])("is, for %s, %d", (_, expected, url, values) => {
    assert.closeTo(valueLeft(url, values), expected, 1e-9)
  })

  const number = FastCheck.double({ min: -12, max: 12, noNaN: true })
  const url = FastCheck.constantFrom(
    ..."https://garden.example/ https://garden.example/a https://a.garden.example/login?x https://garden.pages.dev/login https://a.b.garden.example/?x https://203.0.113.7/a".split(
      " "
    )
  )

  it("is above the raw value only where a worse host or domain keeps it there, never above suspicious", () => {
    FastCheck.assert(
      FastCheck.property(
        url,
        number,
        number,
        number,
        number,
        (url, whole, withoutQuery, bareHost, bareDomain) => {
          const value = valueLeft(url, { whole, withoutQuery, bareHost, bareDomain })
          const left = Math.max(bareHost, bareDomain) - (marks.phishing - marks.suspicious)
          assert.isAtMost(value, Math.max(whole, Math.min(marks.suspicious, left)))
        }
      ),
      { seed: 1, numRuns: runs(2000) }
    )
  })

  it("has a score that never falls if raw values rise", () => {
    const rise = FastCheck.double({ min: 0, max: 5, noNaN: true })
    FastCheck.assert(
      FastCheck.property(
        url,
        FastCheck.record({
          whole: number,
          hostLogit: number,
          domainLogit: number,
          withoutQuery: number,
          bareHost: number,
          bareDomain: number
        }),
        FastCheck.record({
          whole: rise,
          hostLogit: rise,
          domainLogit: rise,
          withoutQuery: rise,
          bareHost: rise,
          bareDomain: rise
        }),
        (url, from, by) => {
          const to = {
            whole: from.whole + by.whole,
            hostLogit: from.hostLogit + by.hostLogit,
            domainLogit: from.domainLogit + by.domainLogit,
            withoutQuery: from.withoutQuery + by.withoutQuery,
            bareHost: from.bareHost + by.bareHost,
            bareDomain: from.bareDomain + by.bareDomain
          }
          assert.isAtLeast(
            Curve.scoreOf(curve, valueLeft(url, to)),
            Curve.scoreOf(curve, valueLeft(url, from))
          )
        }
      ),
      { seed: 2, numRuns: runs(3000) }
    )
  })
})

describe("a URL without a value", () => {
  it.each([
    "ftp://garden.example/",
    "https://192.168.1.1/",
    "https://localhost/",
    "https://intranet.lan/login",
    "https://www.paypal.com/signin",
    "https://xn--b.dev.localhost/"
  ])("is %s", (url) => {
    assert.isFalse(ModelValue.hasValue(factsOf(url)))
    assert.isUndefined(ModelValue.modelValue(modelOf(90), factsOf(url)))
  })

  it.each([
    "https://garden.example/",
    "http://203.0.113.7/",
    "https://[2001:db8::7]/",
    "https://a.pages.dev/"
  ])("is not %s", (url) => {
    assert.closeTo(ModelValue.modelValue(modelOf(90), factsOf(url)) ?? assert.fail(), 9, 1e-4)
  })
})

describe("the value of a URL", () => {
  /** Counts how often the trees are evaluated. */
  const counted = (score: number) => {
    const model = modelOf(score)
    let evaluations = 0
    const trees = {
      ...model.trees,
      get roots() {
        evaluations++
        return model.trees.roots
      }
    }
    return { model: { ...model, trees }, evaluations: () => evaluations }
  }

  it.each([0, 20, 40, 70, 95])(
    "takes at most three evaluations of other URLs, and one more below two subdomains, with a score of %i",
    (score) => {
      for (const url of [
        "https://login.garden.example/signin?a=1",
        "https://a.garden.pages.dev/login?a=1&b=2",
        "https://a.b.garden.example/recipes?a=1",
        "https://a.b.garden.example/signin?a=1",
        "https://a.b.c.d.garden.example/signin?a=1",
        "https://garden.example/"
      ]) {
        const { evaluations, model } = counted(score)
        ModelValue.modelValue(model, factsOf(url))
        assert.isAtMost(evaluations(), /[a-z]\.[a-z]\.garden/.test(url) ? 5 : 4, url)
        assert.isAtLeast(evaluations(), 1, url)
      }
    }
  )

  /** A bare domain has 80, any other URL nothing. */
  const ofBareDomains = modelOf({
    feature: "subdomainLength",
    threshold: 0.5,
    low: { feature: "pathLength", threshold: 1.5, low: 80, high: 0 },
    high: 0
  })

  it.each([
    ["https://mobile-login.example/", 8],
    ["https://freedom.mobile-login.example/", 4],
    ["https://library.news.mobile-login.example/", 4],
    ["https://freedom.mobile-login.example/recipes/summer.html?lang=en", 4],
    ["https://mobile-login.example/docs/getting-started.html", 4],
    ["https://mobile-login.example/?lang=en", 8],
    ["https://docs.mobile-login.example:8443/guide", 4],
    ["https://mobile-login.example:443/", 8],
    ["https://a@mobile-login.example/?", 8],
    ["https://a:b@docs.mobile-login.example/guide", 4]
  ])("of %s, whose domain is phishing by itself, is %d", (url, value) => {
    assert.closeTo(ModelValue.modelValue(ofBareDomains, factsOf(url)) ?? assert.fail(), value, 1e-4)
  })
})

describe("a club, shop or other firm with a brand's name", () => {
  it.each([
    "paypal-museum.example",
    "museum-paypal-utrecht.example",
    "netflixguide.example",
    "fans.netflix-series.example",
    "rabobankmuseumutrecht.example",
    "ledger-accounting.example"
  ])("is %s", (host) => {
    assert.isTrue(ModelValue.isThirdParty(factsOf(`https://${host}/news`)))
  })

  it.each([
    "paypal-declined.example",
    "paypal-museum-login.example",
    "login.ledger-accounting.example",
    "paypal-museum.example/verify",
    "paypal.example",
    "museum.example",
    // The brand is in a subdomain, which anybody can choose.
    "paypal.travel-museum.example",
    "paypal-museum.pages.dev",
    // Shorter than six letters and glued
    "paypal-transport.example",
    // Other lure words in the host
    "paypal-museum-support.example",
    "delivery.paypal-museum.example",
    "paypal-museum.top",
    // What phishing says as often as clubs
    "paypal-center.example",
    "paypal-information.example",
    "metamask-tutorial.example",
    "paypa1.example",
    "paypa1-museum.example",
    "paypal.com.museum-paypal.example",
    "192.0.2.7"
  ])("is not %s", (url) => {
    assert.isFalse(ModelValue.isThirdParty(factsOf(`https://${url}`)))
  })
})
