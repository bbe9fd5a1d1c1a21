import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, FastCheck, Layer } from "effect"
import * as CanonicalUrl from "../../src/Checkers/CanonicalUrl.ts"
import { Heuristics } from "../../src/Checkers/Heuristics.ts"
import * as Submission from "../../src/Checkers/Submission.ts"
import * as Verdict from "../../src/Checkers/Verdict.ts"
import { AppConfig } from "../../src/Layers/AppConfig.ts"

const environment = new Map([["CHECKER_TIMEOUT", "700 millis"]])

/** Built once, because it reads the weights. */
const heuristics = Effect.runSync(
  Effect.cached(
    Heuristics.pipe(
      Effect.provide(
        Layer.provide(
          Heuristics.layer,
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
const malformed = (why: string) => `URL is malformed: ${why}`

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
    ["", 40, malformed("it has no host")],
    ["whatsapp://send?text=x", 10, 'Scheme "whatsapp:" is not one of the web'],
    [
      "ftp://192.168.0.1/x",
      25,
      "Host is a private or local one (192.168.0.1)",
      'Scheme "ftp:" is not one of the web'
    ],
    ["http://", 40, malformed("it has no host")],
    ["https:///?q=1", 40, malformed("it has no host")],
    ["https://exa mple.com/", 40, malformed("its host has characters that no host may have")],
    ["http://paypal<b>.example/login", 40, malformed("its host has characters that no host may have")],
    [
      "javascript:alert(1)",
      40,
      'Scheme "javascript:" carries a program or a page of its own instead of naming a site'
    ],
    [
      "data:text/html,<h1>x</h1>",
      40,
      'Scheme "data:" carries a program or a page of its own instead of naming a site'
    ],
    [
      "VBScript:MsgBox(1)",
      40,
      'Scheme "vbscript:" carries a program or a page of its own instead of naming a site'
    ],
    ["mailto:someone@example.com", 10, 'Scheme "mailto:" is not one of the web'],
    ["tel:+15550100", 10, 'Scheme "tel:" is not one of the web'],
    ["ftp://example.com/readme", 10, 'Scheme "ftp:" is not one of the web']
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
    ["https://203.0.113.7/", 20, "Host is an IP address (203.0.113.7), not a name"],
    [
      "http://0xcb007107/x.exe",
      45,
      "Host is an IP address (203.0.113.7), not a name",
      "Path ends in a program or a document with macros (.exe)",
      NOT_HTTPS
    ],
    ["https://[2001:db8::7]/", 20, "Host is an IP address ([2001:db8::7]), not a name"],
    [
      "http://198.51.100.7/paypal/login",
      60,
      "Host is an IP address (198.51.100.7), not a name",
      'Path speaks of credentials, payments or urgency ("login")',
      'Path uses the name "paypal", which belongs to paypal.com',
      NOT_HTTPS
    ],
    ["http://192.168.1.1/", 25, "Host is a private or local one (192.168.1.1)", NOT_HTTPS],
    ["https://127.0.0.1/", 15, "Host is a private or local one (127.0.0.1)"],
    ["https://169.254.169.254/", 15, "Host is a private or local one (169.254.169.254)"],
    ["https://[::1]/", 15, "Host is a private or local one ([::1])"],
    ["https://[fd00::1]/", 15, "Host is a private or local one ([fd00::1])"],
    ["https://[fe80::1]/", 15, "Host is a private or local one ([fe80::1])"],
    ["https://localhost/", 15, "Host is a private or local one (localhost)"],
    ["https://intranet/", 15, "Host is a private or local one (intranet)"],
    ["https://printer.local/", 15, "Host is a private or local one (printer.local)"],
    ["https://paypal.corp.internal/", 15, "Host is a private or local one (paypal.corp.internal)"],
    ["https://nas.lan/", 15, "Host is a private or local one (nas.lan)"],
    [
      "http://www.b\u00fccher.example/",
      20,
      "Host is written in letters beyond ASCII (xn--bcher-kva)",
      NOT_HTTPS
    ],
    ["https://\u0431ank.example/", 30, "Host mixes Latin and Cyrillic letters in one label (xn--ank-9cd)"],
    ["https://bit.ly/abc", 15, "Host is a URL shortener (bit.ly), which hides where the link leads"],
    ["https://a.b.c.d.example.com/", 10, "Host has many labels (6)"],
    ["https://a.b.c.example.com/", 0],
    [`https://${"a".repeat(42)}.example/`, 10, "Host is very long (50 characters)"],
    [`https://${"a".repeat(41)}.example/`, 0],
    ["https://shop.example.top/", 20, 'Suffix ".top" is often abused for phishing'],
    ["https://nas.duckdns.org/", 20, "Host is on dynamic DNS or a tunnel (duckdns.org)"],
    [
      "https://login.example.com.evil.example/",
      55,
      'Host shows "example.com" in front of its own domain (evil.example)',
      'Host speaks of credentials, payments or urgency ("login")'
    ],
    [
      "https://shop.co.jp.evil.example/",
      30,
      'Host shows "shop.co.jp" in front of its own domain (evil.example)'
    ],
    [
      "https://example.com-track.example/",
      30,
      'Host shows "example.com" in front of its own domain (com-track.example)'
    ],
    ["https://www.example.com.proxy.university.edu/", 10, "Host has many labels (6)"]
  ])
})

describe("a host of the user's own network", () => {
  const isPrivate = (host: string) => `Host is a private or local one (${host})`
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
        "http://www.paypal.com@192.168.1.1/",
        65,
        isPrivate("192.168.1.1"),
        'URL reads like "www.paypal.com", but its host is 192.168.1.1',
        NOT_HTTPS
      ]
    ])
  })
})

