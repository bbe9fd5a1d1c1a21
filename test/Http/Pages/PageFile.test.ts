import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as PageFile from "../../../src/Http/Pages/PageFile.ts"
import * as LogLines from "../../fixtures/LogLines.ts"

/** A folder with these files. */
const folderWith = (files: Readonly<Record<string, string>>) => (path: string) => {
  const content = files[basename(path)]
  if (content === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT" })
  return Buffer.from(content)
}

const folder = folderWith({ "a.css": "plain", "a.css.br": "brotli", "a.css.gz": "gzip" })

describe("a file of a page", () => {
  const cases: ReadonlyArray<readonly [acceptEncoding: string | undefined, encoding: string | undefined]> = [
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["deflate", undefined],
    ["gzip", "gzip"],
    ["GZIP", "gzip"],
    ["br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip;q=1.0, br;q=0.1", "br"],
    ["br;q=0, gzip", "gzip"],
    ["br; q=0.000, gzip ;q=0", undefined],
    ["*", undefined],
    ["gzip, *;q=0", "gzip"],
    ["br;q=x", "br"]
  ]
  for (const [acceptEncoding, encoding] of cases)
    it.effect(`is sent as ${encoding ?? "it is"} to Accept-Encoding: ${acceptEncoding ?? "(none)"}`, () =>
      Effect.gen(function* () {
        const file = yield* PageFile.read(folder, "a.css", {})
        const { body, headers } = file(acceptEncoding)
        const content = { br: "brotli", gzip: "gzip" }[encoding ?? ""] ?? "plain"
        assert.strictEqual(String(body), content)
        assert.strictEqual(headers["content-encoding"], encoding)
        assert.strictEqual(headers["content-type"], "text/css; charset=utf-8")
        assert.strictEqual(headers.vary, "Accept-Encoding")
      })
    )

  it.effect("has an entity tag for each form", () =>
    Effect.gen(function* () {
      const file = yield* PageFile.read(folder, "a.css", {})
      const tags = ["identity", "gzip", "br"].map((encoding) => file(encoding).headers.etag)
      assert.strictEqual(new Set(tags).size, 3)
    })
  )

  it.effect("is sent as it is where a build has not compressed it", () =>
    Effect.gen(function* () {
      const file = yield* PageFile.read(folderWith({ "a.svg": "plain" }), "a.svg", {})
      assert.strictEqual(String(file("br, gzip").body), "plain")
    })
  )

  it("of a text is compressed when it is asked for", () => {
    const file = PageFile.ofText("a.html", { vary: "Accept-Encoding, Accept-Language" }, "PLAIN")
    const bodyOf = (encoding: string) => {
      const { body, headers } = file(encoding)
      assert.strictEqual(headers.vary, "Accept-Encoding, Accept-Language")
      return [Buffer.from(body ?? ""), headers["content-encoding"]] as const
    }
    const [plain] = bodyOf("identity")
    const [brotli, br] = bodyOf("br")
    const [gzipped, gzip] = bodyOf("gzip")
    assert.strictEqual(plain.toString(), "PLAIN")
    assert.deepStrictEqual([brotliDecompressSync(brotli).toString(), br], ["PLAIN", "br"])
    assert.deepStrictEqual([gunzipSync(gzipped).toString(), gzip], ["PLAIN", "gzip"])
    assert.strictEqual(file("br"), file("br"))
  })

  it.effect("that cannot be read is logged with its path", () =>
    Effect.gen(function* () {
      const [read, lines] = yield* LogLines.logged(Effect.option(PageFile.read(folder, "b.css", {})))
      assert.isTrue(Option.isNone(read))
      const file = fileURLToPath(new URL("../../../src/Http/Pages/b.css", import.meta.url))
      const message = "A page cannot be read and is not served"
      assert.deepStrictEqual(lines, [{ level: "error", message, file, reason: "ENOENT" }])
    })
  )
})

const page = 'a <!-- if b --><a href="{{b}}">{{c}}</a><!-- end -->\n<!-- if c -->d<!-- end --> {{none}}e'

describe("a template", () => {
  it("keeps the blocks that have a value, and writes values as escaped text", () => {
    assert.strictEqual(
      PageFile.fill(page, { b: `mailto:"x"@b?a&<c>'`, c: "{{b}}" }),
      'a <a href="mailto:&quot;x&quot;@b?a&amp;&lt;c&gt;&#39;">{{b}}</a>\nd e'
    )
  })

  it("leaves the others out", () => {
    assert.strictEqual(PageFile.fill(page, { c: "" }), "a \nd e")
    assert.strictEqual(PageFile.fill(page, { b: "1", c: undefined }), 'a <a href="1"></a>\n e')
  })
})
