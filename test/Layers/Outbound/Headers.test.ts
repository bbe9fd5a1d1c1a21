import { assert, describe, it } from "@effect/vitest"
import { mediaTypeOf } from "../../../src/Layers/Outbound/Headers.ts"

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
