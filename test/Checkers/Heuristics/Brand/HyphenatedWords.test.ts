import { assert, describe, it } from "@effect/vitest"
import * as HyphenatedWords from "../../../../src/Checkers/Heuristics/Brand/HyphenatedWords.ts"

describe("the words between hyphens", () => {
  it.each([
    ["paypal", ["paypal"]],
    ["pay-pal", ["pay", "pal"]],
    ["pay_-_pal-login", ["pay", "pal", "login"]],
    ["a-b-c-d", ["a", "b", "c"]],
    ["-a", ["", "a"]],
    ["", [""]]
  ])("of %s", (text, words) => {
    assert.deepStrictEqual(HyphenatedWords.split(text, 3), words)
  })
})
