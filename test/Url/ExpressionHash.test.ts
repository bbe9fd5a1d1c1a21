import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as ExpressionHash from "../../src/Url/ExpressionHash.ts"
import { anyCharacter } from "../fixtures/AnyCharacter.ts"

/** FIPS 180-2, the Go reference client and Google's worked examples for v5. */
const published = [
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  [
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
  ],
  ["foo.com/", "af30010e4c011fc77e1ab03ef898ab2f8dec17c0bd178a875ad0cd9b7a6e5973"],
  ["a.example.com/", "291bc5421f1cd54d99afcc55d166e2b9fe42447025895bf09dd41b2110a687dc"],
  ["b.example.com/", "1d32c5084a360e58f1b87109637a6810acad97a861a7769e8f1841410d2a960c"],
  ["y.example.com/", "f7a502e56e8b01c6dc242b35122683c9d25d07fb1f532d9853eb0ef3ff334f03"]
] as const

describe("ExpressionHash", () => {
  it.each(published)("of %s is the published one", (expression, hash) => {
    assert.strictEqual(ExpressionHash.ofExpression(expression), hash)
    assert.strictEqual(ExpressionHash.prefix(ExpressionHash.ofExpression(expression)), hash.slice(0, 8))
  })

  it("is SHA-256 for every string", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: anyCharacter }), (expression) => {
        assert.strictEqual(
          ExpressionHash.ofExpression(expression),
          createHash("sha256").update(expression).digest("hex")
        )
      }),
      { numRuns: 500 }
    )
  })
})
