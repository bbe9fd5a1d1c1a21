import { assert, describe, it } from "@effect/vitest"
import { fill } from "../../../src/Http/Pages/PageTemplate.ts"

const page = 'a <!-- if b --><a href="{{b}}">{{c}}</a><!-- end -->\n<!-- if c -->d<!-- end --> {{none}}e'

describe("a template", () => {
  it("keeps the blocks that have a value, and writes values as escaped text", () => {
    assert.strictEqual(
      fill(page, { b: `mailto:"x"@b?a&<c>'`, c: "{{b}}" }),
      'a <a href="mailto:&quot;x&quot;@b?a&amp;&lt;c&gt;&#39;">{{b}}</a>\nd e'
    )
  })

  it("leaves the others out", () => {
    assert.strictEqual(fill(page, { c: "" }), "a \nd e")
    assert.strictEqual(fill(page, { b: "1", c: undefined }), 'a <a href="1"></a>\n e')
  })
})
