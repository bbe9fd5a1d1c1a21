import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as HostFacts from "../../../src/Checkers/Heuristics/HostFacts.ts"
import { anyCharacter } from "../../fixtures/AnyCharacter.ts"

describe("a generated name", () => {
  it.each([
    ["pub-0f1e2d3c4b5a69788796a5b4c3d2e1f0", "hexadecimal"],
    ["site-a1b2c3d4", "hexadecimal"],
    ["192-0-2-7", "address"],
    ["vps-203-0-113-24", "address"],
    ["account20481", "digits"],
    ["quiet-lamp-102938", "generated"],
    ["quiet-lamp-1f0e2d", "generated"],
    ["a1b2c", "mixed"],
    ["qwrtpsd", "consonants"],
    ["bcdfg-hjklmnp", "consonants"],
    ["ovxqezjqa", "consonants"]
  ])("%s has the pattern %s", (label, pattern) => {
    assert.strictEqual(HostFacts.machinePatternOf(label), pattern)
  })

  it.each([
    "example",
    "wikipedia",
    "bbc",
    "hsbc",
    "hochschwarzwald",
    "rhythms",
    "office365",
    "forum2024",
    "station24",
    "catch-22",
    "face-book",
    "deadbeef",
    "xn--bcher-kva",
    ""
  ])("%s is none", (label) => {
    assert.isUndefined(HostFacts.machinePatternOf(label))
  })

  it("has a known pattern or none, for every string", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: anyCharacter, maxLength: 80 }), (label) => {
        assert.include(
          [undefined, "hexadecimal", "address", "digits", "consonants", "mixed", "generated"],
          HostFacts.machinePatternOf(label)
        )
      }),
      { numRuns: 2000 }
    )
  })
})
