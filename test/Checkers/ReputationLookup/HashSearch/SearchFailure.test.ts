import { assert, describe, it } from "@effect/vitest"
import { Duration, Option } from "effect"
import { SearchError } from "../../../../src/Checkers/ReputationLookup/HashSearch/SearchError.ts"
import { failure } from "../../../../src/Checkers/ReputationLookup/HashSearch.ts"

const asking = (retryAfterMs: number) =>
  new SearchError({ reason: "Status", retryAfter: Option.some(Duration.millis(retryAfterMs)) })

describe("the failure of several searches", () => {
  it("asks to wait as long as the longest of them", () => {
    const none = new SearchError({ reason: "Timeout" })
    assert.deepStrictEqual(failure([none, asking(7000), asking(9000), none]), { retryAfterMs: 9000 })
    assert.deepStrictEqual(failure([none]), { retryAfterMs: 0 })
  })

  it.each([86_400_000, Number.POSITIVE_INFINITY])("asks to wait for an hour at most, not %d ms", (wait) => {
    assert.deepStrictEqual(failure([asking(wait)]), { retryAfterMs: 3_600_000 })
  })
})
