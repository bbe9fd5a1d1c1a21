import { assert, describe, it } from "@effect/vitest"
import * as MatchedShape from "../../../training/Corpus/MatchedShape.ts"
import { benign, phishing } from "../../fixtures/CorpusFiles.ts"

const pairs = (phishingUrl: string, benignUrl: string): number =>
  MatchedShape.mark([phishing(phishingUrl), benign(benignUrl)]).reduce((sum, mark) => sum + mark, 0) / 2

describe("rows of matched shape", () => {
  it("are as many of each class as there can be, for every shape", () => {
    const rows = [
      ...Array.from({ length: 7 }, (_, i) => phishing(`https://a${i}.example/x`)),
      ...Array.from({ length: 3 }, (_, i) => benign(`https://b${i}.example/y`)),
      ...Array.from({ length: 2 }, (_, i) => phishing(`https://c${i}.example/x?y`)),
      ...Array.from({ length: 5 }, (_, i) => benign(`https://d${i}.example/`)),
      benign("no URL")
    ]
    const marks = MatchedShape.mark(rows)
    const count = (from: number, to: number) => marks.slice(from, to).reduce((sum, mark) => sum + mark, 0)
    assert.deepStrictEqual([count(0, 7), count(7, 10), count(10, 12), count(12, 18)], [3, 3, 0, 0])
  })

  it("are the same in every run, and not the first of the larger class", () => {
    const rows = [
      ...Array.from({ length: 100 }, (_, i) => phishing(`https://a${i + 100}.example/x`)),
      ...Array.from({ length: 10 }, (_, i) => benign(`https://b${i + 100}.example/y`))
    ]
    const marks = MatchedShape.mark(rows)
    assert.deepStrictEqual(MatchedShape.mark(rows), marks)
    assert.notStrictEqual(
      marks.slice(0, 10).reduce((sum, mark) => sum + mark, 0),
      10
    )
  })

  it.each([
    ["the scheme", "http://aa.example/x", "https://a.example/x"],
    ["the depth", "https://a.example/x", "https://a.example/x/y"],
    ["a query", "https://a.example/xyz", "https://a.example/x?y"],
    ["www", "https://www.a.example/", "https://www1a.example/"],
    ["the length", "https://a.example/x", "https://a.example/xxxxxxxx"],
    ["shared hosting", "https://aaa.pages.dev/x", "https://aaa.example/xyz"],
    ["a shared host", "https://docs.google.com/x", "https://docs.example.com/x"]
  ])("differ in %s", (_, one, other) => {
    assert.strictEqual(pairs(one, one), 1)
    assert.strictEqual(pairs(one, other), 0)
  })

  it("are also of phishing that was reported as a host only", () => {
    const rows = [
      phishing("https://a.example/", "2026-06-01", "hosts(derived)"),
      benign("https://b.example/")
    ]
    assert.deepStrictEqual(Array.from(MatchedShape.mark(rows)), [1, 1])
  })

  it("do not differ in words or in depths beyond three", () => {
    assert.strictEqual(pairs("https://a.example/x/y/z/w/v", "https://b.example/v/w/z/yyy"), 1)
  })
})
