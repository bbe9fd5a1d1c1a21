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
  it("have half the weight if they are phishing of half a year before the newest", () => {
    const [old = 0] = rowsWith("2026-01-15", "").weights
    const [young = 0] = rowsWith("2026-07-14", "").weights
    assert.strictEqual(old, young / 2)
  })

  it("have the same weight at any age if they are ordinary pages", () => {
    const undated = rowsWith("2026-07-14", "").weights
    for (const day of ["2024-01-01", "2026-07-15", "2026-09-15"])
      assert.deepStrictEqual(rowsWith("2026-07-14", day).weights, undated)
  })

  it("tell the days of their oldest and newest phishing", () => {
    const { oldestPhishing, newestPhishing } = rowsWith("2026-01-15", "2026-09-15")
    assert.deepStrictEqual([oldestPhishing, newestPhishing], ["2026-01-15", "2026-07-15"])
  })
})
