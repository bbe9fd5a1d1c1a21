import { assert, describe, it } from "@effect/vitest"
import type { LabelledUrl } from "../../training/Corpus/LabelledUrl.ts"
import * as TrainingRows from "../../training/TrainingRows.ts"

const row = (isPhishing: boolean, firstSeen: string, url: string): LabelledUrl => ({
  isPhishing,
  firstSeen,
  source: "invented",
  url,
  split: ""
})

const rowsWith = (phishingDay: string, benignDay: string) =>
  TrainingRows.of(
    [
      row(true, phishingDay, "https://a.example/login/one"),
      row(true, "2026-07-15", "https://b.example/login/one/two"),
      row(true, "", "https://c.example/login/one/two/three"),
      row(false, benignDay, "https://d.example/"),
      row(false, "", "https://e.example/?x")
    ],
    []
  )

describe("the rows to learn from", () => {
  it("have half the weight if they are phishing of four months before the newest, and never less than 4 %", () => {
    const weightOf = (day: string) => rowsWith(day, "").weights[0] ?? 0
    const young = weightOf("2026-07-14")
    assert.strictEqual(weightOf("2026-03-15"), young / 2)
    assert.closeTo(weightOf("2024-01-15"), young * 0.04, 1e-8)
    assert.closeTo(weightOf("2020-01-15"), young * 0.04, 1e-8)
  })

  it("are held out by time in 16 blocks, every fourth of one fold, if they are phishing", () => {
    const rows = Array.from({ length: 64 }, (_, day) => {
      const date = new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)
      return row(true, date, `https://site-${day}.example/login`)
    })
    const { folds } = TrainingRows.of([...rows, row(false, "", "https://d.example/")], [])
    assert.deepStrictEqual(
      Array.from(folds.subarray(0, 64)),
      rows.map((_, day) => Math.floor(day / 4) % 4)
    )
  })

  it("have the same weight at any age if they are ordinary pages", () => {
    const undated = rowsWith("2026-07-14", "").weights
    for (const day of ["2024-01-01", "2026-07-15", "2026-09-15"])
      assert.deepStrictEqual(rowsWith("2026-07-14", day).weights, undated)
  })

  it("have the weight of the newest if they are phishing without a date", () => {
    const dated = rowsWith("2026-07-14", "").weights[0] ?? 0
    assert.strictEqual(rowsWith("", "").weights[0], dated)
    const undated = TrainingRows.of(
      [row(true, "", "https://a.example/x"), row(false, "", "https://d.example/")],
      []
    )
    assert.deepStrictEqual([undated.oldestPhishing, undated.newestPhishing], ["", ""])
    assert.isTrue(undated.weights.every((weight) => weight > 0 && weight <= 1))
  })

  it("have no made-up URL among the observed benign ones", () => {
    const rows = rowsWith("2026-01-15", "")
    assert.isTrue(rows.isSynthetic.includes(1))
    assert.deepStrictEqual(
      TrainingRows.observedBenign(rows).map(({ host }) => host),
      ["d.example", "e.example"]
    )
  })

  it("tell the days of their oldest and newest phishing", () => {
    const { oldestPhishing, newestPhishing } = rowsWith("2026-01-15", "2026-09-15")
    assert.deepStrictEqual([oldestPhishing, newestPhishing], ["2026-01-15", "2026-07-15"])
  })
})
