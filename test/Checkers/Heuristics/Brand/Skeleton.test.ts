import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { skeleton } from "../../../../src/Checkers/Heuristics/Brand/Skeleton.ts"

describe("the skeleton of a word", () => {
  it.each([
    ["plan", "plan"],
    ["rnicr0soft", "mlcrosoft"],
    ["vvalmart", "walmart"],
    ["cliscord", "dlscord"],
    ["0123456789i", "olzeasbtbgl"],
    ["rnvvcl", "mwd"],
    ["rrn", "rm"],
    ["c1tibank", "dtlbank"],
    ["citibank", "dtlbank"],
    ["c", "c"],
    ["", ""]
  ])("%s is %s", (word, expected) => {
    assert.strictEqual(skeleton(word), expected)
  })

  it("has no letter that is a look-alike", () => {
    const words = FastCheck.string({
      unit: FastCheck.constantFrom(..."rnvcli10\u0430z"),
      maxLength: 12
    })
    FastCheck.assert(
      FastCheck.property(words, (word) => {
        assert.notMatch(skeleton(word), /[0-9i]/)
      }),
      { numRuns: 1000 }
    )
  })
})
