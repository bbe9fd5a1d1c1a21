import { assert, describe, it } from "@effect/vitest"
import * as Gate from "../../../training/Evaluation/Gate.ts"
import { benign, phishing } from "../../fixtures/CorpusFiles.ts"

const urls = (rows: ReadonlyArray<{ readonly url: string }>) => rows.map(({ url }) => url)

describe("the last month of a corpus", () => {
  const rows = [
    benign("https://undated.example/"),
    phishing("https://a.example/", "2026-08-02"),
    phishing("https://b.example/", "2026-08-03"),
    benign("https://c.example/", "2026-09-02"),
    phishing("https://other.a.example/x", "2026-09-01"),
    benign("https://www.undated.example/x", "2026-09-01"),
    phishing("https://one.pages.dev/", "2026-08-01"),
    phishing("https://two.pages.dev/", "2026-08-20"),
    phishing("no URL", "2026-07-01")
  ]

  it("is what was first seen in it, on sites of which no earlier row has one", () => {
    const divided = Gate.divide(rows, "2026-01-31")
    assert.deepStrictEqual([divided.after, divided.newest], ["2026-08-02", "2026-09-02"])
    assert.deepStrictEqual(urls(divided.later), [
      "https://b.example/",
      "https://c.example/",
      "https://two.pages.dev/"
    ])
    assert.deepStrictEqual(urls(divided.earlier), [
      "https://undated.example/",
      "https://a.example/",
      "https://one.pages.dev/",
      "no URL"
    ])
  })

  it("is only what the current weights cannot have learned from", () => {
    const divided = Gate.divide(rows, "2026-08-20")
    assert.strictEqual(divided.after, "2026-08-20")
    assert.deepStrictEqual(urls(divided.later), ["https://c.example/"])
    assert.include(urls(divided.earlier), "https://b.example/")
  })

  it("is nothing in a corpus without dates", () => {
    assert.deepStrictEqual(Gate.divide([benign("https://a.example/")], "").later, [])
  })
})
