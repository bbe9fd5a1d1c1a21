import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as PercentEncoding from "../../../src/Url/CanonicalUrl/PercentEncoding.ts"
import { runs } from "../../fixtures/Seed.ts"

describe("decode", () => {
  it.each([
    ["abc", "abc"],
    ["%", "%"],
    ["%4", "%4"],
    ["%zz%4g", "%zz%4g"],
    ["%41%62", "Ab"],
    ["%2541", "A"],
    ["%2%35%34%31", "A"],
    ["%25%32%35", "%"],
    ["%%32%35", "%"],
    ["%%%25%32%35asd%%", "%%%asd%%"],
    ["%FF%e9", "\u00ff\u00e9"]
  ])("%j is %j", (escaped, bytes) => {
    assert.strictEqual(PercentEncoding.decode(escaped), bytes)
  })

  const decodeOnce = (bytes: string) =>
    bytes.replace(/%([0-9a-fA-F]{2})/g, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16))
    )

  it("gives the same as repeated decoding", () => {
    const soup = FastCheck.array(
      FastCheck.constantFrom("%", "2", "5", "3", "4", "1", "g", "F", "%25", "\u0080"),
      { maxLength: 30 }
    )
    FastCheck.assert(
      FastCheck.property(soup, (pieces) => {
        let bytes = pieces.join("")
        for (let next = decodeOnce(bytes); next !== bytes; next = decodeOnce(bytes)) bytes = next
        assert.strictEqual(PercentEncoding.decode(pieces.join("")), bytes)
      }),
      { numRuns: runs(10_000) }
    )
  })

  it("decodes an escape nested as deep as a request body allows", () => {
    const depth = 30_000
    assert.strictEqual(PercentEncoding.decode(`%${"25".repeat(depth)}41`), "A")
  })
})

describe("encoder", () => {
  it("escapes what a canonical URL never contains, and what the pattern names", () => {
    const everyByte = String.fromCharCode(...Array.from({ length: 0x100 }, (_, byte) => byte))
    const shown = PercentEncoding.encoder(/[\0-\x20\x7f-\xff#%/]/)(everyByte).replace(/%[0-9A-F]{2}/g, "")
    assert.strictEqual(
      shown,
      "!\"$&'()*+,-.0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"
    )
    assert.strictEqual(
      PercentEncoding.encoder(PercentEncoding.ALWAYS_ESCAPED)("/ \u007f\u000a#%\u00ff"),
      "/%20%7F%0A%23%25%FF"
    )
  })

  it("is undone by decoding", () => {
    const decoded = FastCheck.uint8Array({ maxLength: 40 }).map((bytes) =>
      PercentEncoding.decode(Buffer.from(bytes).toString("latin1"))
    )
    FastCheck.assert(
      FastCheck.property(decoded, (bytes) => {
        assert.strictEqual(
          PercentEncoding.decode(PercentEncoding.encoder(/[\0-\x20\x7f-\xff#%/:]/)(bytes)),
          bytes
        )
      }),
      { numRuns: runs(5_000) }
    )
  })
})
