import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Either, FastCheck, Layer, Option } from "effect"
import { ConfiguredModel } from "../../src/Checkers/Heuristics/ConfiguredModel.ts"
import type { Model } from "../../src/Checkers/Heuristics/Model.ts"
import { findings, findingsOf, Heuristics } from "../../src/Checkers/Heuristics.ts"
import { type FindingKind, kinds as kindRows } from "../../src/Checkers/Kinds.ts"
import * as Verdict from "../../src/Checkers/Verdict.ts"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { NewDomains, type NewDomainsShape } from "../../src/Lists/NewDomains.ts"
import { PopularSites } from "../../src/Lists/PopularSites.ts"
import * as CanonicalUrl from "../../src/Url/CanonicalUrl.ts"
import * as Submission from "../../src/Url/Submission.ts"
import { anyCharacter } from "../fixtures/AnyCharacter.ts"
import { runs } from "../fixtures/Seed.ts"
import { modelOf, silent } from "../fixtures/SmallModel.ts"

const judged = (model: Model, submitted: string, isSite?: (host: string) => boolean) => {
  const { findings: shown, score } = Verdict.judge(findings(model, Submission.read(submitted, 0), isSite))
  return [score, ...shown.map(({ kind }) => kind)]
}

/** The score and the kinds by the rules alone. */
const ruled = (submitted: string) => judged(silent, submitted)

/** Gives every URL that has a value 50. */
const fifty = modelOf(50)

/** What explains a score of the model. */
const explained = (submitted: string) =>
  findings(fifty, Submission.read(submitted, 0)).flatMap(({ kind, points }) => (points === 0 ? [kind] : []))

/** Each row: the submitted URL, its score by the rules, its kinds. */
type Expectation = readonly [url: string, score: number, ...kinds: ReadonlyArray<FindingKind>]

const short = (url: string): string => (url.length > 100 ? `${url.slice(0, 100)}...` : url)

const expectEach = (rows: ReadonlyArray<Expectation>) => {
  for (const [url, ...expected] of rows)
    it(`${short(url)} has ${expected.join(" ")}`, () => assert.deepStrictEqual(ruled(url), expected))
}

const expectNothing = (urls: ReadonlyArray<string>) => expectEach(urls.map((url) => [url, 0] as const))

describe("a string that is no web URL", () => {
  expectEach([
    ["", 40, "malformed"],
    [`https://${"a.".repeat(8000)}com${"/paypal.com".repeat(16)}`, 40, "malformed"],
    [`https://${"a".repeat(64)}.example/`, 40, "malformed"],
    ["http://", 40, "malformed"],
    ["https:///?q=1", 40, "malformed"],
    ["https://exa mple.com/", 40, "malformed"],
    ["http://paypal<b>.example/login", 40, "malformed"],
    ["https://example.com:99999/", 40, "malformed"],
    ["https://256.256.256.256/", 40, "malformed"],
    ["https://1.2.3.4.5/", 40, "malformed"],
    ["http://paypal-login.08/", 40, "malformed"],
    ["javascript:alert(1)", 40, "scriptScheme"],
    ["data:text/html,<h1>x</h1>", 40, "scriptScheme"],
    ["VBScript:MsgBox(1)", 40, "scriptScheme"],
    ["mailto:someone@example.com", 10, "otherScheme"],
    ["tel:+15550100", 10, "otherScheme"],
    ["whatsapp://send?text=x", 10, "notHttps"],
    ["ftp://example.com/readme", 10, "notHttps"],
    ["ftp://192.168.0.1/x", 15, "privateHost", "notHttps"]
  ])

  it.each([
    ["http://someone:secret@exa mple.com/login?token=secret#secret", "http://...@exa mple.com/login..."],
    ["https%3A%2F%2Fsomeone:secret%40exa<mple.com%3Fsecret", "...%40exa<mple.com..."],
    ["https://someone:secret@1.2.3.4.5/", "https://...@1.2.3.4.5/"]
  ])("%s is quoted without what may be secret", (url, shown) => {
    const [{ reason } = assert.fail()] = findings(silent, Submission.read(url, 0))
    assert.strictEqual(reason, `This is not a web address: "${shown}" names a site that cannot exist`)
  })
})

describe("plain HTTP is a finding of its own", () => {
  expectEach([
    ["http://example.com/", 10, "notHttps"],
    ["example.com", 10, "notHttps"],
    ["example.com:8080/x", 10, "notHttps"],
    ["HTTPS://EXAMPLE.COM/", 0],
    ["http://example.com/setup.MSI", 10, "notHttps"],
    ["http://198.51.100.7/paypal/login", 10, "notHttps"],
    ["http://paypa1.example/", 70, "brandHomograph", "notHttps"]
  ])
})

describe("an ordinary HTTPS URL has no finding", () => {
  expectNothing([
    "https://example.com/",
    "https://example.com/login",
    "https://www.example.co.uk/account/verify?next=/secure/password",
    "https://login.bank.example/online-banking/signin.php",
    "https://example.org/news/2026/paypal-phishing-wave-hits-customers",
    "https://example.org/wiki/PayPal",
    "https://pineapple.example/",
    "https://apple.example/",
    "https://orange-county.example/",
    "https://discard.example/",
    "https://login.mediapart.example/",
    "https://login.bancarella.example/",
    "https://login.montevarchi.example/",
    "https://login.volksdansen.example/",
    "https://login.wolfberries.example/",
    "https://login.inail.example/",
    "https://login.first-citizens.com/",
    "https://example.com/?ref=paypal.com",
    "https://login.example.com/?next=https%3A%2F%2Fwww.example.com%2Faccount",
    "https://someone.github.io/",
    "https://someone.notion.site/recipes",
    "https://paypal.zendesk.com/hc/account",
    "https://google.github.io/styleguide/",
    "https://youtu.be/abc",
    "https://1cloud.ru",
    "https://7mobile.de/login",
    "https://xn--mnchen-orange-2ob.example/",
    "https://www.example.com.proxy.university.edu/",
    "https://gardens.eth.limo/",
    "https://uniswap.eth.limo/",
    "https://verificationexcellence.teachable.com/p/course",
    "https://www.apple-farm-bakery.com",
    "https://portal.mycity-utilities.com/account/login"
  ])
})

