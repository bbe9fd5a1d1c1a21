import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { withoutPrefixes } from "../../../src/Url/CanonicalUrl/WrittenAddress.ts"
import * as CanonicalUrl from "../../../src/Url/CanonicalUrl.ts"

const parsed = (submitted: string): string => {
  const url = CanonicalUrl.parse(submitted)
  return Either.isRight(url) ? CanonicalUrl.format(url.right) : `${url.left.reason} ${url.left.scheme}`
}

const inner = "https://example.com/a?b=c&url=d#e>"

describe("withoutPrefixes", () => {
  it.each([
    `URL:${inner}`,
    `url: ${inner}`,
    `<${inner}>`,
    `< ${inner} >`,
    `<URL:${inner}>`,
    `URL:<${inner}>`,
    `view-source:${inner}`,
    `View-Source:${inner}`,
    `microsoft-edge:${inner}`,
    `microsoft-edge:?url=${encodeURIComponent(inner)}`,
    `microsoft-edge:?launchContext1=a&url=${encodeURIComponent(inner)}&timestamp=1`,
    `microsoft-edge://?url=${encodeURIComponent(inner)}`,
    `microsoft-edge:///?url=${encodeURIComponent(inner)}`,
    `googlechrome://navigate?url=${inner}`,
    `GoogleChrome://navigate/?url=${inner}`,
    `googlechromes://${inner.slice("https://".length)}`,
    `URL:view-source:microsoft-edge:${inner}`,
    `samsunginternet://${inner}`,
    `googlechrome://${inner}`,
    `\u201c${inner}\u201d`,
    `\u201e${inner}\u201c`,
    `\u201a${inner}\u2018`,
    `\u2018${inner}\u2019`,
    `\u00ab\u00a0${inner}\u00a0\u00bb`,
    `\u300c${inner}\u300d`,
    `"${inner}"`,
    `'${inner}'`,
    `"'<${inner}>'"`,
    `\u201c${inner}`,
    `<samsunginternet://${inner}>`
  ])("%s", (text) => {
    assert.strictEqual(withoutPrefixes(text), inner)
  })

  it("reads googlechrome: as http", () => {
    assert.strictEqual(withoutPrefixes("googlechrome://example.com/a"), "http://example.com/a")
  })

  it.each([
    "https://example.com/view-source:https://other.example/",
    "https://example.com/>",
    "<https://example.com/",
    "<html>",
    "<example.com:80>",
    "URL:",
    "microsoft-edge:",
    "microsoft-edge:?a=b",
    "microsoft-edge:?url=",
    "googlechrome://navigate?url=",
    "googlechrome:example.com",
    "url.example",
    "urls:example.com",
    "about:view-source",
    "http://https://example.com/",
    "hxxps://https://example.com/",
    "javascript://https://example.com/",
    "samsunginternet://example.com/",
    "https://example.com/\u201d",
    '"',
    ""
  ])("leaves %j unchanged", (text) => {
    assert.strictEqual(withoutPrefixes(text), text)
  })

  it("removes at most eight", () => {
    assert.strictEqual(parsed(`${"view-source:".repeat(8)}${inner}`), "https://example.com/a?b=c&url=d")
    assert.strictEqual(parsed(`${"view-source:".repeat(9)}${inner}`), "OpaqueScheme view-source")
  })
})

