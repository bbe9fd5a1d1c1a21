import { Buffer } from "node:buffer"
import { assert, describe, it } from "@effect/vitest"
import { formatOf, mediaTypeOf, type Treatment, treatmentOf } from "../../../src/Text/Mail/Treatment.ts"

const TEXT = "Please open https://a.example/"
const PDF = "%PDF-1.7\u0001"
const PNG = "\u0089PNG\r\n\u001a\n\0\0"
const BINARY = "\u0001\u0002\u0003"

type Row = readonly [
  type: string,
  body: string,
  readAs: Treatment["readAs"],
  ...unread: ReadonlyArray<string>
]

const rows: ReadonlyArray<Row> = [
  ["message/rfc822", BINARY, "mail"],
  ["text/html", TEXT, "text"],
  ["text/html", PDF, "text", "application/pdf"],
  ["text/html", PNG, "text"],
  ["text/html", BINARY, "text", "text/html that is not a text"],
  ["image/png", TEXT, "content"],
  ["image/png", PNG, "nothing"],
  ["image/png", PDF, "nothing", "application/pdf"],
  ["image/png", BINARY, "nothing"],
  ["text/rfc822-headers", TEXT, "mail"],
  ["application/pgp-signature", TEXT, "addresses"],
  ["message/feedback-report", TEXT, "addresses"],
  ["message/global-delivery-status", TEXT, "addresses"],
  ["application/pkcs7-signature", BINARY, "nothing"],
  ["application/x-unknown", TEXT, "guess"],
  ["application/x-unknown", PNG, "nothing"],
  ["application/x-unknown", PDF, "nothing", "application/x-unknown"],
  ["application/x-unknown", BINARY, "nothing", "application/x-unknown"]
]

describe("the treatment of a body", () => {
  it.each(rows.map((row) => [row[0], row[1], row] as const))("of the type %s with %j", (_, __, row) => {
    const [type, body, readAs, ...unread] = row
    assert.deepStrictEqual(
      treatmentOf(
        { type, format: formatOf(type), parameters: "", encoding: "" },
        Buffer.from(body, "latin1")
      ),
      { readAs, unread }
    )
  })

  it("reports an encoding and a charset that cannot be decoded", () =>
    assert.deepStrictEqual(
      treatmentOf(
        { type: "text/plain", format: "text", parameters: "; charset=utf-7", encoding: "x-uuencode" },
        Buffer.from(TEXT)
      ),
      { readAs: "text", unread: ["text/plain in x-uuencode", "text/plain in UTF-7 or EBCDIC"] }
    ))
})

describe("the media type of a file", () => {
  it.each([
    ["application/octet-stream", "Invoice.HTML", "text/html"],
    ["image/png", "a.html .", "text/html"],
    ["image/png", "a.png", "image/png"],
    ["application/pdf", "a.html", "application/pdf"]
  ])("%s with the name %s is %s", (declared, name, expected) =>
    assert.strictEqual(mediaTypeOf(declared, name), expected)
  )
})