describe("user info, port, path and query", () => {
  expectEach([
    ["https://user:secret@example.com/", 25, "User info stands in front of the host (example.com)"],
    ["https://first.last@example.com/", 25, "User info stands in front of the host (example.com)"],
    [
      "https://www.paypal.com@evil.example/",
      40,
      'URL reads like "www.paypal.com", but its host is evil.example'
    ],
    [
      "https://paypal.com:secret@evil.example/",
      40,
      'URL reads like "paypal.com", but its host is evil.example'
    ],
    ["http://example.com:8081/", 15, "URL names an unusual port (8081)", NOT_HTTPS],
    ["http://example.com:8443/", 10, NOT_HTTPS],
    [
      `http://example.com/${"a".repeat(400)}?${"b".repeat(99)}`,
      15,
      "Path and query are very long (500 characters)",
      NOT_HTTPS
    ],
    [`http://example.com/${"a".repeat(400)}?${"b".repeat(98)}`, 10, NOT_HTTPS],
    [
      "http://example.com/go?url=http://other.example/",
      15,
      "Another URL (other.example) is nested in the query",
      NOT_HTTPS
    ],
    [
      "http://example.com/go?url=https%3A%2F%2Fother.example%2Flogin",
      15,
      "Another URL (other.example) is nested in the query",
      NOT_HTTPS
    ],
    [
      "http://example.com/go/https://other.example/",
      15,
      "Another URL (other.example) is nested in the path",
      NOT_HTTPS
    ],
    ["https://example.com/%252541", 10, "URL is percent-encoded 3 times over"],
    ["https://example.com/%2541", 0],
    [
      "http://example.com/setup.MSI",
      25,
      "Path ends in a program or a document with macros (.msi)",
      NOT_HTTPS
    ],
    ["http://example.com/invoice.pdf.zip", 15, "Path ends in an archive (.zip)", NOT_HTTPS],
    ["https://example.com/script.js", 0]
  ])
})

describe("a signal that is more frequent on ordinary pages than on reported ones", () => {
  describe("is no finding alone", () => {
    expectEach([
      ["https://example.com:8081/", 0],
      ["https://example.com/setup.msi", 0],
      ["https://example.com/invoice.pdf.zip", 0],
      ["https://example.com/go?url=http://other.example/", 0],
      [`https://example.com/?${"b".repeat(499)}`, 0],
      ["https://www.b\u00fccher.example/", 0]
    ])
  })

  describe("is a finding beside another signal", () => {
    expectEach([
      [
        "https://203.0.113.7/setup.msi",
        35,
        "Host is an IP address (203.0.113.7), not a name",
        "Path ends in a program or a document with macros (.msi)"
      ],
      [
        "https://example.com:8081/setup.msi",
        20,
        "URL names an unusual port (8081)",
        "Path ends in a program or a document with macros (.msi)"
      ]
    ])
  })
})

