import { assert, describe, it } from "@effect/vitest"
import { reason } from "../../../src/Checkers/Heuristics/Reasons.ts"

describe("a reason", () => {
  it("shows nothing but printable ASCII of what it quotes", () => {
    assert.strictEqual(
      reason({ kind: "privateHost", host: "a\u202eb\u0000c\nd\u00e9" }),
      "Host is a private or local one (a?b?c?d?)"
    )
  })

  it("cuts a long quotation at its end, that of a host at its beginning", () => {
    assert.strictEqual(
      reason({ kind: "otherScheme", scheme: "a".repeat(61) }),
      `Scheme "${"a".repeat(60)}…:" is not one of the web`
    )
    assert.strictEqual(
      reason({ kind: "privateHost", host: `${"a".repeat(61)}.example` }),
      `Host is a private or local one (…${"a".repeat(52)}.example)`
    )
  })
})
