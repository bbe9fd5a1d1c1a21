import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { mediaTypeOf, retryAfterMillis } from "../../../src/Layers/Outbound/Headers.ts"
import { anyCharacter } from "../../fixtures/AnyCharacter.ts"

describe("mediaTypeOf", () => {
  it.each([
    ["application/x-protobuf", "application/x-protobuf"],
    ["Text/HTML; charset=utf-8", "text/html"],
    [" application/json ;a=b;c=d", "application/json"],
    ["", ""],
    [undefined, ""]
  ])("of %o is %o", (header, type) => {
    assert.strictEqual(mediaTypeOf(header), type)
  })
})

const now = Date.UTC(2026, 0, 1, 12, 0, 0)

const seconds = (header: string | undefined) => {
  const millis = retryAfterMillis(header, now)
  return millis === undefined ? null : millis / 1000
}

describe("retryAfterMillis", () => {
  it.each([
    ["0", 0],
    ["120", 120],
    [" 7 ", 7],
    ["Thu, 01 Jan 2026 12:00:30 GMT", 30],
    ["Thursday, 01-Jan-26 12:01:00 GMT", 60],
    ["Thu, 01 Jan 2026 11:59:59 GMT", 0],
    ["Thu Jan  1 12:00:07 2026", 7],
    ["9".repeat(400), Number.POSITIVE_INFINITY],
    [undefined, null],
    ["", null],
    ["-1", null],
    ["1.5", null],
    ["soon", null],
    ["Tomorrow", null],
    ["Try again in 2099", null]
  ])("%j is a wait of %j seconds", (header, expected) => {
    assert.strictEqual(seconds(header), expected)
  })

  it("is never negative and never throws", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: anyCharacter }), (header) => {
        assert.isAtLeast(seconds(header) ?? 0, 0)
      }),
      { numRuns: 2000 }
    )
  })
})