/** Public pages of brands of the table, of other firms, authorities and communities. */
const wellKnown = [
  "https://www.paypal.com/signin",
  "https://www.paypal.com/de/home",
  "https://accounts.google.com/",
  "https://accounts.google.com/v3/signin/identifier?continue=https%3A%2F%2Fmail.google.com%2Fmail%2F",
  "https://mail.google.com/",
  "https://docs.google.com/forms/",
  "https://www.google.co.uk/",
  "https://github.com/login",
  "https://login.microsoftonline.com/common/oauth2/authorize",
  "https://login.live.com/",
  "https://outlook.office365.com/mail/",
  "https://account.microsoft.com/account",
  "https://appleid.apple.com/",
  "https://www.icloud.com/",
  "https://www.amazon.com/ap/signin",
  "https://www.amazon.co.jp/",
  "https://www.amazon.com.br/",
  "https://console.aws.amazon.com/",
  "https://www.facebook.com/login/",
  "https://www.instagram.com/accounts/login/",
  "https://web.whatsapp.com/",
  "https://t.me/telegram",
  "https://discord.com/login",
  "https://store.steampowered.com/login/",
  "https://steamcommunity.com/login/home/",
  "https://www.roblox.com/login",
  "https://www.netflix.com/login",
  "https://accounts.spotify.com/en/login",
  "https://www.dropbox.com/login",
  "https://account.docusign.com/",
  "https://www.linkedin.com/login",
  "https://x.com/i/flow/login",
  "https://signin.ebay.de/",
  "https://login.yahoo.com/",
  "https://secure.chase.com/web/auth/dashboard",
  "https://www.wellsfargo.com/",
  "https://www.bankofamerica.com/online-banking/sign-in/",
  "https://www.hsbc.co.uk/security/",
  "https://www.santander.co.uk/",
  "https://www.sparkasse.de/",
  "https://www.smbc-card.com/memx/login/index.html",
  "https://www.rakuten-card.co.jp/e-navi/",
  "https://tools.usps.com/go/TrackConfirmAction_input",
  "https://www.dhl.de/de/privatkunden/dhl-sendungsverfolgung.html",
  "https://www.coinbase.com/signin",
  "https://accounts.binance.com/en/login",
  "https://metamask.io/",
  "https://shop.ledger.com/",
  "https://trezor.io/start",
  "https://www.gov.uk/log-in-register-hmrc-online-services",
  "https://en.wikipedia.org/wiki/Phishing",
  "https://news.ycombinator.com/login",
  "https://stackoverflow.com/users/login",
  "https://www.reddit.com/login/",
  "https://www.nytimes.com/",
  "https://login.ubuntu.com/"
]

describe("the pages of well-known sites have no finding", () => {
  expectNothing(wellKnown)
})

describe("what only explains has no score by itself", () => {
  const rows: ReadonlyArray<readonly [url: string, ...kinds: ReadonlyArray<FindingKind>]> = [
    ["https://203.0.113.7/", "ipHost"],
    ["https://[2001:db8::7]/setup.msi", "ipHost", "executablePath"],
    ["https://user:secret@example.com/", "userInfo"],
    ["https://first.last@example.com/", "userInfo"],
    ["https://example.com/setup.msi", "executablePath"],
    ["https://modern-table-729055.example/", "machineName"],
    ["https://www.b\u00fccher.example/", "internationalHost"],
    ["https://shop.example.top/login", "lureInPath", "abusedSuffix"],
    ["https://example.support/", "abusedSuffix"],
    ["https://nas.duckdns.org/", "dynamicDns"],
    ["https://someone.weebly.com/konto/anmelden", "lureInPath", "freeHosting"],
    ["https://chess-club.herokuapp.com/login", "lureInPath", "freeHosting"],
    ["https://verify-account.pages.dev/", "lureInHost", "freeHosting"],
    ["https://secure-login.example/", "lureInDomain"],
    ["https://secure.example/login", "lureInHost", "lureInPath"],
    ["https://login.example.com.evil.example/", "decoyDomain", "lureInHost"],
    ["https://shop.co.jp.evil.example/", "decoyDomain"],
    ["https://example.com-track.example/", "decoyDomain"],
    ["https://paypal-info.example/", "brandInDomain"],
    ["https://mypaypal77.example/", "brandInDomain"],
    ["https://wells-fargo.example/", "brandInDomain"],
    ["https://paypal.cm", "brandInDomain"],
    ["https://cr\u00e9ditmutuel.com/", "brandInDomain", "internationalHost"],
    ["https://paypa1-info.example/", "brandLookAlike"],
    ["https://netfilx.example/", "brandLookAlike"],
    ["https://paypall.com/", "brandLookAlike"],
    ["https://paypal.evil.example/", "brandInSubdomain"],
    ["https://paypal.example.top/netflix", "brandInSubdomain", "abusedSuffix"],
    ["https://orchard-paypal.example/", "brandAmongWords"],
    ["https://apple.example.top/", "abusedSuffix"],
    ["https://telegra.ph/paypal-login-01-01", "brandInPath", "lureInPath", "freeHosting"],
    ["https://sites.google.com/view/paypal-login", "brandInPath", "lureInPath", "freeHosting"],
    ["https://example.com/wp-includes/login.php", "lureInPath", "pageAmongSoftware"],
    ["https://example.com/?to=user@example.org", "mailAddress"],
    ["https://example.com/a/user%40mail.example.org", "mailAddress"],
    ["https://example.com/#user@example.org"],
    ["https://social.example/@user@example.org"],
    ["https://cdn.example/package@1.2.3/index.min.js"]
  ]

  it.each(rows)("%s", (url, ...expected) => {
    assert.deepStrictEqual(ruled(url), [0])
    assert.deepStrictEqual(explained(url), expected)
  })

  it("is left out beside less than 20, and shown from 20 on", () => {
    const url = "http://203.0.113.7/setup.msi"
    assert.deepStrictEqual(judged(silent, url), [10, "notHttps"])
    assert.deepStrictEqual(judged(modelOf(20), url), [20, "notHttps", "ipHost", "executablePath", "model"])
    assert.deepStrictEqual(judged(silent, "https://bit.ly/linux.iso"), [20, "shortener", "executablePath"])
  })

  it("never changes the score", () => {
    for (const [url] of rows)
      for (const score of [0, 20, 50, 65]) assert.strictEqual(judged(modelOf(score), url)[0], score, url)
  })
})

