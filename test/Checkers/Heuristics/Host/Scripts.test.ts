import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Scripts from "../../../../src/Checkers/Heuristics/Host/Scripts.ts"
import * as Idna from "../../../../src/Url/CanonicalUrl/Idna.ts"
import { anyCharacter } from "../../../fixtures/AnyCharacter.ts"

describe("the letters of a label", () => {
  it.each([
    ["p\u0430ypal", ["Latin", "Cyrillic"]],
    ["\u0391pple", ["Latin", "Greek"]],
    ["\u0430\u03b1", ["Cyrillic", "Greek"]]
  ])("%s mixes %j", (label, scripts) => {
    assert.deepStrictEqual(Scripts.mixedAlphabets(label), scripts)
  })

  it.each([
    "paypal-24",
    "m\u00fcnchen",
    "\u043f\u043e\u0447\u0442\u0430",
    "\u65e5\u672c\u8a9eabc\u30ab\u306a",
    "\ud55c\uad6dtv",
    ""
  ])("%s does not mix alphabets that look alike", (label) => {
    assert.isUndefined(Scripts.mixedAlphabets(label))
  })

  it.each([
    ["p\u0430yp\u0430l", "paypal"],
    ["\u0430\u0440\u0440\u04cf\u0435", "apple"],
    ["\u00e4m\u00e4z\u00f6n", "amazon"],
    ["\u043f\u043e\u0447\u0442\u0430", "no\u0447ta"],
    ["plain", "plain"]
  ])("%s resembles %s", (label, latin) => {
    assert.strictEqual(Scripts.toLatin(label), latin)
  })

  it("are converted to Unicode, and stay as they are if that is impossible", () => {
    assert.strictEqual(Idna.toUnicode("xn--mnchen-3ya"), "m\u00fcnchen")
    assert.strictEqual(Idna.toUnicode("xn--"), "xn--")
    assert.strictEqual(Idna.toUnicode("xn--\u0000"), "xn--\u0000")
    assert.strictEqual(Idna.toUnicode("example"), "example")
    const long = `xn--${"a".repeat(300)}-0ya`
    assert.strictEqual(Idna.toUnicode(long), long)
  })

  it("never cause an exception", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: anyCharacter }), (label) => {
        assert.isString(Scripts.toLatin(Idna.toUnicode(`xn--${label}`)))
        Scripts.mixedAlphabets(label)
      }),
      { numRuns: 1000 }
    )
  })
})

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
    assert.strictEqual(Scripts.skeleton(word), expected)
  })

  it("has no letter that is a look-alike", () => {
    const words = FastCheck.string({
      unit: FastCheck.constantFrom(..."rnvcli10\u0430z"),
      maxLength: 12
    })
    FastCheck.assert(
      FastCheck.property(words, (word) => {
        assert.notMatch(Scripts.skeleton(word), /[0-9i]/)
      }),
      { numRuns: 1000 }
    )
  })
})
