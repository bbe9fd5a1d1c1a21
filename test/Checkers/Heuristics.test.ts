import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Either, FastCheck, Layer } from "effect"
import { ConfiguredModel } from "../../src/Checkers/Heuristics/ConfiguredModel.ts"
import * as ModelFile from "../../src/Checkers/Heuristics/Model/ModelFile.ts"
import { findings, Heuristics } from "../../src/Checkers/Heuristics.ts"
import { kinds as kindRows } from "../../src/Checkers/Kinds.ts"
import * as Verdict from "../../src/Checkers/Verdict.ts"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import * as CanonicalUrl from "../../src/Url/CanonicalUrl.ts"
import * as Submission from "../../src/Url/Submission.ts"
import { runs } from "../fixtures/Seed.ts"

const environment = new Map([["CHECKER_TIMEOUT", "700 millis"]])

/** Built once, because it reads the weights. */
const heuristics = Effect.runSync(
  Effect.cached(
    Heuristics.pipe(
      Effect.provide(
        Layer.provide(
          Layer.provide(Heuristics.layer, ConfiguredModel.layer),
          Layer.provide(
            AppConfig.layer,
            Layer.setConfigProvider(ConfigProvider.fromMap(environment, { pathDelim: "_" }))
          )
        )
      )
    )
  )
)

const check = (submitted: string) =>
  Effect.flatMap(heuristics, (checker) => checker.check(Submission.read(submitted, 0)))

/** Score and reasons of the signals alone: the model's part depends on its weights. */
const scored = (submitted: string) =>
  Effect.map(check(submitted), ({ findings }) => {
    const signals = findings.filter(({ kind }) => !kind.startsWith("model"))
    return { score: Verdict.score(signals), reasons: signals.map(({ reason }) => reason) }
  })

const NOT_HTTPS = "URL is not HTTPS"
const FORBIDDEN = "names a site that cannot exist"
const notAddress = (why: string) => `This is not a web address: ${why}`

/** Each row: the submitted URL, its score, its reasons. */
type Expectation = readonly [url: string, score: number, ...reasons: ReadonlyArray<string>]

const expectEach = (rows: ReadonlyArray<Expectation>) => {
  for (const [url, score, ...reasons] of rows)
    it.effect(`${url.length > 100 ? `${url.slice(0, 100)}...` : url} is worth ${score}`, () =>
      Effect.map(scored(url), (result) => assert.deepStrictEqual(result, { score, reasons }))
    )
}

describe("a string that is no web URL", () => {
  expectEach([
    ["", 40, notAddress("it names no site")],
    [
      `https://${"a.".repeat(8000)}com${"/paypal.com".repeat(16)}`,
      40,
      notAddress(`"https://${"a.".repeat(26)}…" ${FORBIDDEN}`)
    ],
    [
      `https://paypal.com@${"a.".repeat(1000)}com`,
      40,
      notAddress(`"https://...@${"a.".repeat(24)}…" ${FORBIDDEN}`)
    ],
    [`https://${"a".repeat(64)}.example/`, 40, notAddress(`"https://${"a".repeat(52)}…" ${FORBIDDEN}`)],
    ["whatsapp://send?text=x", 10, NOT_HTTPS],
    [
      "ftp://192.168.0.1/x",
      25,
      "The address 192.168.0.1 is on a private network or on your own device, not on the Internet",
      NOT_HTTPS
    ],
    ["http://", 40, notAddress('"http://" names no site')],
    ["https:///?q=1", 40, notAddress('"https:///..." names no site')],
    ["https://exa mple.com/", 40, notAddress(`"https://exa mple.com/" ${FORBIDDEN}`)],
    [
      "http://someone:secret@exa mple.com/login?token=secret#secret",
      40,
      notAddress(`"http://...@exa mple.com/login..." ${FORBIDDEN}`)
    ],
    [
      "https%3A%2F%2Fsomeone:secret%40exa<mple.com%3Fsecret",
      40,
      notAddress(`"...%40exa<mple.com..." ${FORBIDDEN}`)
    ],
    ["http://paypal<b>.example/login", 40, notAddress(`"http://paypal<b>.example/login" ${FORBIDDEN}`)],
    ["https://example.com:99999/", 40, notAddress(`"https://example.com:99999/" ${FORBIDDEN}`)],
    [
      "javascript:alert(1)",
      40,
      'The link begins with "javascript:": it contains a program or a page instead of leading to one'
    ],
    [
      "data:text/html,<h1>x</h1>",
      40,
      'The link begins with "data:": it contains a program or a page instead of leading to one'
    ],
    [
      "VBScript:MsgBox(1)",
      40,
      'The link begins with "vbscript:": it contains a program or a page instead of leading to one'
    ],
    ["mailto:someone@example.com", 10, 'The link begins with "mailto:", so it does not lead to a web page'],
    ["tel:+15550100", 10, 'The link begins with "tel:", so it does not lead to a web page'],
    ["ftp://example.com/readme", 10, NOT_HTTPS]
  ])
})