describe("three signals that need each other are not three times the evidence", () => {
  it.each(["https://support.orange.xyz/", "https://support.target.online/", "https://secure.chase.club/"])(
    "%s is below 70 by the rules, and has the model's score beside it",
    (url) => {
      assert.isBelow(Number(ruled(url)[0]), 70)
      const [low] = judged(modelOf(20), url)
      assert.strictEqual(low, Math.max(20, Number(ruled(url)[0])))
    }
  )
})

describe("a private host", () => {
  const own = (url: string): Expectation => [url, 15, "privateHost"]
  expectEach([
    own("https://127.0.0.1/"),
    own("https://169.254.169.254/"),
    own("https://[::1]/"),
    own("https://[fd00::1]/"),
    own("https://[fe80::1]/"),
    own("https://localhost/"),
    own("https://intranet/"),
    own("https://printer.local/"),
    own("https://paypal.corp.internal/"),
    own("https://verify-account.local/"),
    own("https://a.b.c.d.example.lan/"),
    ["http://localhost:3000/login?mail=someone@example.com", 15, "privateHost", "notHttps"],
    ["http://192.168.1.1/paypal/verify/setup.exe", 15, "privateHost", "notHttps"],
    ["http://www.example.com@192.168.1.1/", 40, "deceptiveUserInfo", "privateHost", "notHttps"]
  ])

  it("is not judged by the model", () => {
    assert.deepStrictEqual(judged(modelOf(95), "https://paypal-login.corp.internal/"), [15, "privateHost"])
  })
})

describe("what stands before the host", () => {
  expectEach([
    ["https://www.example.com@evil.example/", 40, "deceptiveUserInfo"],
    ["https://www.example.jp%2Fx@kvinor.example/", 40, "deceptiveUserInfo"],
    ["https://www.example.jp%E2%88%95x@kvinor.example/", 40, "deceptiveUserInfo"],
    ["https://www.example.jp\u2215x@kvinor.example/", 40, "deceptiveUserInfo"],
    ["https://www.example.jp\uff0fx@kvinor.example/", 40, "deceptiveUserInfo"],
    ["https://https%3A%2F%2Fwww.example.jp@kvinor.example/", 40, "deceptiveUserInfo"],
    ["https://https:\u2044\u2044www.example.jp@kvinor.example/", 40, "deceptiveUserInfo"],
    ["https://paypal.com@www.paypal.com/", 40, "deceptiveUserInfo"],
    ["https://www.paypal.com@evil.example/", 70, "brandInUserInfo"],
    ["https://PayPal.com:secret@evil.example/", 70, "brandInUserInfo"],
    ["https://https:paypal.com@evil.example/", 70, "brandInUserInfo"],
    ["https://paypal.com%E2%88%95signin@evil.example/", 70, "brandInUserInfo"],
    ["https://accounts.google.com@evil.example/", 70, "brandInUserInfo"],
    ["https://paypal.com.@evil.example/", 70, "brandInUserInfo"],
    ["https://booking.com@evil.example/", 70, "brandInUserInfo"],
    ["https://\uff50\uff41\uff59\uff50\uff41\uff4c.com@evil.example/", 70, "brandInUserInfo"],
    ["https://\u200bpaypal.com@evil.example/", 70, "brandInUserInfo"],
    ["https://\u{e0001}\u{e0020}pay%C2%ADpal.com\u2215signin@evil.example/", 70, "brandInUserInfo"],
    [`https://${"\u{e0020}".repeat(300)}paypal.com@evil.example/`, 70, "brandInUserInfo"],
    [`https://${"!".repeat(300)}paypal.com@evil.example/`, 70, "brandInUserInfo"],
    ["https://%20_(paypal.com)@evil.example/", 70, "brandInUserInfo"],
    ["https://www\u3002paypal\u3002com@evil.example/", 70, "brandInUserInfo"],
    ["https://paypal.com@evil.example/login", 70, "brandInUserInfo", "lureInPath"]
  ])
})

describe("a look-alike of a large brand", () => {
  expectEach([
    ["https://paypa1.example/", 70, "brandHomograph"],
    ["https://micros0ft.example/", 70, "brandHomograph"],
    ["https://arnazon.example/", 70, "brandHomograph"],
    ["https://rnicrosoft.com", 70, "brandHomograph"],
    ["https://g00gle.com", 70, "brandHomograph"],
    ["https://p\u200baypa1\u3002com/", 70, "brandHomograph"],
    ["https://%70aypa1.c\tom/", 70, "brandHomograph"],
    ["https://\u0262oogle.com", 70, "brandHomograph", "internationalHost"],
    ["https://\u0430\u0440\u0440\u04cf\u0435.example/", 70, "brandHomograph", "internationalHost"],
    ["https://p\u0430yp\u0430l.example/", 70, "brandHomograph", "mixedScripts"],
    ["https://\u0430pple.com", 70, "brandHomograph", "mixedScripts"],
    ["https://\u0431ank.example/", 40, "mixedScripts"]
  ])

  describe("is not a brand's own spelling", () => {
    expectNothing([
      "https://vak\u0131fbank.com/",
      "https://yap\u0131kredi.com.tr/",
      "https://telef\u00f3nica.es/",
      "https://www.cr\u00e9ditmutuel.fr/"
    ])
  })
})

describe("a brand's whole domain inside a foreign host", () => {
  expectEach([
    ["https://paypal.com.evil.example/", 70, "brandDomainInHost"],
    ["https://paypal-com.evil.example/", 70, "brandDomainInHost"],
    ["https://paypal.com-refund.example/", 70, "brandDomainInHost"],
    ["https://accounts.google.com.evil.example/signin", 70, "brandDomainInHost", "lureInPath"],
    ["https://www.apple.com.shop-garden.example/", 70, "brandDomainInHost"],
    // Whatever the brand's name is.
    ["https://paypal.com\u2215signin.evil.example/", 70, "brandDomainInHost", "internationalHost"],
    ["https://www.paypal.com\u2044.evil.example/", 70, "brandDomainInHost", "internationalHost"],
    ["https://paypal.com\u30cesignin.evil.example/", 70, "brandDomainInHost", "internationalHost"],
    ["https://my.gov.au.evil.example/", 70, "brandDomainInHost"],
    ["https://www.ssa.gov.evil.example/", 70, "brandDomainInHost"],
    ["https://gov.uk.evil.example/", 70, "brandDomainInHost"],
    ["https://login.live.com.evil.example/", 70, "brandDomainInHost"],
    ["https://my.gov.example/", 0]
  ])

  describe("is ordinary on a content delivery network that carries others' names", () => {
    expectNothing([
      "https://www.microsoft.com.edgesuite.net/",
      "https://itunes.apple.com.edgekey.net/",
      "https://www.paypal.com.akamaized.net/login",
      "https://paypal.com.online-metrix.net/fp/tags.js"
    ])
  })
})

