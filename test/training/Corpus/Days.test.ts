import { assert, describe, it } from "@effect/vitest"
import * as Days from "../../../training/Corpus/Days.ts"

describe("days", () => {
  it.each([
    ["2026-03-31", "2026-02-28"],
    ["2024-03-30", "2024-02-29"],
    ["2026-01-15", "2025-12-15"],
    ["2026-12-02", "2026-11-02"]
  ])("the month before %s begins after %s", (day, before) => {
    assert.strictEqual(Days.monthBefore(day), before)
  })

  it("are counted over the end of a month", () => {
    assert.strictEqual(Days.addDays("2026-02-28", 1), "2026-03-01")
    assert.strictEqual(Days.dayOf(Date.UTC(2026, 1, 1, 23, 59)), "2026-02-01")
  })
})
