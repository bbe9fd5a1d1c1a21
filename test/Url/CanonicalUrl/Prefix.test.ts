import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { withoutPrefixes } from "../../../src/Url/CanonicalUrl/WrittenAddress.ts"
import * as CanonicalUrl from "../../../src/Url/CanonicalUrl.ts"
import { leastCpuMs } from "../../fixtures/LeastCpuTime.ts"
import { runs } from "../../fixtures/Seed.ts"

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
    `URL:view-source:microsoft-edge:${inner}`,
    `microsoft-edge: ${inner}`,
    `microsoft-edge:<${inner}>`,
    `microsoft-edge:microsoft-edge:${inner}`,
    `microsoft-edge://${inner}`,
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
  ])("removes the prefix of %s", (text) => {
    assert.strictEqual(withoutPrefixes(text), inner)
  })

  it.each([
    "\u{1f517}",
    "\u{1f449}\u{1f3fb}",
    "\u27a1\ufe0f",
    "\u203b",
    "\u25cf",
    "\u30fb",
    "\u3010\u5feb\u9012\u3011"
  ])("removes %s before a host without a scheme", (symbols) => {
    assert.strictEqual(parsed(`${symbols}a-b.example/x`), "http://a-b.example/x")
  })

  it.each(["BR.GOV.BCB.PIX", "br.gov.bcb.pix"])(
    "removes what a payment code has around the address of %s",
    (scheme) => {
      const code = `00020101021226460014${scheme}2528pix.example.com/pix/v2/a-b-15204000053039865802BR5913Fulano de Tal6304AB12`
      assert.strictEqual(parsed(code), "https://pix.example.com/pix/v2/a-b-1")
      assert.strictEqual(parsed(code.replace(" ", "").toLowerCase()), "https://pix.example.com/pix/v2/a-b-1")
    }
  )

  it.each([
    ["\u{1f355}pizza.ws/a", "http://xn--pizza-vq93d.ws/a"],
    ["\u{1f355}.example/a", "http://xn--vi8h.example/a"],
    ["https://\u{1f517}example.com/", "https://xn--example-x505f.com/"],
    ["\u24e7example.com/a", "http://xexample.com/a"],
    ["\u2122example.com/a", "http://tmexample.com/a"],
    ["\u3007example.com/a", "http://xn--example-bq3f.com/a"],
    ["\u3010@b.example/\u3011example.com/a", "http://b.example/%E3%80%91example.com/a"],
    ["000201.example/br.gov.bcb.pix2510a.example/b", "http://000201.example/br.gov.bcb.pix2510a.example/b"],
    [
      "000201261.b.example/br.gov.bcb.pix2510a.example/b",
      "http://000201261.b.example/br.gov.bcb.pix2510a.example/b"
    ],
    ...["a.example", "co.uk"].map((host): [string, string] => [
      `00020126br.gov.bcb.PIX2520${host}/b`,
      `http://00020126br.gov.bcb.pix2520${host}/b`
    ]),
    ["0002012614@b.example?br.gov.bcb.pix2510a.example/b", "http://b.example/?br.gov.bcb.pix2510a.example/b"]
  ])("reads %j as browsers do", (text, expected) => {
    assert.strictEqual(parsed(text), expected)
  })

  it.each([
    "https://example.com/view-source:https://other.example/",
    "https://example.com/>",
    "<https://example.com/",
    "<html>",
    "<example.com:80>",
    "URL:",
    "microsoft-edge:",
    "googlechrome:example.com",
    "url.example",
    "urls:example.com",
    "about:view-source",
    "http://https://example.com/",
    "hxxps://https://example.com/",
    "samsunginternet://example.com/",
    "https://example.com/\u201d",
    '"',
    ""
  ])("leaves %j unchanged", (text) => {
    assert.strictEqual(withoutPrefixes(text), text)
  })

  it("removes at most eight", () => {
    assert.strictEqual(parsed(`${"view-source:".repeat(8)}${inner}`), "https://example.com/a?b=c&url=d")
    assert.strictEqual(parsed(`${"view-source:".repeat(20)}${inner}`), "OpaqueScheme view-source")
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
    ["\u201cexample.com\u201d", "http://example.com/"],
    ['"javascript:alert(1)"', "OpaqueScheme javascript"]
  ])("%j is read as %s", (submitted, url) => {
    assert.strictEqual(parsed(submitted), url)
  })

  it("is read as if it were submitted", () => {
    const prefix = FastCheck.constantFrom(...["URL:", "url: ", "view-source:", " VIEW-SOURCE:"])
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
      { numRuns: runs(3000) }
    )
  })
})

describe("the scheme of a program", () => {
  it.each([
    ["intent://example.com/a?b#Intent;scheme=https;end", "https://example.com/a?b"],
    ["view-source:intent://example.com/#Intent;end", "https://example.com/"],
    ["intent://example.com/", "intent://example.com/"],
    ["intent:example.com/a#Intent;scheme=https;end", "https://example.com/a"],
    ["intent:/example.com/a#Intent;scheme=https;end", "https://example.com/a"],
    ["intent:\\\\example.com/a#Intent;scheme=https;end", "https://example.com/a"],
    ["intent:http:example.com/a#Intent;end", "https://example.com/a"],
    ["intent://example.com/a\u2028b#Intent;end", "https://example.com/a%E2%80%A8b"],
    ["microsoft-edge:example.com/a", "http://example.com/a"],
    ["microsoft-edge:https%3A%2F%2Fexample.com/a", "https://example.com/a"],
    ["microsoft-edge:hxxps[:]//example[.]com/a", "https://example.com/a"],
    ["microsoft-edge:?url=https://example.com/", "OpaqueScheme microsoft-edge"],
    ["intent:https://example.com/a#Intent;end", "https://example.com/a"],
    ["intent:#Intent;package=com.example.app;end", "NoHost https"],
    ["googlechrome://example.com/a", "http://example.com/a"],
    ["googlechromes://example.com/a", "https://example.com/a"]
  ])("of %s is read as %s", (submitted, url) => {
    assert.strictEqual(parsed(submitted), url)
  })
})

describe("64 KiB of prefixes, brackets or marks", () => {
  /** CPU time, some 5 ms on a quiet machine; quadratic time would take seconds. */
  const MAX_MS = 100

  it("take linear time", async () => {
    const size = 64 * 1024
    for (const piece of [
      ...[
        "url:",
        "view-source:",
        "<",
        "URL:<",
        "microsoft-edge:",
        "googlechrome://",
        "intent:",
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
        ["<", ">"]
      ]) {
        const text = before + piece.repeat(size / Buffer.byteLength(piece)) + after
        assert.isBelow(
          await leastCpuMs(MAX_MS, () => CanonicalUrl.parse(text)),
          MAX_MS,
          `${before}${piece}...${after}`
        )
      }
  })
})