describe("an address behind a prefix", () => {
  it.each([
    ["view-source:javascript:alert(1)", "OpaqueScheme javascript"],
    ["URL:mailto:somebody@example.com", "OpaqueScheme mailto"],
    ["URL:example.com/a", "http://example.com/a"],
    ["vi\new-\tsource:https://example.com/", "https://example.com/"],
    ["\u200b view-source: \u00a0https://example.com/", "https://example.com/"],
    ["view-source:\u200bhttps://example.com/", "https://example.com/"],
    ["\u201c\u200b<https://example.com/>\u00ad\u201d", "https://example.com/"],
    ["microsoft-edge:?url=%0Ahttps%3A%2F%2Fexa%09mple.com%2F", "https://example.com/"],
    ["microsoft-edge:?url=%6Aavascript:alert(1)", "OpaqueScheme javascript"],
    ["googlechrome://navigate?url=https%3A%2F%2Fexample.com%2Fa", "https://example.com/a"],
    ["googlechrome://navigate?url=example.com/a", "http://example.com/a"],
    ["\u201cexample.com\u201d", "http://example.com/"],
    ['"javascript:alert(1)"', "OpaqueScheme javascript"]
  ])("%j is read as %s", (submitted, url) => {
    assert.strictEqual(parsed(submitted), url)
  })

  it("is read as if it were submitted", () => {
    const prefix = FastCheck.constantFrom(
      ...["URL:", "url: ", "view-source:", "microsoft-edge:", "googlechrome://navigate?url=", " VIEW-SOURCE:"]
    )
    const address = FastCheck.oneof(
      FastCheck.webUrl({ withQueryParameters: true, withFragments: true }),
      FastCheck.webUrl().map((url) => url.replace("http", "hxxp")),
      FastCheck.domain(),
      FastCheck.emailAddress().map((mail) => `mailto:${mail}`)
    )
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(prefix, { maxLength: 7 }),
        address,
        FastCheck.boolean(),
        (prefixes, url, isBracketed) => {
          const text = prefixes.join("") + url
          const isMarked = isBracketed && !/^[^:]*\./.test(text)
          assert.deepStrictEqual(CanonicalUrl.parse(isMarked ? `<${text}>` : text), CanonicalUrl.parse(url))
        }
      ),
      { numRuns: 3000 }
    )
  })
})

const intent = (rest: string, ...fields: ReadonlyArray<string>): string =>
  `intent:${rest}#Intent;${[...fields, "end"].join(";")}`

const fallback = (url: string) => `S.browser_fallback_url=${encodeURIComponent(url)}`

describe("an intent: link", () => {
  const other = "https://other.example/x"
  const app = "package=com.example.app"

  it.each([
    // The address, and the fallback
    [intent("//example.com/a?b", "scheme=https", app), "https://example.com/a?b", undefined],
    [intent("//example.com/a#b", app, "scheme=http"), "http://example.com/a", undefined],
    [intent("//example.com/a", "scheme=https", app, fallback(other)), "https://example.com/a", other],
    [intent("https://example.com/a", app, fallback(other)), "https://example.com/a", other],
    [intent("//bad[.]example/", "scheme=hxxps"), "https://bad.example/", undefined],
    [
      intent("//example.com/", "scheme=https", fallback("hxxps://bad[.]example/")),
      "https://example.com/",
      "https://bad.example/"
    ],
    [
      intent("//example.com/", "scheme=https", fallback("javascript:alert(1)")),
      "https://example.com/",
      undefined
    ],
    [
      intent("//example.com/", "scheme=https", fallback("//other.example")),
      "https://example.com/",
      undefined
    ],
    [intent("//example.com/", "scheme=https", fallback("other.example")), "https://example.com/", undefined],
    [
      intent("//example.com/", "scheme=https", "S.browser%5Ffallback_url=https://other.example/x"),
      "https://example.com/",
      other
    ],
    // Browsers drop white space and control characters around an address, and line breaks inside it.
    [intent("//example.com/", "scheme=https", fallback(` \n${other} `)), "https://example.com/", other],
    [intent("//example.com/", "scheme=https", fallback(`\u0001${other}`)), "https://example.com/", other],
    [
      intent("//example.com/", "scheme=https", fallback("ht\ttps://oth\ner.example/x")),
      "https://example.com/",
      other
    ],
    [intent("//scan/", "scheme=zxing", fallback(` ${other}`)), other, undefined],
    [`Intent://example.com/#Intent;scheme=https;${fallback(other)}`, "https://example.com/", other],
    [
      `view-source:${intent("//example.com/", "scheme=https", fallback(other))}`,
      "https://example.com/",
      other
    ],
    [
      intent("//example.com/", "scheme=https", fallback(other)).replace("Intent", "In\tte\nnt"),
      "https://example.com/",
      other
    ],
    // The last of two fields counts, and none of another app
    [intent("//example.com/", "scheme=zxing", "scheme=https"), "https://example.com/", undefined],
    [intent("//example.com/", "scheme=https", "SEL", "scheme=zxing"), "https://example.com/", undefined],
    [intent("//example.com/", "scheme=https", "end", "scheme=zxing"), "https://example.com/", undefined],
    // No web address, but a fallback
    [intent("", fallback(other)), other, undefined],
    [intent("//scan/", "scheme=zxing", fallback(other)), other, undefined],
    [intent("", "scheme=https", fallback(other)), other, undefined],
    [intent("//exa mple/", "scheme=https", fallback(other)), other, undefined],
    [intent("//https://example.com/", "scheme=zxing", fallback(other)), "https://example.com/", other],
    [intent("//https://example.com/", fallback(other)), other, undefined],
    // An app that opens a web address
    [
      intent(
        `//navigate?url=${encodeURIComponent(other)}`,
        "scheme=googlechrome",
        fallback("https://example.com/")
      ),
      other,
      "https://example.com/"
    ],
    [intent(`//${other}`, "scheme=samsunginternet"), other, undefined],
    // Neither
    [intent("//scan/", "scheme=zxing", app), "intent://scan/", undefined],
    [intent("//scan/", "scheme=zxing", fallback("market://details?id=x")), "intent://scan/", undefined],
    [intent("", app), "OpaqueScheme intent", undefined],
    ["intent://example.com/a", "intent://example.com/a", undefined],
    ["intent://example.com/a#intent;scheme=https;end", "intent://example.com/a", undefined],
    [
      "https://example.com/#Intent;scheme=http;S.browser_fallback_url=https://other.example/x;end",
      "https://example.com/",
      undefined
    ]
  ] as const)("%s is read as %s, with the fallback %s", (submitted, url, fallbackUrl) => {
    assert.strictEqual(parsed(submitted), url)
    const found = CanonicalUrl.read(submitted).fallback
    assert.strictEqual(found && CanonicalUrl.format(found.url), fallbackUrl)
  })

  it("is read as its address and its fallback", () => {
    const address = FastCheck.webUrl({ validSchemes: ["http", "https"], withQueryParameters: true })
    FastCheck.assert(
      FastCheck.property(address, address, (url, other) => {
        const [scheme = "", rest = ""] = url.split(/:(.*)/)
        const link = intent(rest, `scheme=${scheme}`, fallback(other))
        assert.deepStrictEqual(CanonicalUrl.parse(link), CanonicalUrl.parse(url))
        const found = CanonicalUrl.read(link).fallback
        assert.deepStrictEqual(found?.url, Either.getOrThrow(CanonicalUrl.parse(other)))
      }),
      { numRuns: 2000 }
    )
  })
})