describe("software that firms run themselves", () => {
  it.each([
    ["https://zimbra-portal.webflow.io/", ["brandInDomain", "freeHosting"]],
    ["https://roundcube-eqf.pages.dev/", ["brandAmongWords", "freeHosting"]],
    ["https://a.example/roundcubejp/", ["brandInPath"]],
    ["https://a.example/roundcube/", []],
    ["https://zimbra2.a.example/", []],
    ["https://bitwarden.a.ddns.net/", ["dynamicDns"]]
  ])("%s has %j", (url, expected) => assert.deepStrictEqual(explained(url), expected))
})

describe("a dot inside a brand's name", () => {
  expectEach([
    ["https://myetherw.allet.com/", 60, "brandSplit"],
    ["https://myeth.erwal.let.com/", 60, "brandSplit"],
    ["https://face.book-support.com/", 60, "brandSplit"],
    ["https://meta.mask.example/", 60, "brandSplit"],
    ["https://www.coin.base.example/", 60, "brandSplit"],
    ["https://spark.asse-pushtan.example/", 60, "brandSplit"],
    ["https://meta.mask-restore-garden.example/", 60, "brandSplit"],
    ["https://netf.lix.garden.example/", 60, "brandSplit"],
    ["https://netf.lix-login.example/", 60, "brandSplit"],
    // Sites whose names are words, a country, and an everyday name; two words before one that asks for nothing.
    ["https://drop.box.example/", 0],
    ["https://ali.pay.example/", 0],
    ["https://us.bank.garden.example/", 0],
    ["https://my.jcb.example/", 0],
    ["https://china.mobile.example/", 0],
    ["https://bank.of.america.example/", 0],
    ["https://deutsche.bank-acceso.example/", 60, "brandSplit"],
    ["https://face.book-garden.example/", 0]
  ])
})

/** Words that are in no table, and others. */
const besideWords =
  "verlaengern update hilfe aktivierung freigabe registrierung sperre service center app portal online kunden deutschland sicher info garten fahrrad heute neu team eins support web meine direkt filiale erneuern zugang mobil berlin plus".split(
    " "
  )

describe("a bank's name beside its codes", () => {
  it.each([
    ...besideWords.flatMap((word) => [
      `https://sparkasse-pushtan-${word}.de/`,
      `https://volksbank-securego-${word}.de/`,
      `https://${word}-sparkasse-tan.example/`
    ]),
    "https://sparkasse-pushtan.de/",
    "https://sparkasse-push-tan.de/",
    "https://sparkasse.kundenservice-tan.de/",
    "https://sparkasse-pushtanportal.de/",
    "https://sparkase-pushtan.de/",
    "https://raifeisen-pushtan.at/",
    "https://spk-pushtan-garten.de/",
    "https://sparda-tan-garten.de/",
    "https://sparkasse24-tanfreigabe.de/",
    "https://sparkassepushtangarten.de/",
    "https://sparkasse-mtan2.example/",
    "https://sparkasse-spushtan2.example/",
    "https://dkb-tan2go-neu.example/",
    "https://postbank-best-sign.example/",
    "https://commerzbank-phototan-aktualisierung.example/"
  ])("is phishing whatever other words there are: %s", (url) => {
    assert.deepStrictEqual(ruled(url).slice(0, 2), [70, "bankCodeLure"])
  })

  it.each([
    "https://sparkasse-koelnbonn.de/login/pushtan",
    "https://banking.sparkasse-prignitz.de/tan/login",
    "https://www.kreissparkasse-koeln.de/de/home/login.html",
    "https://restaurant-tan.example/login"
  ])("is nothing if it is not in the host: %s", (url) => {
    assert.deepStrictEqual(ruled(url), [0])
  })

  it.each([
    "https://amazon-tan.example/login",
    "https://paypal-clone-tan-six.vercel.app/login",
    "https://sparkasse-tan.weebly.com/"
  ])("is suspicious only, of other brands and on free hosting: %s", (url) => {
    assert.deepStrictEqual(ruled(url).slice(0, 2), [60, "brandLure"])
  })
})

