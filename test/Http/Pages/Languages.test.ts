import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { kindNames } from "../../../src/Checkers/Kinds/KindNames.ts"
import { chosen, languages } from "../../../src/Http/Pages/Languages.ts"
import * as Reasons from "../../../src/Http/Pages/reasons.browser.js"
import { textOfKind } from "../../../src/Http/Pages/reasons.browser.js"
import { english, formatterIn, textsIn } from "../../fixtures/Texts.ts"

const pages = new URL("../../../src/Http/Pages/", import.meta.url)
const sourceOf = (name: string) => readFileSync(new URL(name, pages), "utf8")

const formsOf = (text: unknown): ReadonlyArray<string> =>
  typeof text === "string" ? [text] : Object.values(Object(text)).map(String)

const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort()

describe("the texts of the page", () => {
  const names = Object.keys(textsIn("en"))

  it.each(languages)("are all there in %s, with all placeholders and plurals", (language) => {
    const texts: Readonly<Record<string, unknown>> = textsIn(language)
    assert.deepStrictEqual(Object.keys(texts), names)
    const plurals = new Intl.PluralRules(language)
    const categories = new Set(Array.from({ length: 200 }, (_, count) => plurals.select(count)))
    for (const [name, text] of Object.entries(texts)) {
      const [original = ""] = formsOf(Object(textsIn("en"))[name]).slice(-1)
      assert.deepStrictEqual(placeholders(formsOf(text).at(-1) ?? ""), placeholders(original), name)
      for (const form of formsOf(text)) {
        assert.notStrictEqual(form.trim(), "", name)
        // A form for one may do without the number.
        assert.includeMembers(placeholders(original), placeholders(form), name)
      }
      if (typeof text !== "string")
        for (const category of categories) assert.property(text, category, `${name} in ${language}`)
    }
  })

  it("are all used, and there are no others", () => {
    const html = sourceOf("page.html") + sourceOf("App/share.html")
    const scripts = ["page", "texts", "verdict", "reasons", "Languages/message"]
      .map((name) => sourceOf(`${name}.browser.js`))
      .join("\n")
    const made =
      /^(?:phishing|disguised|suspicious|hidden|incomplete|partial|malformed|little|allowed|nothing)(?:Advice|Short)?$/
    const unused = names.filter(
      (name) => !html.includes(`{{${name}}}`) && !scripts.includes(`"${name}"`) && !made.test(name)
    )
    assert.deepStrictEqual(unused, [])
    const asked = [...html.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = ""]) => name)
    assert.sameMembers(
      [...new Set(asked)].filter((name) => !names.includes(name)),
      ["contact", "publishers", "language"]
    )
    // The values of the service would replace texts of the same name.
    for (const name of ["contact", "google", "publishers", "language"]) assert.notInclude(names, name)
  })

  it("never say in English that a link is safe", () => {
    for (const name of ["nothing", "little", "allowed", "nothingShort", "littleShort"] as const)
      assert.notMatch(english.say(name), /\bsafe\b/i)
  })

  it.each(languages)("have a sentence for every kind in %s, from its details", (language) => {
    assert.sameMembers(Object.keys(textOfKind), [...kindNames])
    const formatter = formatterIn(language)
    for (const kind of kindNames) {
      const finding = {
        checker: "heuristics",
        kind,
        points: 0,
        reason: "an English sentence",
        details: {
          address: "evil.example/a",
          brand: { name: "PayPal", domain: "paypal.com" },
          extension: "exe",
          file: "a.lnk",
          host: "shop.example",
          label: "xn--a",
          pieces: ["piece"],
          registrable: "shop.example",
          scheme: "javascript",
          shown: "www.example.com",
          suffix: "pages.dev",
          words: ["word"]
        }
      } as const
      const [reason] = Reasons.reasonsOf(
        { url: "http://x.example", findings: [finding] },
        () => "List",
        formatter
      )
      assert.match(reason?.text ?? "", /^[^{}]{15,170}\.$/, kind)
      assert.notInclude(reason?.text, "English")
    }
  })
})

describe("the pages for reports", () => {
  it("are at most two a country, each with the page that names it", () => {
    const pages: Readonly<Record<string, ReadonlyArray<Readonly<Record<string, string>>>>> = JSON.parse(
      sourceOf("Languages/reporting.json")
    )
    const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" })
    for (const [country, entries] of Object.entries(pages)) {
      assert.isDefined(names.of(country), country)
      assert.isAtMost(entries.length, 2, country)
      for (const entry of entries) {
        assert.deepStrictEqual(Object.keys(entry), ["name", "url", "source"], country)
        assert.match(entry.name ?? "", /^.{3,35}$/, country)
        for (const url of [entry.url, entry.source]) assert.match(url ?? "", /^https:\/\/[\w.-]+\//, country)
      }
    }
    assert.deepStrictEqual(Object.keys(pages), Object.keys(pages).toSorted())
  })
})

describe("the language of the page", () => {
  for (const [asked, preferred, language] of [
    [null, undefined, "en"],
    [null, "de-AT,de;q=0.9,en;q=0.8", "de"],
    [null, "ja, pt-BR;q=0.5", "pt"],
    [null, "en;q=0.1, fr;q=0.7", "fr"],
    [null, "pl;q=0, *", "en"],
    [null, "xx;q=y,,;;", "en"],
    ["it", "de", "it"],
    ["xx", "de", "de"],
    ["<b>", "", "en"]
  ] as const)
    it(`is ${language} for ${asked ?? "no choice"} and ${preferred ?? "no preference"}`, () => {
      assert.strictEqual(chosen(asked, preferred), language)
    })
})

describe("a text", () => {
  it("has values, plurals, lists and times of its language", () => {
    const polish = formatterIn("pl")
    assert.deepStrictEqual(
      [1, 3, 5, 22].map((count) => polish.say("allLinks", { count })),
      ["Sprawdzono 1 link", "Sprawdzono 3 linki", "Sprawdzono 5 linków", "Sprawdzono 22 linki"]
    )
    assert.deepStrictEqual([1, 59, 61, 7199, 86_000, Number.NaN].map(english.when), [
      "in 1 second",
      "in 59 seconds",
      "in 2 minutes",
      "in 120 minutes",
      "in 24 hours",
      "later"
    ])
    assert.strictEqual(formatterIn("de").when(900), "in 15 Minuten")
    assert.strictEqual(english.list(["a", "b", "c"]), "a, b, and c")
    assert.deepStrictEqual([0, 9.94, 11.421, 2000].map(english.duration), [
      "0.0 ms",
      "9.9 ms",
      "11 ms",
      "2,000 ms"
    ])
    assert.strictEqual(formatterIn("de").duration(1.94), "1,9 ms")
    assert.deepStrictEqual(formatterIn("de").scriptsOf("paурal"), ["Kyrillisch"])
    assert.deepStrictEqual(english.scriptsOf("bücher"), [])
  })
})
