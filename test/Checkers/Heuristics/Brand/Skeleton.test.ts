import { assert, describe, it } from "@effect/vitest"
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
})