describe("a brand's name beside one word that asks", () => {
  it.each([
    ...besideWords.map((word) => `https://paypal-${word}-login.example/`),
    ...besideWords.map((word) => `https://${word}.paypal-anmelden-${word}.example/`),
    "https://paypal-2fa.example/",
    "https://paypa1-secure.example/",
    "https://netfilx-login-garden.example/",
    "https://paypal-login.weebly.com/",
    "https://login.paypal.shop.example/",
    "https://irs-refund.us/",
    "https://irs-tax-refund.us/",
    "https://refund-irs.example/",
    "https://irsrefund.example/",
    "https://irs-refund-yearend.example/",
    "https://caf-remboursement-demande.example/",
    "https://ptt-odeme-teslim.example/",
    "https://elster-steuer-rueckerstattung.de/",
    "https://elster-rueckerstattung.de/portal",
    "https://elster-r\u00fcckerstattung.de/",
    "https://ing-beveiligd-inloggen.nl/",
    "https://sbb-ticket-erstattung.ch.top/",
    "https://posti-lahetys.fi/",
    "https://gls-sendung.example/",
    "https://orange-facture.example/",
    "https://aeat-devolucion.example/",
    "https://inps-rimborso.example/",
    "https://skat-tilbagebetaling.dk/",
    "https://tulli-maksu.fi/",
    "https://podatki-zwrot.pl/",
    "https://canadapost-fee.example/",
    "https://royalmail-fees.example/",
    "https://ziggo-factuur.example/",
    "https://dhl-gebuehr.example/",
    "https://vinted-bezahlen.example/",
    "https://netflix-faktura.example/",
    "https://metamask-verify.eth.link/",
    "https://chase-login.example/",
    "https://nordea-konto.example/",
    "https://netflix-cuentas.example/",
    "https://credit-agricole-comptes.example/",
    "https://paypal-fee-calculator-login.example/",
    "https://hmrc-tax-refund-calculator-login.example/",
    "https://metaverify.example/",
    "https://amazon-verifizierungsgarten.example/",
    "https://bancolombia-gartenverificacion.example/",
    "https://zoll-gebuehrenbescheid.example/",
    "https://orico-log-in.example/",
    "https://fortuneo-mot-de-passe.example/",
    "https://netflix-zahlungsdaten.example/",
    "https://ziraatbank-parola.example/",
    "https://olx-odbierz-srodki.example/",
    "https://belastingdienst-openstaand-bedrag.example/",
    "https://docomo-ryokin-mibarai.example/",
    "https://tinkoff-voiti.example/",
    "https://omavero-palautukset.example/"
  ])("is suspicious whatever other words there are: %s", (url) => {
    assert.deepStrictEqual(ruled(url).slice(0, 2), [60, "brandLure"])
  })

  it.each([
    "https://steuerberater-elster.de/",
    "https://elster-hilfe.de/",
    "https://steuer-software-elster-hilfe.de/",
    "https://elster-vogelschutz.de/anmeldung",
    "https://ing-mueller.de/rechnung",
    "https://oauth.accounting.example/token",
    "https://wohning-betaling.nl/",
    "https://sbb-modellbahn.ch/",
    "https://posti-museo.fi/",
    "https://orange-county-delivery.example/",
    "https://apple-orchard-delivery.example/",
    "https://office-delivery.example/",
    "https://visa-fees.example/",
    "https://paypal-fee-calculator.example/",
    "https://paypal-gebuehren-rechner.example/",
    "https://paypal-gebuehrenrechner.example/",
    "https://outlook-signaturen-garten.example/",
    "https://docusign-signing.example/",
    "https://rabobank-privatebanking.example/",
    "https://accesorios-samsung-nintendo.example/",
    "https://accessoires-playstation.example/",
    "https://gmail-signaturegenerator.example/",
    "https://quickbooks-accountants.example/",
    "https://otto-sicherheitstechnik.example/",
    "https://vodafone-futurefund.example/",
    "https://gebuehrenfrei-mastercard.example/",
    "https://claude-checkpoints.example/",
    "https://claude-token-counter.example/",
    "https://fidelity-payment-calculator.example/",
    "https://visa-verlaengerung-thailand.example/",
    "https://renovar-visa.example/",
    "https://hmrc-tax-refund-calculator.example/",
    "https://finanzamt-rueckerstattung-rechner.example/",
    "https://sparkasse-konto.de/",
    "https://spk-garten.de/konto",
    "https://spk-museum-berlin.example/",
    "https://sparda-garten.de/",
    "https://ups-battery-support.example/",
    "https://ups-systems.example/",
    "https://start-ups-support.example/",
    "https://hacienda-hotel.example/reembolso",
    "https://tnt-fireworks.example/",
    "https://school-fees.example/pay",
    "https://docs.example.cc/fees",
    "https://facture.example/",
    "https://example.org/paypal-login"
  ])("is nothing without the brand or the word: %s", (url) => {
    assert.deepStrictEqual(ruled(url), [0])
  })
})

describe("the path and its files", () => {
  expectEach([
    ["https://example.com/photo.jpg\u202egnp.scr", 40, "disguisedFile"],
    ["https://example.com/summer.pdf.exe", 40, "disguisedFile"],
    ["https://example.com/a.hta", 40, "harmfulFile"],
    ["https://example.com/a.lnk", 40, "harmfulFile"],
    ["https://example.com/a.scr", 40, "harmfulFile"],
    ["https://example.com/a.iso", 0],
    ["https://example.com/a.js", 0],
    ["https://example.com/invoice.pdf.zip", 0],
    ["https://203.0.113.7/a.pdf.exe", 40, "disguisedFile", "ipHost"],
    ["https://evil.example/paypal.com/signin", 40, "brandDomainInPath", "brandInPath", "lureInPath"],
    ["https://203.0.113.7/paypal.com/signin", 40, "brandDomainInPath", "ipHost"],
    ["https://www.ebay.com/paypal.com/signin", 40, "brandDomainInPath"],
    ["https://www.paypal.com/paypal.com/signin", 0],
    ["https://example.com/status/paypal.com", 0],
    ["https://example.com/website/paypal.com", 0]
  ])
})

describe("an address that a URL carries", () => {
  const carrying = [
    "https://click.linksynergy.com/deeplink?murl=",
    "https://www.awin1.com/cread.php?ued=",
    "https://business.google.com/link?u=",
    "https://www.etsy.com/redirect?to=",
    "https://redirect.garden.example/r?x="
  ]
  const through = (url: string) => carrying.map((link) => link + encodeURIComponent(url))

  it.each(through("https://paypa1-secure.example/login"))("is judged in %s", (url) => {
    assert.deepStrictEqual(ruled(url), [60, "brandLure"])
    assert.deepStrictEqual(
      judged(modelOf({ feature: "brandInHost", threshold: 0.5, low: 0, high: 95 }), url),
      [65, "brandLure", "model"]
    )
  })

  it.each([
    ...through("https://paypal.com.evil.example/"),
    ...through("https://www.paypal.com@evil.example/"),
    ...through("https://sparkasse-pushtan.de/")
  ])("counts 65 at most: %s", (url) => {
    assert.strictEqual(ruled(url)[0], 65)
  })

  it.each([
    ...through("http://garden.example/login"),
    ...through("https://bit.ly/abc"),
    ...through("https://192.168.1.1/"),
    ...through("https://www.paypal.com/signin")
  ])("is nothing with less than 40: %s", (url) => {
    assert.deepStrictEqual(ruled(url), [0])
  })

  it("is not judged better than the URL itself", () => {
    assert.deepStrictEqual(ruled("https://paypal.com.evil.example/?next=https%3A%2F%2Fgarden.example%2F"), [
      70,
      "brandDomainInHost"
    ])
  })
})

