import { assert, describe, it } from "@effect/vitest"
import { defanged } from "../../src/Cli/Formats.ts"
import { printable, printableJson } from "../../src/Layers/Telemetry/Printable.ts"

/** Characters that a terminal acts on, hides or reorders. */
const unsafeTexts = [
  "\u0000",
  "\u0007",
  "\b",
  "\n",
  "\r",
  "\t",
  "\u001b]8;;http://x\u0007",
  "\u007f",
  "\u009b2J",
  "\u061c",
  "\u200b",
  "\u200f",
  "\u2028",
  "\u202e",
  "\u2066",
  "\ufeff",
  "\ud800",
  "\u{e0041}",
  "\u{f0000}",
  "\uffff"
]

const isHarmless = (text: string): boolean => !/[\p{C}\p{Zl}\p{Zp}]/u.test(text)

describe("printable", () => {
  for (const text of unsafeTexts)
    it(`escapes ${JSON.stringify(text)}`, () => {
      const shown = printable(`a${text}b`)
      assert.isTrue(isHarmless(shown), shown)
      assert.match(shown, /^a\\u\{[0-9a-f]+\}.*b$/u)
    })

  it("leaves text of other scripts unchanged", () => {
    const text = 'Host imitates "пример" — пример.example, 例え.example, مثال, 😀 é'
    assert.strictEqual(printable(text), text)
  })
})

describe("printableJson", () => {
  for (const text of unsafeTexts)
    it(`escapes ${JSON.stringify(text)}`, () => {
      const json = printableJson(JSON.stringify({ url: `a${text}b` }))
      assert.isTrue(isHarmless(json), json)
      assert.deepStrictEqual(JSON.parse(json), { url: `a${text}b` })
    })
})

describe("defanged", () => {
  for (const [url, shown] of [
    ["http://example.com/a.b?c=d.e", "hxxp://example[.]com/a.b?c=d.e"],
    [" http://example.com/a.b", " hxxp://example[.]com/a.b"],
    ["HTTPS://Example.Com", "HxxPS://Example[.]Com"],
    ["ftp://a.example", "fxxp://a[.]example"],
    ["hxxp://example[.]com/a[.]b", "hxxp://example[.]com/a[.]b"],
    ["www.example.com/x", "www[.]example[.]com/x"],
    ["http:\\\\a.example\\b.c", "hxxp:\\\\a[.]example\\b.c"],
    [
      "https://user.name@a.example?to=http://b.example/",
      "hxxps://user[.]name@a[.]example?to=hxxp://b.example/"
    ],
    ["http://a.example/\u001b[2J", "hxxp://a[.]example/\\u{1b}[2J"],
    ["javascript:alert(1)", "javascript:alert(1)"],
    ["", ""]
  ] as const)
    it(`shows ${JSON.stringify(url)}`, () => {
      assert.strictEqual(defanged(url), shown)
    })

  it("cuts long URLs", () => {
    assert.strictEqual(
      defanged(`http://a.example/${"x".repeat(60_000)}`).length,
      "hxxp://a[.]example/".length + 284
    )
  })
})
