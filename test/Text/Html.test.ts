import { assert, it } from "@effect/vitest"
import { linksIn } from "../../src/Text.ts"

it("places a link before one that is found earlier", () => {
  const [first] = linksIn("<p>see https://a.example/</p>\n<p>&lt;https://b.example/x\ny&gt;</p>", "html")
  assert.deepStrictEqual([first?.url, first?.line, first?.column], ["https://a.example/", 1, 8])
})