describe("honest sites that look suspicious", () => {
  it.each([
    "https://1.1.1.1/",
    "https://8.8.8.8/",
    "https://9.9.9.9/",
    "https://www.microsoft.com.edgesuite.net/",
    "https://itunes.apple.com.edgekey.net/",
    "https://paypal.service-now.com/login.do",
    "https://netflix.wd1.myworkdayjobs.com/",
    "https://myjobdhl.earcu.com/",
    "https://amazon-portal.evpump.app/",
    "https://santander.kwh.fino.digital/",
    "https://h-santander.online-metrix.net/fp/tags.js"
  ])("%s is infrastructure: the model does not score it", (url) => {
    assert.deepStrictEqual(judged(modelOf(75), url), [0])
  })

  it.each([
    "https://dhlexpress.ee/",
    "https://dhlexpress.ro/",
    "https://telstrahealth.com/",
    "https://securemail-bbva.com/",
    "https://bbvanetcash.mx/",
    "https://dsp.amazon-logistics.com/",
    "https://bouyguestelecom-entreprises.fr/",
    "https://sucursalpersonas.transaccionesbancolombia.com/mua",
    "https://pay.mojdpd.si/",
    "https://www.jubilaris.shop/nl",
    "https://www.edf-renouvelables.com/",
    "https://www.paypal-status.com/",
    "https://www.pagibigfundservices.com/virtualpagibig/",
    "https://open-gw.palmpay-inc.com/",
    "https://h5.palmpay.app/",
    "https://sovcombank.group/",
    "https://gazprombank.investments/",
    "https://www.tbcbankgroup.com/",
    "https://bankofgeorgiagroup.com/",
    "https://track.kazpost.kz/",
    "https://www.produbanco.com/",
    "https://cdek.shopping/",
    "https://e-fibank.bg/"
  ])("%s is the brand's own: nothing scores it", (url) => {
    assert.deepStrictEqual(judged(modelOf(95), url), [0])
  })

  it.each(["https://gov.uk.statuspage.io/", "https://jobs.netflix.com.greenhouse.io/"])(
    "%s is a page of a firm at a service for firms: only the model scores it",
    (url) => {
      assert.deepStrictEqual(judged(modelOf(0), url), [0])
    }
  )

  it.each([
    "https://secure.dhlguestmanagement.com/",
    "https://www.ledger-enquirer.com/",
    "https://steamid.uk/",
    "https://ledgers.com/kingsville",
    "https://bancopromericaenlinea.com/bancaweb"
  ])("%s is a namesake's: nothing scores it", (url) => {
    assert.deepStrictEqual(judged(modelOf(95), url), [0])
  })

  it.each(["https://dex-trade.com/", "https://swap-exchange.com/", "https://ethersat.io/"])(
    "%s has no finding by the rules",
    (url) => {
      assert.deepStrictEqual(ruled(url), [0])
    }
  )

  it.each([
    "https://redir.inxmail-commerce.com/",
    "https://us4.list-manage.com/track/click?u=1b3f0a2c9d8e7f&id=ab12cd34ef&e=9f8e7d6c5b",
    "https://u1234567.ct.sendgrid.net/ls/click?upn=u001.abcDEF-2BGhi",
    "https://d2v8hf04.na1.hubspotlinks.com/Ctc/abc",
    "https://trk.klclick.com/ls/click?upn=abc",
    "https://link.mail.beehiiv.com/ls/click?upn=abc",
    "https://abcde.r.bh.d.sendibt3.com/tr/cl/abc",
    "https://r20.rs6.net/tn.jsp?f=001abc"
  ])("%s hides where it leads, and its look is not evidence", (url) => {
    assert.deepStrictEqual(judged(modelOf(95), url), [20, "shortener"])
  })

  it("the model scores the links of affiliate networks", () => {
    assert.include(judged(modelOf(95), "https://r.srvtrck.com/v1/redirect"), "model")
  })

  it.each([
    ["https://paypal-login.list-manage.com/subscribe?u=1", 60],
    ["https://sparkasse-pushtan.acemlna.com/lt.php?s=abc", 70],
    ["https://mandrillapp.com/track/click/30123456/paypal-login.example?p=eyJzIjoi", 60],
    ["https://click.pstmrk.it/3s/paypal-login.example%2Fsignin/abc/def", 60]
  ])(
    "a brand's name beside a word that asks decides at %s, where a mail service counts clicks",
    (url, score) => {
      assert.strictEqual(judged(silent, url)[0], score)
    }
  )

  it("a file that a customer of a mail service uploads is judged as any other", () => {
    assert.deepStrictEqual(judged(modelOf(75), "https://mcusercontent.com/0a1b2c/files/1/paper.html"), [
      75,
      "model"
    ])
  })
})

describe("rules that a review found missing", () => {
  it.each([
    ["whatsapp://send@nas/setup.lnk", "harmfulFile"],
    ["https://postbank-bestsign-freigabe.de/", "bankCodeLure"],
    ["https://credit-agricole-securipass.example/", "bankCodeLure"]
  ] as const)("%s has %s", (url, kind) => assert.include(judged(silent, url), kind))
})

describe("a popular site", () => {
  const isSite = (host: string) => host === "paypa1-secure.example" || host === "garden.example"

  it("has nothing about its name, whatever the model says of it", () => {
    const url = "https://paypa1-secure.example/login"
    assert.deepStrictEqual(judged(modelOf(75), url), [75, "brandLure", "lureInPath", "model"])
    assert.deepStrictEqual(judged(modelOf(75), url, isSite), [0])
    assert.deepStrictEqual(judged(modelOf(95), url, isSite), [0])
  })

  it("has what the writer of a link chooses", () => {
    assert.deepStrictEqual(judged(silent, "http://garden.example/a.pdf.exe", isSite), [
      40,
      "disguisedFile",
      "notHttps"
    ])
  })

  it("is asked about for each address of a URL by itself", () => {
    const asked: Array<string> = []
    const ask = (host: string) => {
      asked.push(host)
      return isSite(host)
    }
    const link = "https://garden.example/?next=https%3A%2F%2Fpaypal-login.example%2F"
    assert.deepStrictEqual(judged(modelOf(75), link, ask), [65, "brandLure", "model"])
    assert.deepStrictEqual(asked, ["garden.example", "paypal-login.example"])
  })
})

