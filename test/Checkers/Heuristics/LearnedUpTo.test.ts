import { assert, describe, it } from "@effect/vitest"
import { isInFuture, isOld } from "../../../src/Checkers/Heuristics/ConfiguredModel.ts"
import { isDay } from "../../../src/Checkers/Heuristics/Model/ModelFile.ts"

const at = (time: string) => Date.parse(time)

describe("the day up to which weights have learned", () => {
  it("is a day of the calendar", () => {
    for (const day of ["2026-06-30", "2024-02-29"]) assert.isTrue(isDay(day), day)
    for (const text of [
      "",
      "2026-06",
      "2026-6-30",
      "2026-02-30",
      "2026-13-01",
      "20260630",
      "2026-06-30Z",
      " 2026-06-30",
      "never"
    ])
      assert.isFalse(isDay(text), text)
  })

  it("is old after 183 days, and not sooner", () => {
    assert.isFalse(isOld("2026-06-30", at("2026-12-30T00:00:00.000Z")))
    assert.isTrue(isOld("2026-06-30", at("2026-12-30T00:00:00.001Z")))
  })

  it("is in the future until it begins", () => {
    assert.isTrue(isInFuture("2026-06-30", at("2026-06-29T23:59:59.999Z")))
    assert.isFalse(isInFuture("2026-06-30", at("2026-06-30T00:00:00.000Z")))
  })
})
