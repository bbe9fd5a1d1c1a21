import { assert, describe, it } from "@effect/vitest"
import * as MediaType from "../../../src/Layers/Outbound/MediaType.ts"

describe("MediaType", () => {
  it.each([
    ["application/x-protobuf", "application/x-protobuf"],
    ["Text/HTML; charset=utf-8", "text/html"],
    [" application/json ;a=b;c=d", "application/json"],
    ["", ""],
    [undefined, ""]
  ])("of %o is %o", (header, type) => {
    assert.strictEqual(MediaType.parse(header), type)
  })
})
