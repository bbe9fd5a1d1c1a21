import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Texts from "../../../src/Http/Pages/texts.browser.js"

/** Any UTF-16 code unit, also half of a surrogate pair. */
const anyUnit = FastCheck.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))

describe("texts", () => {
  it("know the results of links by their fields, number and order", () => {
    const finding = { kind: "model", checker: "heuristics", details: {}, reason: "", points: 0 }
    const result = {
      url: "x",
      score: 0,
      verdict: "safe",
      findings: [finding],
      executionTimeMs: {},
      checkers: { heuristics: "ok" }
    }
    assert.isDefined(Texts.resultsOf({ results: [result] }, ["x"]))
    for (const other of [
      { verdict: "dangerous" },
      { checkers: {} },
      { findings: [null] },
      { findings: [{ ...finding, kind: undefined }] },
      { findings: [{ ...finding, details: undefined }] },
      { findings: [{ ...finding, details: null }] }
    ])
      assert.isUndefined(
        Texts.resultsOf({ results: [{ ...result, ...other }] }, ["x"]),
        JSON.stringify(other)
      )
    for (const field of Object.keys(result))
      assert.isUndefined(Texts.resultsOf({ results: [{ ...result, [field]: undefined }] }, ["x"]), field)
    for (const body of [null, {}, { results: [] }, { results: [result, result] }, { results: [null] }])
      assert.isUndefined(Texts.resultsOf(body, ["x"]))
    assert.isUndefined(Texts.resultsOf({ results: [result, result] }, ["x", "y"]))
  })

  for (const [text, title, help] of [
    ["  ", "empty", "emptyHelp"],
    ["just text", "noLink", "noLinkHelp"],
    ["+49 151 23456789", "onlyLinks", "phoneHelp"],
    ["Call (030) 1234-567", "onlyLinks", "phoneHelp"],
    ["Pay EUR 12,50 on 24.11.2026", "noLink", "noLinkHelp"],
    ["someone@example.com", "onlyLinks", "mailHelp"],
    ["DE89 3704 0044 0532 0130 00", "onlyLinks", "accountHelp"],
    ["pl61109010140000071219812874", "onlyLinks", "accountHelp"],
    ["MECARD:N:Harbour;TEL:+10000000000;;", "contactCode", "contactCodeHelp"],
    ["mailto:a@example.com?subject=x", "contactCode", "contactCodeHelp"],
    ["BEGIN:VCARD\nFN:A", "contactCode", "contactCodeHelp"]
  ] as const)
    it(`say "${title}" of ${JSON.stringify(text)}`, () => {
      assert.deepStrictEqual(Texts.refusalOf(text), { title, help })
    })

  for (const [text, title, name] of [
    ["WIFI:T:WPA;S:Caf\\;e \u202e;P:secret;;", "wifi", "Caf;e \\u{202e}"],
    ["wifi:P:secret;S:Home;;", "wifi", "Home"],
    ["WIFI:S:Home” is safe. “;;", "wifi", "Home' is safe. '"],
    ["otpauth://totp/A?secret=B", "secret", "?"],
    ["otpauth-migration://offline?data=A", "secret", "?"],
    ["upi://pay?pa=a@b", "payment", "?"],
    ["bitcoin:1abc", "payment", "?"],
    ["BCD\n002\n1\nSCT", "payment", "?"],
    ["SPC\r\n0200", "payment", "?"],
    ["00020101021226", "payment", "?"],
    ["https://example.com/?otpauth:", undefined, undefined],
    ["WiFi: free at https://example.com/", undefined, undefined],
    ["Bitcoin: see https://example.com/", undefined, undefined],
    ["payment", undefined, undefined]
  ] as const)
    it(`find ${title ?? "no secret"} in ${JSON.stringify(text)}`, () => {
      const found = Texts.secretIn(text)
      assert.deepStrictEqual([found?.title, found?.values?.name], [title, name])
    })

  it("shorten a link in the name of a button", () => {
    assert.strictEqual(Texts.shortName("https://example.com/a\u202e"), "example.com/a\\u{202e}")
    assert.strictEqual(Texts.shortName(`https://${"x".repeat(61)}`), `${"x".repeat(60)}…`)
  })

  it("say why there is no result", () => {
    assert.deepStrictEqual(
      [429, 503, 413, 500].map((status) => Texts.errorOf(status, "later", 1)),
      [
        { name: "tooMany", values: { when: "later" } },
        { name: "busy", values: { when: "later" } },
        { name: "linkTooLong" },
        { name: "serviceFailed", values: { status: "500" } }
      ]
    )
    assert.deepStrictEqual(Texts.errorOf(413, "later", 2), { name: "linksTooLong" })
  })

  it("escapes invisible characters and leaves others unchanged", () => {
    assert.strictEqual(
      Texts.escapeInvisible("https://bücher.example/ä ö/日本?a=1#🎣"),
      "https://bücher.example/ä ö/日本?a=1#🎣"
    )
    assert.strictEqual(
      Texts.escapeInvisible("a\u202egnp\u200b\u00a0\n\u2028\u0000\ud800"),
      "a\\u{202e}gnp\\u{200b}\\u{a0}\\u{a}\\u{2028}\\u{0}\\u{d800}"
    )
  })

  for (const [address, url, divided] of [
    [
      { host: "login.shop.example", domain: "shop.example" },
      "https://user:secret@login.shop.example/a?b",
      { before: "login.", site: "shop.example", after: "/a?b", ascii: undefined }
    ],
    [
      { host: "192.0.2.7" },
      "http://192.0.2.7/",
      { before: "", site: "192.0.2.7", after: "", ascii: undefined }
    ],
    [
      { host: "www.xn--bcher-kva.example", domain: "xn--bcher-kva.example", unicode: "www.bücher.example" },
      "bücher.example",
      { before: "www.", site: "bücher.example", after: "", ascii: "www.xn--bcher-kva.example" }
    ],
    [
      { host: `${"a".repeat(60)}.shop.example`, domain: "shop.example" },
      `https://x/${"b".repeat(100)}`,
      {
        before: `${"a".repeat(14)}…${"a".repeat(13)}.`,
        site: "shop.example",
        after: `/${"b".repeat(29)}…${"b".repeat(30)}`,
        ascii: undefined
      }
    ]
  ] as const)
    it(`divide ${url.slice(0, 40)} at its site, which is never cut`, () => {
      assert.deepStrictEqual(Texts.dividedAddress({ relation: "submitted", ...address }, url), divided)
    })

  for (const [url, after] of [
    ["shop.example/a/b", "/a/b"],
    ["shop.example:8080/a/b", "/a/b"],
    ["bank.example@shop.example/a/b", "/a/b"],
    ["shop.example?a=https://b.example/c", "?a=https://b.example/c"],
    ["//shop.example/a/b", "/a/b"],
    ["https:shop.example/a/b", "/a/b"],
    ["https://user:@shop.example/a/b", "/a/b"],
    ["https:\\\\shop.example\\a/b", "\\a/b"],
    ["https//shop.example/a/b", "/a/b"],
    ["hxxps[:]//shop[.]example/a/b", "/a/b"],
    ["hxxp[://]shop.example/a/b", "/a/b"],
    ["view-source:https://shop.example/a/b", "/a/b"]
  ] as const)
    it(`show all that follows the site of ${url}`, () => {
      const divided = Texts.dividedAddress(
        { relation: "submitted", host: "shop.example", domain: "shop.example" },
        url
      )
      assert.strictEqual(divided.after, after)
    })

  it("quote text of others, which cannot close the quotation", () => {
    assert.strictEqual(Texts.quotable("Pay” It is “safe\u202e"), "Pay' It is 'safe\\u{202e}")
    assert.strictEqual(Texts.quotable("a".repeat(200)), `${"a".repeat(40)}…${"a".repeat(40)}`)
  })

  it("mark letters that are not a to z", () => {
    assert.deepStrictEqual(Texts.divideLetters("pаypаl.com"), [
      ["p", false],
      ["а", true],
      ["yp", false],
      ["а", true],
      ["l.com", false]
    ])
  })

  it("know when a message shows the address of another site", () => {
    const at = (relation: "submitted" | "destination" | "carried", host: string, domain: string) => ({
      relation,
      host,
      domain
    })
    const paypal = [at("submitted", "www.paypal.com", "paypal.com")]
    const trap = [at("submitted", "quietharbour.example", "quietharbour.example")]
    const wrapped = [
      at("submitted", "www.google.com", "google.com"),
      at("destination", "paypal.com", "paypal.com")
    ]
    for (const [shown, addresses, isOther] of [
      [["https://www.paypal.com/signin"], trap, true],
      [["paypal.com"], paypal, false],
      [["https://login.paypal.com/"], paypal, false],
      [["https://notpaypal.com/"], paypal, true],
      [["https://www.paypal.com/"], wrapped, false],
      [["https://quietharbour.example@www.paypal.com/"], trap, true],
      [[], trap, false],
      [["paypal.com"], [], false],
      [["paypal.com"], [...trap, at("carried", "paypal.com", "paypal.com")], true]
    ] as const)
      assert.strictEqual(Texts.showsOtherSite(shown, addresses), isOther, `${shown} ${addresses[0]?.host}`)
  })

  it("writes a curl command that a shell runs as one request with exactly this link", () => {
    const endpoint = "https://scoring.example.com/api/check"
    const bodiesReadByShell = (urls: ReadonlyArray<string>) => {
      const script = urls.map((url) => Texts.curl(endpoint, url)).join("\n")
      const curl = `curl() { [ $# = 6 ] && printf '%s\\n' "$2" "$6"; }\n`
      const { status, stdout } = spawnSync("sh", ["-c", curl + script], { encoding: "utf8" })
      assert.strictEqual(status, 0)
      const lines = stdout.split("\n")
      return urls.map((_, index) => {
        assert.strictEqual(lines[2 * index], endpoint)
        return JSON.parse(lines[2 * index + 1] ?? "")
      })
    }
    const urls = [
      "https://example.com/",
      "'; touch /tmp/x; '",
      "$(id)`id`\\'\"!!",
      "a\nb\u202e\ud800é",
      ...FastCheck.sample(FastCheck.string({ unit: anyUnit, maxLength: 40 }), { numRuns: 200 })
    ]
    assert.deepStrictEqual(
      bodiesReadByShell(urls),
      urls.map((url) => ({ url }))
    )
    // Without quotes and backslashes the link stays one word in other shells too.
    const plain = /^curl -i '[^']*' -H '[^']*' -d '\{"url":"(?:[^'"\\!]|\\u[0-9a-f]{4})*"\}'$/
    for (const url of urls) {
      assert.match(Texts.curl(endpoint, url), /^[\x20-\x7e]*$/)
      assert.match(Texts.curl(endpoint, url), plain)
    }
  })
})