describe("a domain that is a brand's name under another suffix, or an edit of it", () => {
  const model = modelOf(95)
  const scoreOfModel = (url: string) =>
    findings(model, Submission.read(url, 0)).find(({ kind }) => kind === "model")?.points

  it.each([
    "https://netflix.co/",
    "https://www.netflix.example/",
    "https://netfilx.com/",
    "https://xn--socitgnrale-ebbbbb.com/",
    "https://ebay-kleinanzeigen.co/",
    "https://chase.cm/",
    "https://www.1password.cm/",
    "https://steamcommnity.ru/",
    "https://netflix.co/?id=1"
  ])("has at most 69 by the model: %s", (url) => {
    assert.strictEqual(scoreOfModel(url), 69)
  })

  it.each([
    "https://steamconmunnitj.ru/",
    "https://login.chase.cm/",
    "https://xn--chse-63d.cm/",
    "https://paypa1.com/login",
    "https://netfilx-login.com/",
    "https://login.netfilx.com/",
    "https://netfilx.top/",
    "https://netflix.weebly.com/",
    "https://netflix.top/",
    "https://netflix-help.example/",
    "https://netflix.example.com/",
    "https://netflix.co/account",
    "https://www.netfilx.com/account",
    "https://sncf-connect.co/login",
    "https://example.com/"
  ])("is not %s", (url) => {
    assert.strictEqual(scoreOfModel(url), 95)
  })
})

describe("a domain that is phishing by itself", () => {
  /** A bare domain has 75, any other URL nothing. */
  const ofBareDomains = modelOf({
    feature: "subdomainLength",
    threshold: 0.5,
    low: { feature: "pathLength", threshold: 1.5, low: 75, high: 0 },
    high: 0
  })

  it.each([
    ["https://mobile-garden.example/", 75],
    ["https://freedom.mobile-garden.example/", 40],
    ["https://news.freedom.mobile-garden.example/", 40],
    ["https://mobile-garden.example/docs/getting-started.html", 40],
    ["https://freedom.mobile-garden.example/docs/?lang=en", 40]
  ])("keeps 40 under any subdomain and path: %s has %i", (url, score) => {
    assert.strictEqual(judged(ofBareDomains, url)[0], score)
  })

  /** A domain with one label before it has 75, any other URL nothing. */
  const ofOneSubdomain = modelOf({
    feature: "subdomainLength",
    threshold: 0.5,
    low: 0,
    high: { feature: "subdomainLength", threshold: 7.5, low: 75, high: 0 }
  })

  it.each([
    ["https://amazon.shop-garden.example/", 75],
    ["https://docs.amazon.shop-garden.example/guide", 40],
    ["https://docs.guide.amazon.shop-garden.example/", 40],
    ["https://docs.amazon.www.shop-garden.example/guide", 40],
    ["https://shop-garden.example/guide", 0]
  ])("as does one with a label before it: %s has %i", (url, score) => {
    assert.strictEqual(judged(ofOneSubdomain, url)[0], score)
  })
})

describe("a new domain", () => {
  const newDomains = { isNew: (domain: string) => domain.startsWith("new"), days: 7 }
  const isSite = (host: string) => host === "new-daily.example"
  const found = (score: number, url: string) => {
    const { findings: shown, score: judgedScore } = Verdict.judge(
      findings(modelOf(score), Submission.read(url, 0), isSite, newDomains)
    )
    return [judgedScore, ...shown.map(({ kind }) => kind)]
  }

  it("adds to the value of the model, and is said before it", () => {
    assert.deepStrictEqual(found(40, "https://old.example/"), [40, "model"])
    assert.deepStrictEqual(found(40, "https://new.example/"), [65, "newDomain", "model"])
    assert.deepStrictEqual(found(20, "https://shop.new.example/"), [45, "newDomain", "model"])
  })

  it("never reaches 40 by itself", () => {
    const nearly = { ...silent, trees: { ...silent.trees, numbers: Float32Array.of(1.9) } }
    const scored = findings(nearly, Submission.read("https://new.example/", 0), isSite, newDomains)
    assert.deepStrictEqual(
      scored.map(({ kind, points }) => [kind, points]),
      [
        ["newDomain", 0],
        ["model", 39]
      ]
    )
    assert.deepStrictEqual(found(0, "https://new.example/"), [0])
  })

  it.each([
    ["a popular site", "https://new-daily.example/", 0],
    ["its subdomain, which counts as any other", "https://shop.new-daily.example/", 40],
    ["a shared host", "https://telegra.ph/new-page", 40],
    ["a hosting firm", "https://weebly.com/", 40],
    ["its customer", "https://new.weebly.com/", 40],
    ["the customer of a public suffix", "https://new.vercel.app/", 40],
    ["a brand's own host", "https://new.paypal.com/", 0]
  ])("says nothing about %s: %s", (_, url, score) => {
    const everything = { ...newDomains, isNew: () => true }
    const { findings: shown, score: judgedScore } = Verdict.judge(
      findings(modelOf(40), Submission.read(url, 0), isSite, everything)
    )
    assert.notInclude(
      shown.map(({ kind }) => kind),
      "newDomain"
    )
    assert.strictEqual(judgedScore, score)
  })

  it("is a sentence with the days of the list", () => {
    const [age] = findings(modelOf(40), Submission.read("https://new.example/", 0), isSite, newDomains)
    assert.strictEqual(age?.reason, "The address new.example was registered in the last 7 days")
    const [recently] = findings(modelOf(40), Submission.read("https://new.example/", 0), isSite, {
      ...newDomains,
      days: undefined
    })
    assert.strictEqual(recently?.reason, "The address new.example was registered recently")
  })
})

describe("the order of reasons", () => {
  it("has the model last, and named brands before words", () => {
    assert.deepStrictEqual(judged(modelOf(90), "http://paypal-info.example.top/login"), [
      90,
      "brandInSubdomain",
      "notHttps",
      "lureInPath",
      "abusedSuffix",
      "model"
    ])
    assert.deepStrictEqual(judged(modelOf(90), "https://garden.example/"), [90, "model"])
  })
})

