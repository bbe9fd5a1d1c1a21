import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { vi } from "vitest"
import * as BrandName from "../../../../src/Checkers/Heuristics/Brand/BrandName.ts"
import { editDistance } from "../../../../src/Layers/AppConfig/UnknownVariables.ts"
import { anyCharacter } from "../../../fixtures/AnyCharacter.ts"
import { runs } from "../../../fixtures/Seed.ts"

const nameIn = (word: string): string | undefined => {
  const match = BrandName.find([word], 0)
  return match && `${match.isLookAlike ? "~" : ""}${match.name}`
}

describe("a word", () => {
  it.each([
    ["paypal", "paypal"],
    ["paypal77", "paypal"],
    ["2paypal", "paypal"],
    ["mypaypal", "paypal"],
    ["paypallogin", "paypal"],
    ["mynetflixlogin", "netflix"],
    ["amazon8828", "amazon"],
    ["instagramhelpx", "instagram"],
    ["usps", "usps"],
    ["usps2", "usps"],
    ["office365", "office365"]
  ])("%s names %s", (word, name) => {
    assert.strictEqual(nameIn(word), name)
  })

  it.each([
    ["paypa1", "~paypal"],
    ["micros0ft", "~microsoft"],
    ["arnazon", "~amazon"],
    ["app1e", "~apple"],
    ["appie", "~apple"],
    ["lcloud", "~icloud"],
    ["paypa1login", "~paypal"],
    ["netfl1x77", "~netflix"],
    ["paypall", "~paypal"],
    ["paypl", "~paypal"],
    ["papyal", "~paypal"],
    ["coinbaes", "~coinbase"],
    ["legder", "~ledger"]
  ])("%s imitates %s", (word, name) => {
    assert.strictEqual(nameIn(word), name)
  })

  it.each([
    ["a name inside another word", "pineapple"],
    ["a name of few letters before others", "upstairs"],
    ["an everyday name before others", "applesauce"],
    ["two edits", "pyapl"],
    ["another first letter", "haypal"],
    ["no first letter", "aypal"],
    ["an everyday name that begins a word", "discordant"],
    ["another bank", "combank"],
    ["an ordinary word one edit away", "discard"],
    ["a surname one edit away", "trevor"],
    ["a word that a name begins", "interactive"],
    ["a church", "sunrisechurch"],
    ["a person", "ricardochavez"],
    ["a fruit", "orangefruit"],
    ["a firm", "ledgercompany"],
    ["a word one edit from a name with too many neighbours", "booting"],
    ["a short name between other letters", "m3ndax"],
    ["digits alone", "2026"],
    ["nothing", ""]
  ])("has no brand: %s", (_, word) => {
    assert.isUndefined(nameIn(word))
  })

  it("has only names of the table, for every string", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: anyCharacter, maxLength: 60 }), (word) => {
        const match = BrandName.find([word], 0)
        if (match !== undefined) assert.include(match.brand.names, match.name)
      }),
      { numRuns: 3000 }
    )
  })

  it("is a typing error of a name within one edit, or two of ten letters", () => {
    const letters = FastCheck.array(FastCheck.constantFrom("a", "b"), { minLength: 5, maxLength: 12 })
    const text = letters.map((each) => each.join(""))
    FastCheck.assert(
      FastCheck.property(text, text, (word, name) => {
        assert.strictEqual(
          BrandName.isTypo(word, name),
          editDistance(word, name) <= (name.length < 10 ? 1 : 2)
        )
      }),
      { numRuns: runs(20_000), seed: 11 }
    )
  })

  it("takes time in proportion to its length, also with many names in it", () => {
    const slice = vi.spyOn(String.prototype, "slice")
    const cuts = (names: number) => {
      slice.mockClear()
      assert.isUndefined(nameIn(`x${"paypal".repeat(names)}x`))
      return slice.mock.calls.length
    }
    try {
      const [few, many] = [cuts(20), cuts(40)]
      assert.isAbove(few, 0)
      assert.isAtMost(many, 2.5 * few)
    } finally {
      slice.mockRestore()
    }
  })

  it("with one letter of a long name missing, doubled or exchanged with the next imitates it", () => {
    const name = "walletconnect"
    for (let at = 1; at < name.length; at++) {
      const [before, letter, after] = [name.slice(0, at), name.charAt(at), name.slice(at + 1)]
      assert.strictEqual(nameIn(before + after), `~${name}`)
      if (letter !== "t" || after !== "")
        assert.strictEqual(nameIn(before + letter + letter + after), `~${name}`)
      if (after !== "" && letter !== after[0])
        assert.strictEqual(nameIn(before + after[0] + letter + after.slice(1)), `~${name}`)
    }
  })
})
