import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as ContentForms from "../../src/Url/ContentForms.ts"

describe("normalizedQuery", () => {
  it.each<[query: string | undefined, normalized: string]>([
    [undefined, ""],
    ["", ""],
    ["id=1", "id=1"],
    ["id=2&a=1", "a=1&id=2"],
    ["&id=1&&", "id=1"],
    // Of equal names the values are in order too
    ["a=2&a=1&a=2", "a=1&a=2&a=2"],
    // An empty value is not the same as none
    ["b=&a", "a&b="],
    // Only & separates
    ["b;a=1", "b;a=1"],
    ["amp;b=1&a", "a&amp;b=1"],
    // Tracking
    ["utm_source=x&id=1&utm_medium=y", "id=1"],
    ["usp=sharing&authuser=0&pli=1", ""],
    ["fbclid=1&gclid=2&msclkid=3&mc_eid=4&igshid=5", ""],
    ["usp", ""],
    ["Utm_source=x", "Utm_source=x"],
    ["xutm_source=1&uspx=2&fbclid_=3", "fbclid_=3&uspx=2&xutm_source=1"]
  ])("of %s is %s", (query, normalized) => {
    assert.strictEqual(ContentForms.normalizedQuery(query), normalized)
  })

  it("is the same in any order, with any tracking parameters", () => {
    const parameter = FastCheck.stringMatching(/^[a-d]{1,2}(?:=[a-c]{0,2})?$/)
    const tracking = FastCheck.constantFrom("utm_x=1", "fbclid=2", "usp=sharing", "")
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(parameter, { maxLength: 12 }).chain((parameters) =>
          FastCheck.tuple(
            FastCheck.constant(parameters),
            FastCheck.shuffledSubarray(parameters, { minLength: parameters.length })
          )
        ),
        FastCheck.array(tracking, { maxLength: 5 }),
        ([parameters, shuffled], others) => {
          assert.strictEqual(
            ContentForms.normalizedQuery([...others, ...shuffled].join("&")),
            ContentForms.normalizedQuery(parameters.join("&"))
          )
        }
      ),
      { seed: 1, numRuns: 300 }
    )
  })

  it("is undefined for more than a hundred parameters, tracking ones not counted", () => {
    const parameters = (count: number) => Array.from({ length: count }, (_, i) => `p${i}=1`).join("&")
    assert.isDefined(ContentForms.normalizedQuery(parameters(100)))
    assert.isDefined(ContentForms.normalizedQuery(`${parameters(100)}${"&utm_a=1".repeat(5000)}`))
    assert.isUndefined(ContentForms.normalizedQuery(parameters(101)))
  })
})