const heuristicsWith = (model: Model, newDomains: Option.Option<NewDomainsShape>) =>
  Heuristics.pipe(
    Effect.provide(
      Layer.provide(Heuristics.layer, [
        Layer.succeed(ConfiguredModel, model),
        Layer.succeed(PopularSites, { isSite: (host) => host === "paypa1.example", isOnSite: () => false }),
        Layer.succeed(NewDomains, newDomains),
        Layer.provide(
          AppConfig.layer,
          Layer.setConfigProvider(
            ConfigProvider.fromMap(new Map([["CHECKER_TIMEOUT", "700 millis"]]), { pathDelim: "_" })
          )
        )
      ])
    )
  )

describe("the checker", () => {
  it.effect("has the configured budget, is never stale, and asks about popular sites", () =>
    Effect.gen(function* () {
      const { budget, check, id } = yield* heuristicsWith(silent, Option.none())
      const kindsOf = (url: string) =>
        Effect.map(check(Submission.read(url, 0)), ({ findings, stale }) => [
          stale,
          ...findings.map(({ kind }) => kind)
        ])
      assert.strictEqual(id, "heuristics")
      assert.isTrue(Duration.equals(budget, Duration.millis(700)))
      assert.deepStrictEqual(yield* kindsOf("https://micros0ft.example/"), [false, "brandHomograph"])
      assert.deepStrictEqual(yield* kindsOf("https://paypa1.example/"), [false])
    })
  )

  it.effect("asks about new domains at the time at which the submission was received", () =>
    Effect.gen(function* () {
      const isNew = (domain: string, now: number) => domain === "new.example" && now === 7000
      const isMissing = (now: number) => now === 9000
      const { check } = yield* heuristicsWith(modelOf(40), Option.some({ days: 30, isNew, isMissing }))
      const kindsAt = (time: number) =>
        Effect.map(check(Submission.read("https://new.example/", time)), ({ findings }) =>
          findings.map(({ kind }) => kind)
        )
      assert.deepStrictEqual(yield* kindsAt(7000), ["newDomain", "model"])
      assert.deepStrictEqual(yield* kindsAt(8000), ["model"])
      const isStale = (time: number) =>
        Effect.map(check(Submission.read("https://new.example/", time)), ({ stale }) => stale)
      assert.deepStrictEqual(yield* Effect.all([isStale(8000), isStale(9000)]), [false, true])
    })
  )
})

const piece = FastCheck.oneof(
  FastCheck.string({ unit: anyCharacter, maxLength: 40 }),
  FastCheck.constantFrom(
    ...[
      "https://",
      "http://",
      "//",
      "@",
      ":",
      ".",
      "-",
      "/",
      "?",
      "#",
      "%25",
      "%2e",
      "[",
      "]",
      "xn--",
      "\u202e"
    ],
    ...[
      "paypal",
      "paypa1",
      ".com",
      "login",
      ".top",
      ".weebly.com",
      "203.0.113.7",
      "localhost",
      "\u0430",
      "exe"
    ]
  )
)
const hostile = FastCheck.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""))

const all = (submitted: string) => findings(fifty, Submission.read(submitted, 0))

describe("for every string", () => {
  const MAX_REASON_CHARS = 250
  const MAX_REASONS = 20

  it("there are few, short, printable reasons, each kind once about an address", () => {
    FastCheck.assert(
      FastCheck.property(hostile, (submitted) => {
        const found = all(submitted)
        const keys = found.map(({ addressIndex = 0, kind }) => `${addressIndex} ${kind}`)
        assert.strictEqual(new Set(keys).size, keys.length)
        assert.isAtMost(found.length, MAX_REASONS)
        for (const { kind, points, reason } of found) {
          assert.property(kindRows, kind)
          assert.match(reason, /^[\x20-\x7e\u2026]+$/)
          assert.isAtMost(reason.length, MAX_REASON_CHARS)
          assert.isTrue(Number.isInteger(points) && points >= 0 && points <= 95)
        }
        if (found.some(({ kind }) => kind === "malformed")) assert.lengthOf(found, 1)
      }),
      { numRuns: runs(3000) }
    )
  })

  it("it is said that a web address is not HTTPS", () => {
    FastCheck.assert(
      FastCheck.property(hostile, (submitted) => {
        const url = CanonicalUrl.parse(submitted)
        const isPlain = Either.isRight(url) && url.right.scheme !== "https"
        assert.strictEqual(
          all(submitted).some(({ kind }) => kind === "notHttps"),
          isPlain
        )
      }),
      { numRuns: runs(1000) }
    )
  })

  it("what explains is there only beside a score of 20 or more about the same address", () => {
    FastCheck.assert(
      FastCheck.property(hostile, FastCheck.constantFrom(0, 20, 50), (submitted, score) => {
        const url = CanonicalUrl.parse(submitted)
        if (Either.isLeft(url)) return
        const found = findingsOf(modelOf(score), url.right)
        if (found.some(({ points }) => points === 0)) assert.isTrue(found.some(({ points }) => points >= 20))
      }),
      { numRuns: runs(500) }
    )
  })

  it("no path and query make an honest host phishing by rules", () => {
    const segments = FastCheck.array(
      FastCheck.oneof(
        piece,
        FastCheck.constantFrom(
          ..."paypal.com signin invoice.pdf.exe a.lnk wp-includes x@paypal.com https://paypal.com.evil.example/".split(
            " "
          )
        )
      ),
      { maxLength: 12 }
    ).map((pieces) => pieces.join("/"))
    const honest = FastCheck.constantFrom(
      ..."example.com www.apple-farm-bakery.com someone.github.io my-login.vercel.app telegra.ph sites.google.com sparkasse-example.de 1cloud.ru".split(
        " "
      )
    )
    FastCheck.assert(
      FastCheck.property(honest, segments, (host, rest) => {
        assert.isBelow(Number(ruled(`https://${host}/${rest}`)[0]), 70)
      }),
      { numRuns: runs(2000) }
    )
  })

  it("64 KiB are accepted, and long quotations cut", () => {
    const size = 64 * 1024
    for (const repeated of ["a.", "paypal-", "xn--a.", "login/", "http://", "%25", "@", "1a", "\u0430."])
      all(`https://${repeated.repeat(size / repeated.length)}`)
    const [{ reason } = assert.fail()] = all(`https://${"a".repeat(60)}.paypal-login.example/`)
    assert.match(reason, /^The address \u2026a{39}\.paypal-login\.example uses the name PayPal /)
  })
})