describe("a brand's name on a host that is not the brand's", () => {
  const names = (name: string, host: string, owner: string) =>
    `Host uses the name "${name}" (${host}), which belongs to ${owner}`
  const imitates = (name: string, host: string, owner: string) =>
    `Host imitates "${name}" (${host}), which belongs to ${owner}`
  const contains = (name: string, host: string, owner: string) =>
    `Host contains the address of "${name}" (${host}), which belongs to ${owner}`
  expectEach([
    ["https://paypal-info.example/", 35, names("paypal", "paypal-info.example", "paypal.com")],
    ["https://mypaypal77.example/", 35, names("paypal", "mypaypal77.example", "paypal.com")],
    ["https://wells-fargo.example/", 35, names("wellsfargo", "wells-fargo.example", "wellsfargo.com")],
    ["https://paypa1.example/", 35, imitates("paypal", "paypa1.example", "paypal.com")],
    ["https://micros0ft.example/", 35, imitates("microsoft", "micros0ft.example", "microsoft.com")],
    ["https://arnazon.example/", 35, imitates("amazon", "arnazon.example", "amazon.com")],
    ["https://netfilx.example/", 35, imitates("netflix", "netfilx.example", "netflix.com")],
    [
      "https://p\u0430yp\u0430l.example/",
      65,
      "Host mixes Latin and Cyrillic letters in one label (xn--pypl-53dc)",
      imitates("paypal", "xn--pypl-53dc.example", "paypal.com")
    ],
    [
      "https://\u0430\u0440\u0440\u04cf\u0435.example/",
      45,
      "Host is written in letters beyond ASCII (xn--80ak6aa92e)",
      imitates("apple", "xn--80ak6aa92e.example", "apple.com")
    ],
    ["https://paypal.com.evil.example/", 40, contains("paypal", "paypal.com.evil.example", "paypal.com")],
    ["https://paypal-com.evil.example/", 40, contains("paypal", "paypal-com.evil.example", "paypal.com")],
    [
      "https://paypal.com-refund.example/",
      65,
      contains("paypal", "paypal.com-refund.example", "paypal.com"),
      'Host speaks of credentials, payments or urgency ("refund")'
    ],
    [
      "https://paypal.evil.example/",
      30,
      'Subdomain uses the name "paypal" (paypal.evil.example), which belongs to paypal.com'
    ],
    [
      "https://paypal.example.top/",
      50,
      'Suffix ".top" is often abused for phishing',
      'Subdomain uses the name "paypal" (paypal.example.top), which belongs to paypal.com'
    ],
    [
      "https://orchard-paypal.example/",
      20,
      'Host contains the name "paypal" (orchard-paypal.example), which belongs to paypal.com'
    ],
    [
      "https://203.0.113.7/paypa1/apple/why-paypal-grew",
      20,
      "Host is an IP address (203.0.113.7), not a name"
    ],
    [
      "https://apple.example.top/",
      45,
      'Suffix ".top" is often abused for phishing',
      'Host uses the name "apple" (apple.example.top), which belongs to apple.com'
    ],
    [
      "https://paypal.example.top/netflix",
      50,
      'Suffix ".top" is often abused for phishing',
      'Subdomain uses the name "paypal" (paypal.example.top), which belongs to paypal.com'
    ],
    [
      "https://apple-support.example/",
      60,
      names("applesupport", "apple-support.example", "apple.com"),
      'Host speaks of credentials, payments or urgency ("support")'
    ]
  ])
})

describe("lure words count only beside another signal", () => {
  expectEach([
    [
      "https://secure-login.example/",
      25,
      'Domain is named after credentials or payments ("secure", "login")'
    ],
    ["https://secure.example/login", 0],
    ["https://example.support/", 20, 'Suffix ".support" is often abused for phishing'],
    [
      "https://shop.example.top/login",
      30,
      'Suffix ".top" is often abused for phishing',
      'Path speaks of credentials, payments or urgency ("login")'
    ],
    [
      "https://someone.weebly.com/konto/anmelden",
      25,
      'Path speaks of credentials, payments or urgency ("konto", "anmelden")',
      "Page is on free hosting (weebly.com), where anyone can publish"
    ],
    [
      "https://verify-account.pages.dev/",
      40,
      'Domain is named after credentials or payments ("verify", "account")',
      "Page is on free hosting (pages.dev), where anyone can publish"
    ],
    [
      "https://paypal-login.weebly.com/",
      75,
      'Host uses the name "paypal" (paypal-login.weebly.com), which belongs to paypal.com',
      'Host speaks of credentials, payments or urgency ("login")',
      "Page is on free hosting (weebly.com), where anyone can publish"
    ],
    [
      "https://sites.google.com/view/paypal-login",
      45,
      'Path speaks of credentials, payments or urgency ("login")',
      'Path uses the name "paypal", which belongs to paypal.com',
      "Page is on free hosting (sites.google.com), where anyone can publish"
    ]
  ])
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
            assert.property(Verdict.contributions, kind)
            assert.match(reason, /^[\x20-\x7e\u2026]+$/)
            assert.isAtMost(reason.length, MAX_REASON_CHARS)
          }
          if (kinds.includes("malformed")) assert.strictEqual(kinds.length, 1)
        }),
        { seed: 1, numRuns: 3000 }
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
          const scheme = url._tag === "Right" ? url.right.scheme : url.left.scheme
          assert.strictEqual(kinds.includes("notHttps"), scheme === "http" && !kinds.includes("malformed"))
        }),
        { seed: 2, numRuns: 1000 }
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
        `Host uses the name "paypal" (…${"a".repeat(40)}.paypal-info.example), which belongs to paypal.com`,
        "Host is very long (80 characters)"
      ])
    })
  )
})