describe("plain HTTP", () => {
  expectEach([
    ["http://example.com/", 10, NOT_HTTPS],
    ["example.com", 10, NOT_HTTPS],
    ["example.com:8080/x", 10, NOT_HTTPS],
    ["HTTPS://EXAMPLE.COM/", 0]
  ])
})

describe("an ordinary HTTPS URL has no reason", () => {
  expectEach([
    ["https://example.com/", 0],
    ["https://example.com/login", 0],
    ["https://www.example.co.uk/account/verify?next=/secure/password", 0],
    ["https://login.bank.example/online-banking/signin.php", 0],
    ["https://example.org/news/2026/paypal-phishing-wave-hits-customers", 0],
    ["https://example.org/wiki/PayPal", 0],
    ["https://pineapple.example/", 0],
    ["https://apple.example/", 0],
    ["https://orange-county.example/", 0],
    ["https://discard.example/", 0],
    ["https://example.com/?ref=paypal.com", 0],
    ["https://login.example.com/?next=https%3A%2F%2Fwww.example.com%2Faccount", 0],
    ["https://someone.github.io/", 0],
    ["https://someone.weebly.com/recipes", 0],
    ["https://someone.notion.site/recipes", 0],
    ["https://paypal.zendesk.com/hc/account", 0],
    ["https://google.github.io/styleguide/", 0],
    ["https://youtu.be/abc", 0]
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

describe("the pages of well-known sites have no reason", () => {
  expectEach(wellKnown.map((url) => [url, 0] as const))
})

describe("the host", () => {
  expectEach([
    ["https://203.0.113.7/", 20, "The address 203.0.113.7 is only a number, not a name"],
    [
      "http://0xcb007107/x.exe",
      45,
      "The address 203.0.113.7 is only a number, not a name",
      "The address opens a program, or a document that can contain one (.exe)",
      NOT_HTTPS
    ],
    ["https://[2001:db8::7]/", 20, "The address [2001:db8::7] is only a number, not a name"],
    [
      "http://198.51.100.7/paypal/login",
      60,
      "The address 198.51.100.7 is only a number, not a name",
      'The address of the page has a word that phishing often uses ("login")',
      "The address of the page uses the name PayPal; the real site is paypal.com",
      NOT_HTTPS
    ],
    [
      "http://192.168.1.1/",
      25,
      "The address 192.168.1.1 is on a private network or on your own device, not on the Internet",
      NOT_HTTPS
    ],
    [
      "https://127.0.0.1/",
      15,
      "The address 127.0.0.1 is on a private network or on your own device, not on the Internet"
    ],
    [
      "https://169.254.169.254/",
      15,
      "The address 169.254.169.254 is on a private network or on your own device, not on the Internet"
    ],
    [
      "https://[::1]/",
      15,
      "The address [::1] is on a private network or on your own device, not on the Internet"
    ],
    [
      "https://[fd00::1]/",
      15,
      "The address [fd00::1] is on a private network or on your own device, not on the Internet"
    ],
    [
      "https://[fe80::1]/",
      15,
      "The address [fe80::1] is on a private network or on your own device, not on the Internet"
    ],
    [
      "https://localhost/",
      15,
      "The address localhost is on a private network or on your own device, not on the Internet"
    ],
    [
      "https://intranet/",
      15,
      "The address intranet is on a private network or on your own device, not on the Internet"
    ],
    [
      "https://printer.local/",
      15,
      "The address printer.local is on a private network or on your own device, not on the Internet"
    ],
    [
      "https://paypal.corp.internal/",
      15,
      "The address paypal.corp.internal is on a private network or on your own device, not on the Internet"
    ],
    [
      "https://nas.lan/",
      15,
      "The address nas.lan is on a private network or on your own device, not on the Internet"
    ],
    [
      "http://www.b\u00fccher.example/",
      20,
      'The name "xn--bcher-kva" stands for characters other than a to z, which can look like ordinary letters',
      NOT_HTTPS
    ],
    [
      "https://\u0431ank.example/",
      30,
      'The name "xn--ank-9cd" mixes Latin and Cyrillic letters, some of which look the same'
    ],
    ["https://bit.ly/abc", 15, "The address bit.ly shortens links, which hides where this one leads"],
    ["https://shop.example.top/", 20, 'Addresses that end in ".top" are often used for phishing'],
    [
      "https://nas.duckdns.org/",
      20,
      "The name of the site is from duckdns.org, which gives names to anyone's computer"
    ],
    [
      "https://login.example.com.evil.example/",
      55,
      'The address shows "example.com", but belongs to evil.example',
      'The address of the site has a word that phishing often uses ("login")'
    ],
    ["https://shop.co.jp.evil.example/", 30, 'The address shows "shop.co.jp", but belongs to evil.example'],
    [
      "https://example.com-track.example/",
      30,
      'The address shows "example.com", but belongs to com-track.example'
    ],
    ["https://www.example.com.proxy.university.edu/", 0]
  ])
})

describe("a host of the user's own network", () => {
  const isPrivate = (host: string) =>
    `The address ${host} is on a private network or on your own device, not on the Internet`
  describe("may have any name, port and path", () => {
    expectEach([
      ["https://login.corp.internal/", 15, isPrivate("login.corp.internal")],
      ["https://verify-account.local/", 15, isPrivate("verify-account.local")],
      ["https://a.b.c.d.example.lan/", 15, isPrivate("a.b.c.d.example.lan")],
      ["http://localhost:3000/login?mail=someone@example.com", 25, isPrivate("localhost"), NOT_HTTPS],
      ["http://192.168.1.1/paypal/verify/setup.exe", 25, isPrivate("192.168.1.1"), NOT_HTTPS]
    ])
  })

  describe("may not be disguised as another host", () => {
    expectEach([
      [
        "http://www.example.com@192.168.1.1/",
        65,
        isPrivate("192.168.1.1"),
        'The address looks like "www.example.com", but leads to 192.168.1.1',
        NOT_HTTPS
      ]
    ])
  })
})

describe("user info, port, path and query", () => {
  expectEach([
    [
      "https://user:secret@example.com/",
      25,
      "The address has a user name in front of its site, example.com, which can mislead readers"
    ],
    [
      "https://first.last@example.com/",
      25,
      "The address has a user name in front of its site, example.com, which can mislead readers"
    ],
    [
      "https://www.example.com@evil.example/",
      40,
      'The address looks like "www.example.com", but leads to evil.example'
    ],
    [
      "https://www.paypal.com@evil.example/",
      70,
      'The address is made to look like "www.paypal.com", but leads to evil.example'
    ],
    [
      "https://PayPal.com:secret@evil.example/",
      70,
      'The address is made to look like "paypal.com", but leads to evil.example'
    ],
    [
      "https://paypal.com%E2%88%95signin@evil.example/",
      70,
      'The address is made to look like "paypal.com", but leads to evil.example'
    ],
    [
      "https://paypal.com@www.paypal.com/",
      40,
      'The address looks like "paypal.com", but leads to www.paypal.com'
    ],
    ["http://example.com:8081/", 10, NOT_HTTPS],
    [
      "http://example.com/setup.MSI",
      25,
      "The address opens a program, or a document that can contain one (.msi)",
      NOT_HTTPS
    ],
    ["http://example.com/invoice.pdf.zip", 10, NOT_HTTPS],
    ["https://example.com/script.js", 0]
  ])
})

describe("a signal that is more frequent on ordinary pages than on reported ones", () => {
  describe("is no finding alone", () => {
    expectEach([
      ["https://example.com/setup.msi", 0],
      ["https://example.com/linux.iso", 0],
      ["https://modern-table-729055.example/", 0],
      ["https://www.b\u00fccher.example/", 0]
    ])
  })

  describe("is a finding beside another signal", () => {
    expectEach([
      [
        "https://203.0.113.7/setup.msi",
        35,
        "The address 203.0.113.7 is only a number, not a name",
        "The address opens a program, or a document that can contain one (.msi)"
      ],
      [
        "http://example.com/linux.iso",
        25,
        "The address opens a program, or a document that can contain one (.iso)",
        NOT_HTTPS
      ],
      [
        "https://bit.ly/linux.iso",
        30,
        "The address bit.ly shortens links, which hides where this one leads",
        "The address opens a program, or a document that can contain one (.iso)"
      ],
      [
        "https://paypal-2fa.example/",
        60,
        "The address paypal-2fa.example uses the name PayPal; the real one is paypal.com",
        'The address of the site has a word that phishing often uses ("2fa")'
      ]
    ])
  })
})

describe("a brand's name on a host that is not the brand's", () => {
  const names = (name: string, host: string, owner: string) =>
    `The address ${host} uses the name ${name}; the real one is ${owner}`
  const copies = (name: string, host: string, owner: string) =>
    `The address ${host} is spelled to look like ${name}; the real one is ${owner}`
  const imitates = (name: string, host: string, owner: string) =>
    `The address ${host} imitates ${name}; the real one is ${owner}`
  const contains = (name: string, host: string, owner: string) =>
    `The address ${host} is made to look like ${name}; the real one is ${owner}`
  expectEach([
    ["https://paypal-info.example/", 35, names("PayPal", "paypal-info.example", "paypal.com")],
    ["https://mypaypal77.example/", 35, names("PayPal", "mypaypal77.example", "paypal.com")],
    ["https://wells-fargo.example/", 35, names("Wells Fargo", "wells-fargo.example", "wellsfargo.com")],
    ["https://paypa1.example/", 70, copies("PayPal", "paypa1.example", "paypal.com")],
    ["https://micros0ft.example/", 70, copies("Microsoft", "micros0ft.example", "microsoft.com")],
    ["https://arnazon.example/", 70, copies("Amazon", "arnazon.example", "amazon.com")],
    ["https://paypa1-info.example/", 35, imitates("PayPal", "paypa1-info.example", "paypal.com")],
    ["https://netfilx.example/", 35, imitates("Netflix", "netfilx.example", "netflix.com")],
    [
      "https://p\u0430yp\u0430l.example/",
      100,
      'The name "xn--pypl-53dc" mixes Latin and Cyrillic letters, some of which look the same',
      copies("PayPal", "xn--pypl-53dc.example", "paypal.com")
    ],
    [
      "https://\u0430\u0440\u0440\u04cf\u0435.example/",
      80,
      'The name "xn--80ak6aa92e" stands for characters other than a to z, which can look like ordinary letters',
      copies("Apple", "xn--80ak6aa92e.example", "apple.com")
    ],
    ["https://paypal.com.evil.example/", 40, contains("PayPal", "paypal.com.evil.example", "paypal.com")],
    ["https://paypal-com.evil.example/", 40, contains("PayPal", "paypal-com.evil.example", "paypal.com")],
    [
      "https://paypal.com-refund.example/",
      65,
      contains("PayPal", "paypal.com-refund.example", "paypal.com"),
      'The address of the site has a word that phishing often uses ("refund")'
    ],
    [
      "https://paypal.evil.example/",
      30,
      "The address paypal.evil.example borrows the name PayPal; the real one is paypal.com"
    ],
    [
      "https://paypal.example.top/",
      50,
      'Addresses that end in ".top" are often used for phishing',
      "The address paypal.example.top borrows the name PayPal; the real one is paypal.com"
    ],
    [
      "https://orchard-paypal.example/",
      20,
      "The address orchard-paypal.example contains the name PayPal; the real one is paypal.com"
    ],
    [
      "https://203.0.113.7/paypa1/apple/why-paypal-grew",
      20,
      "The address 203.0.113.7 is only a number, not a name"
    ],
    [
      "https://apple.example.top/",
      45,
      'Addresses that end in ".top" are often used for phishing',
      "The address apple.example.top uses the name Apple; the real one is apple.com"
    ],
    [
      "https://paypal.example.top/netflix",
      50,
      'Addresses that end in ".top" are often used for phishing',
      "The address paypal.example.top borrows the name PayPal; the real one is paypal.com"
    ],
    [
      "https://apple-support.example/",
      60,
      names("Apple Support", "apple-support.example", "apple.com"),
      'The address of the site has a word that phishing often uses ("support")'
    ]
  ])
})

describe("lure words count only beside another signal", () => {
  expectEach([
    [
      "https://secure-login.example/",
      25,
      'The name of the site has words that phishing often uses ("secure", "login")'
    ],
    ["https://secure.example/login", 0],
    ["https://example.support/", 20, 'Addresses that end in ".support" are often used for phishing'],
    [
      "https://shop.example.top/login",
      30,
      'Addresses that end in ".top" are often used for phishing',
      'The address of the page has a word that phishing often uses ("login")'
    ],
    [
      "https://someone.weebly.com/konto/anmelden",
      25,
      'The address of the page has words that phishing often uses ("konto", "anmelden")',
      "The page is on weebly.com, where anyone can publish for free"
    ],
    [
      "https://verify-account.pages.dev/",
      25,
      'The address of the site has words that phishing often uses ("verify", "account")'
    ],
    [
      "https://paypal-login.weebly.com/",
      75,
      "The address paypal-login.weebly.com uses the name PayPal; the real one is paypal.com",
      'The address of the site has a word that phishing often uses ("login")',
      "The page is on weebly.com, where anyone can publish for free"
    ],
    [
      "https://sites.google.com/view/paypal-login",
      45,
      'The address of the page has a word that phishing often uses ("login")',
      "The address of the page uses the name PayPal; the real site is paypal.com",
      "The page is on sites.google.com, where anyone can publish for free"
    ]
  ])
})

describe("tricks", () => {
  const copies = (name: string, host: string, owner: string) =>
    `The address ${host} is spelled to look like ${name}; the real one is ${owner}`
  const international = (label: string) =>
    `The name "${label}" stands for characters other than a to z, which can look like ordinary letters`
  const disguised = (file: string) =>
    `The file "${file}" looks like a document or a picture, but is or contains a program`
  const harmful = (file: string) =>
    `The file "${file}" starts a program when opened, and honest sites rarely offer such files`
  const uses = (name: string, host: string, owner: string) =>
    `The address ${host} uses the name ${name}; the real one is ${owner}`
  const lure = (where: string, ...words: ReadonlyArray<string>) =>
    `The address of the ${where} has ${words.length === 1 ? "a word" : "words"} that phishing often uses (${words.map((word) => `"${word}"`).join(", ")})`

  describe("with characters that look alike", () => {
    expectEach([
      [
        "https://\u0262oogle.com",
        80,
        international("xn--oogle-wmc"),
        copies("Google", "xn--oogle-wmc.com", "google.com")
      ],
      ["https://rnicrosoft.com", 70, copies("Microsoft", "rnicrosoft.com", "microsoft.com")],
      ["https://paypa1.com", 70, copies("PayPal", "paypa1.com", "paypal.com")],
      ["https://g00gle.com", 70, copies("Google", "g00gle.com", "google.com")],
      [
        "https://\u0430pple.com",
        100,
        'The name "xn--pple-43d" mixes Latin and Cyrillic letters, some of which look the same',
        copies("Apple", "xn--pple-43d.com", "apple.com")
      ],
      ["https://p\u200baypa1\u3002com/", 70, copies("PayPal", "paypa1.com", "paypal.com")],
      ["https://%70aypa1.c\tom/", 70, copies("PayPal", "paypa1.com", "paypal.com")],
      ["https://1cloud.ru", 0],
      ["https://7mobile.de/login", 0],
      ["https://paypall.com/", 35, "The address paypall.com imitates PayPal; the real one is paypal.com"],
      ["https://xn--mnchen-orange-2ob.example/", 0]
    ])
  })

  describe("with the accents that the name has", () => {
    expectEach([
      ["https://vak\u0131fbank.com/", 0],
      ["https://yap\u0131kredi.com.tr/", 0],
      ["https://telef\u00f3nica.es/", 0],
      ["https://www.cr\u00e9ditmutuel.fr/", 0],
      [
        "https://cr\u00e9ditmutuel.com/",
        45,
        international("xn--crditmutuel-cbb"),
        uses("Credit Mutuel", "xn--crditmutuel-cbb.com", "creditmutuel.fr")
      ]
    ])
  })

  describe("with another suffix", () => {
    expectEach([
      ["https://paypal.cm", 35, uses("PayPal", "paypal.cm", "paypal.com")],
      ["https://paypal.co", 35, uses("PayPal", "paypal.co", "paypal.com")],
      ["https://paypal.de", 0],
      ["https://google.cm", 0]
    ])
  })

  describe("with an abbreviation and a lure word", () => {
    expectEach([
      ["https://irs-refund.us", 50, uses("IRS", "irs-refund.us", "irs.gov"), lure("site", "refund")],
      ["https://irs-tax-refund.us", 50, uses("IRS", "irs-tax-refund.us", "irs.gov"), lure("site", "refund")],
      [
        "https://refund-irs.example",
        50,
        uses("IRS", "refund-irs.example", "irs.gov"),
        lure("site", "refund")
      ],
      ["https://ups-systems.example", 0],
      ["https://ups-and-downs-support.example", 0],
      ["https://start-ups-support.example", 0],
      ["https://irsrefund.example", 0]
    ])
  })

  describe("with files", () => {
    expectEach([
      ["https://example.com/invoice.pdf.exe", 40, disguised("invoice.pdf.exe")],
      [
        "https://example.com/photo.jpg\u202egnp.scr",
        40,
        'The file "photo.jpg%E2%80%AEgnp.scr" has a name written partly backwards, which hides that it is or contains a program'
      ],
      [
        "https://example.com/get?id=secret&file=invoice.pdf.exe",
        40,
        'The file that the address names ends in ".pdf.exe": it looks like a document or a picture, but is or contains a program'
      ],
      ["https://example.com/a.hta", 40, harmful("a.hta")],
      ["https://example.com/a.lnk", 40, harmful("a.lnk")],
      ["https://example.com/a.scr", 40, harmful("a.scr")],
      ["https://example.com/a.iso", 0],
      ["https://example.com/a.js", 0],
      ["https://example.com/a.exe", 0],
      [
        "https://203.0.113.7/a.iso",
        35,
        "The address 203.0.113.7 is only a number, not a name",
        "The address opens a program, or a document that can contain one (.iso)"
      ],
      [
        "https://203.0.113.7/a.pdf.exe",
        59,
        "The address 203.0.113.7 is only a number, not a name",
        disguised("a.pdf.exe")
      ],
      [`https://example.com/${"a".repeat(80)}.lnk`, 40, harmful(`\u2026${"a".repeat(56)}.lnk`)]
    ])
  })

  describe("with a brand's domain in the path", () => {
    const shows = (host: string) =>
      `The address shows "paypal.com" before a page that asks to sign in, but belongs to ${host}`
    expectEach([
      ["https://evil.example/paypal.com/signin", 40, shows("evil.example")],
      [
        "https://203.0.113.7/paypal.com/signin",
        59,
        "The address 203.0.113.7 is only a number, not a name",
        lure("page", "signin"),
        "The address of the page uses the name PayPal; the real site is paypal.com",
        shows("203.0.113.7")
      ],
      ["https://www.ebay.com/paypal.com/signin", 40, shows("www.ebay.com")],
      ["https://www.paypal.com/paypal.com/signin", 0],
      ["https://example.com/status/paypal.com", 0],
      ["https://example.com/website/paypal.com", 0]
    ])
  })

  describe("on a site where everybody can write", () => {
    const onTelegraph = "The page is on telegra.ph, where anyone can publish for free"
    expectEach([
      [
        "https://telegra.ph/paypal-login-01-01",
        45,
        lure("page", "login"),
        "The address of the page uses the name PayPal; the real site is paypal.com",
        onTelegraph
      ],
      ["https://telegra.ph/Notes-on-gardening-11-20", 0],
      ["https://telegra.ph/How-I-lost-my-paypal-account-11-20", 25, lure("page", "account"), onTelegraph]
    ])
  })

  describe("before the host", () => {
    const madeToLook = (shown: string) =>
      `The address is made to look like "${shown}", but leads to evil.example`
    expectEach([
      ["https://paypal.com@evil.example/login", 70, madeToLook("paypal.com"), lure("page", "login")],
      ["https://accounts.google.com@evil.example/", 70, madeToLook("accounts.google.com")],
      ["https://paypal.com.@evil.example/", 70, madeToLook("paypal.com")],
      ["https://booking.com@evil.example/", 70, madeToLook("booking.com")],
      ["https://\uff50\uff41\uff59\uff50\uff41\uff4c.com@evil.example/", 70, madeToLook("paypal.com")],
      [
        "https://user@example.com/",
        25,
        "The address has a user name in front of its site, example.com, which can mislead readers"
      ]
    ])
  })

  describe("with the name that savings banks share", () => {
    const sparkasse = (host: string) => uses("Sparkasse", host, "sparkasse.de")
    expectEach([
      ["https://sparkasse-push-tan.de", 35, sparkasse("sparkasse-push-tan.de")],
      ["https://sparkasse-pushtan.de", 60, sparkasse("sparkasse-pushtan.de"), lure("site", "pushtan")],
      ["https://sparkasse-koelnbonn.de/login", 0],
      ["https://www.sparkasse-hannover.de/", 0],
      ["https://sparkasse-banking.example.de/", 0],
      ["https://banking.sparkasse-example.de/login", 0],
      ["https://www.kreissparkasse-koeln.de/de/home/login.html", 0]
    ])
  })
})

describe("a bank's name beside its confirmation codes and another lure word", () => {
  it.effect.each([
    "https://sparkasse-pushtan-verlaengern.com/login",
    "https://sparkasse-kundenservice-tan.de/",
    "https://sparkasse.kundenservice-tan.de/",
    "https://sparkasse-tan.de/login",
    "https://volksbank-tan-update.de/login",
    "https://volksbank-securego-reaktivieren.de/",
    "https://commerzbank-phototan-aktualisierung.example/"
  ])("is phishing: %s", (url) =>
    Effect.map(check(url), ({ findings }) => {
      const signals = findings.filter(({ kind }) => !kind.startsWith("model"))
      assert.include(
        signals.map(({ kind }) => kind),
        "bankCodeLure"
      )
      assert.strictEqual(Verdict.verdict(Verdict.score(signals)), "phishing")
    })
  )

  it.effect.each([
    "https://sparkasse-push-tan.de/",
    "https://sparkasse-koelnbonn.de/login/pushtan",
    "https://banking.sparkasse-prignitz.de/tan/login",
    "https://onlinebanking-raiffeisenbank-regenstauf.de/login",
    "https://amazon-tan.example/login",
    "https://paypal-clone-tan-six.vercel.app/login",
    "https://restaurant-tan.example/login"
  ])("is not, without one of the three or on free hosting: %s", (url) =>
    Effect.map(check(url), ({ findings }) =>
      assert.notInclude(
        findings.map(({ kind }) => kind),
        "bankCodeLure"
      )
    )
  )
})

describe("an everyday name beside a word that fits its sector", () => {
  const kindsOf = (url: string) => Effect.map(check(url), ({ findings }) => findings.map(({ kind }) => kind))

  it.effect.each([
    "https://elster-steuer-rueckerstattung.de/",
    "https://elster-rueckerstattung.de/portal",
    "https://elster-r\u00fcckerstattung.de/",
    "https://ing-beveiligd-inloggen.nl/",
    "https://sbb-ticket-erstattung.ch.top/",
    "https://posti-lahetys.fi/",
    "https://gls-sendung.example/",
    "https://orange-facture.example/",
    "https://caf-remboursement.fr/",
    "https://aeat-devolucion.example/",
    "https://inps-rimborso.example/",
    "https://skat-tilbagebetaling.dk/",
    "https://tulli-maksu.fi/",
    "https://ptt-kargo-teslimat.example/",
    "https://podatki-zwrot.pl/"
  ])("is meant as the brand's: %s", (url) =>
    Effect.gen(function* () {
      assert.include(yield* kindsOf(url), "everydayBrand")
      assert.isAtLeast((yield* scored(url)).score, 40)
    })
  )

  it.effect.each([
    "https://steuerberater-elster.de/",
    "https://elster-hilfe.de/",
    "https://steuer-software-elster-hilfe.de/",
    "https://elster-vogelschutz.de/anmeldung",
    "https://weisse-elster-zahlung.de/",
    "https://ing-mueller.de/rechnung",
    "https://oauth.accounting.example/token",
    "https://wohning-betaling.nl/",
    "https://sbb-modellbahn.ch/",
    "https://posti-museo.fi/",
    "https://skat-turnier-anmeldung.de/",
    "https://orange-county-delivery.example/",
    "https://apple-orchard-delivery.example/",
    "https://office-delivery.example/",
    "https://visa-fees.example/",
    "https://ups-battery-support.example/",
    "https://hacienda-hotel.example/reembolso",
    "https://tnt-fireworks.example/"
  ])("is a name like others without it: %s", (url) =>
    Effect.map(kindsOf(url), (kinds) => assert.notInclude(kinds, "everydayBrand"))
  )
})

describe("a brand's name beside a fee, a bill or the word for paying", () => {
  it.effect.each([
    "https://canadapost-fee.example/",
    "https://royalmail-fees.example/",
    "https://ziggo-factuur.example/",
    "https://netflix-facture.example/",
    "https://dhl-gebuehr.example/",
    "https://vinted-bezahlen.example/",
    "https://postnord-leverans.example/",
    "https://netflix-faktura.example/"
  ])("is suspicious: %s", (url) => Effect.map(scored(url), ({ score }) => assert.isAtLeast(score, 40)))

  it.effect.each([
    "https://school-fees.example/pay",
    "https://docs.example.cc/fees",
    "https://facture.example/"
  ])("is not without the brand: %s", (url) =>
    Effect.map(scored(url), ({ score }) => assert.isBelow(score, 40))
  )
})

describe("a page under a name of ENS", () => {
  it.effect.each(["https://opensea-mint-claim.eth.limo/", "https://metamask-verify.eth.link/"])(
    "is a page on free hosting: %s",
    (url) =>
      Effect.map(check(url), ({ findings }) => {
        assert.isAtLeast(Verdict.score(findings), 40)
        assert.include(
          findings.map(({ kind }) => kind),
          "freeHosting"
        )
      })
  )

  it.effect.each(["https://gardens.eth.limo/", "https://uniswap.eth.limo/", "https://aave.eth.link/"])(
    "is no evidence by itself, nor under its owner's: %s",
    (url) => Effect.map(check(url), ({ findings }) => assert.deepStrictEqual(findings, []))
  )
})

describe("words of phishing before the domain of a host under an abused suffix", () => {
  const suffix = 'Addresses that end in ".top" are often used for phishing'
  const words = (text: string) =>
    `The address of the site has ${text.includes(",") ? "words" : "a word"} that phishing often uses (${text})`
  expectEach([
    ["https://support.gardens.top", 20, suffix],
    ["https://www.id.gardens.top", 20, suffix],
    ["https://login.secure.gardens.top", 45, suffix, words('"login", "secure"')],
    ["https://login.shop.gardens.top", 45, suffix, words('"login"')],
    ["https://login.gardens-account.top", 45, suffix, words('"login", "account"')]
  ])
})

describe("a page for signing in on free hosting, without a brand", () => {
  const words = (where: string, text: string) =>
    `The address of the ${where} has ${text.includes(",") ? "words" : "a word"} that phishing often uses (${text})`
  const free = (firm: string) => `The page is on ${firm}, where anyone can publish for free`
  expectEach([
    ["https://chess-club.herokuapp.com/login", 25, words("page", '"login"'), free("herokuapp.com")],
    ["https://my-app.vercel.app/login", 25, words("page", '"login"'), free("vercel.app")],
    ["https://team-site.azurewebsites.net/login", 25, words("page", '"login"'), free("azurewebsites.net")],
    ["https://shadcn-login-auth.vercel.app", 25, words("site", '"login", "auth"')],
    ["https://login-auth.vercel.app/signin", 25, words("site", '"login", "auth"')],
    ["https://account.blob.core.windows.net/files/a.pdf?sig=a", 25, words("site", '"account"')],
    [
      "https://login-4f9a01bc77de.vercel.app/login",
      25,
      'The name "login-4f9a01bc77de" looks made by a program: it contains a long code',
      words("page", '"login"')
    ],
    ["https://verificationexcellence.teachable.com/p/course", 0],
    ["https://www.apple-farm-bakery.com", 0],
    ["https://portal.mycity-utilities.com/account/login", 0]
  ])
})

describe("a domain that is a brand's name under another suffix, or an edit of it", () => {
  const shipped = Either.getOrThrow(ModelFile.decode(readFileSync(ModelFile.shippedFile), "model.bin"))
  /** Finds that everything is phishing. */
  const model = { ...shipped, thresholds: { suspicious: -1000, likely: -1000, phishing: -1000 } }

  it.each([
    ["https://netflix.co/", "modelLikely"],
    ["https://www.netflix.example/", "modelLikely"],
    ["https://netflix.co/account", "modelLikely"],
    ["https://netfilx.com/", "modelLikely"],
    ["https://www.netfilx.com/account", "modelLikely"],
    ["https://xn--socitgnrale-ebbbbb.com/", "modelLikely"],
    ["https://sncf-connect.co/login", "modelLikely"],
    ["https://ebay-kleinanzeigen.co/", "modelLikely"],
    ["https://chase.cm/login", "modelLikely"],
    ["https://www.1password.cm/", "modelLikely"],
    ["https://steamcommnity.ru/", "modelLikely"],
    ["https://steamconmunnitj.ru/", "modelPhishing"],
    ["https://login.chase.cm/", "modelPhishing"],
    ["https://paypal.chase.cm/", "modelPhishing"],
    ["https://xn--chse-63d.cm/", "modelPhishing"],
    ["https://paypa1.com/login", "modelPhishing"],
    ["https://netfilx-login.com/", "modelPhishing"],
    ["https://login.netfilx.com/", "modelPhishing"],
    ["https://netfilx.top/", "modelPhishing"],
    ["https://netflix.co/?id=1", "modelLikely"],
    ["https://netflix.weebly.com/", "modelPhishing"],
    ["https://netflix.top/", "modelPhishing"],
    ["https://netflix-help.example/", "modelPhishing"],
    ["https://netflix.example.com/", "modelPhishing"],
    ["https://example.com/", "modelPhishing"]
  ])("has at most the second level of the model, others have any: %s", (url, level) => {
    const kinds = findings(model, Submission.read(url, 0)).map(({ kind }) => kind)
    assert.include(kinds, level)
  })
})

describe("the checker", () => {
  it.effect("has the configured budget and is never stale", () =>
    Effect.gen(function* () {
      const checker = yield* heuristics
      const result = yield* checker.check(Submission.read("http://paypal.example.top/", 0))
      assert.strictEqual(checker.id, "heuristics")
      assert.isTrue(Duration.equals(checker.budget, Duration.millis(700)))
      assert.isFalse(result.stale)
    })
  )
})

const piece = FastCheck.oneof(
  FastCheck.string({ unit: "binary", maxLength: 40 }),
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

describe("for every string", () => {
  const MAX_REASON_CHARS = 250
  const MAX_REASONS = 20

  it.effect("it yields few, short, printable reasons, each kind once", () =>
    Effect.map(heuristics, (checker) => {
      FastCheck.assert(
        FastCheck.property(hostile, (submitted) => {
          const { findings } = Effect.runSync(checker.check(Submission.read(submitted, 0)))
          const kinds = findings.map(({ kind }) => kind)
          assert.strictEqual(new Set(kinds).size, kinds.length)
          assert.isAtMost(kinds.length, MAX_REASONS)
          for (const { kind, reason } of findings) {
            assert.property(kindRows, kind)
            assert.match(reason, /^[\x20-\x7e\u2026]+$/)
            assert.isAtMost(reason.length, MAX_REASON_CHARS)
          }
          if (kinds.includes("malformed")) assert.strictEqual(kinds.length, 1)
        }),
        { numRuns: runs(3000) }
      )
    })
  )

  it.effect("it reports that a web address is not HTTPS", () =>
    Effect.map(heuristics, (checker) => {
      FastCheck.assert(
        FastCheck.property(hostile, (submitted) => {
          const url = CanonicalUrl.parse(submitted)
          const { findings } = Effect.runSync(checker.check(Submission.read(submitted, 0)))
          const kinds = findings.map(({ kind }) => kind)
          const hasHost = url._tag === "Right"
          assert.strictEqual(kinds.includes("notHttps"), hasHost && url.right.scheme !== "https")
        }),
        { numRuns: runs(1000) }
      )
    })
  )

  it.effect("no path and query make an honest host phishing by signals", () =>
    Effect.map(heuristics, (checker) => {
      const segments = FastCheck.array(
        FastCheck.oneof(
          piece,
          FastCheck.constantFrom(
            "paypal.com",
            "signin",
            "invoice.pdf.exe",
            "a.lnk",
            "wp-includes",
            "x@paypal.com"
          )
        ),
        { maxLength: 12 }
      ).map((pieces) => pieces.join("/"))
      const honest = FastCheck.constantFrom(
        "example.com",
        "www.apple-farm-bakery.com",
        "someone.github.io",
        "my-login.vercel.app",
        "telegra.ph",
        "sites.google.com",
        "sparkasse-example.de",
        "1cloud.ru"
      )
      FastCheck.assert(
        FastCheck.property(honest, segments, (host, rest) => {
          const { findings } = Effect.runSync(checker.check(Submission.read(`https://${host}/${rest}`, 0)))
          const signals = findings.filter(
            ({ kind, addressIndex }) => !kind.startsWith("model") && (addressIndex ?? 0) === 0
          )
          assert.isBelow(Verdict.score(signals), 70)
        }),
        { numRuns: runs(2000) }
      )
    })
  )

  it.effect("it accepts 64 KiB and cuts long quotations", () =>
    Effect.gen(function* () {
      const size = 64 * 1024
      for (const repeated of ["a.", "paypal-", "xn--a.", "login/", "http://", "%25", "@", "1a", "\u0430."])
        yield* check(`https://${repeated.repeat(size / repeated.length)}`)
      const { reasons } = yield* scored(`https://${"a".repeat(60)}.paypal-info.example/`)
      assert.deepStrictEqual(reasons, [
        `The address …${"a".repeat(40)}.paypal-info.example uses the name PayPal; the real one is paypal.com`
      ])
    })
  )
})