describe("64 KiB of prefixes, brackets or marks", () => {
  /** They take some 5 ms; quadratic time would take seconds. */
  const MAX_MS = 100

  /** In ms, the least of three runs, because other tests run at the same time. */
  const timeOf = (text: string): number =>
    Math.min(
      ...[1, 2, 3].map(() => {
        const start = performance.now()
        CanonicalUrl.parse(text)
        return performance.now() - start
      })
    )

  it("take linear time", () => {
    const size = 64 * 1024
    for (const piece of [
      ...["url:", "view-source:", "<", "URL:<", "microsoft-edge:", "microsoft-edge:?url=", "googlechrome://"],
      ...[
        "intent:",
        "intent:#Intent;",
        "#Intent;",
        "S.browser_fallback_url=",
        "scheme=https;",
        "\t",
        "url:\n"
      ],
      ...["[.]", "[", "(((", "([.", "[dot", "[:]", "hxxp", "hxxp[:]//", "h[:]"],
      ...[
        "\u00fc",
        "\u00ad",
        "\u0301",
        "\u0301\u0316",
        "\ufdfa",
        "\u3002",
        "\u200c",
        "\u1100\u1161\u11a8",
        "\u{e0100}"
      ]
    ])
      for (const [before, after] of [
        ["", ""],
        ["https://a", ".example/"],
        ["<", ">"],
        ["intent://a.example/#Intent;scheme=https;", ";end"],
        ["intent://a.example/#Intent;S.browser_fallback_url=https://a", ".example;end"]
      ]) {
        const text = before + piece.repeat(size / Buffer.byteLength(piece)) + after
        assert.isBelow(timeOf(text), MAX_MS, `${before}${piece}...${after}`)
      }
  })
})
