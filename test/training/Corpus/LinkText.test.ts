import { assert, describe, it } from "@effect/vitest"
import { linksOf } from "../../../training/Corpus/BenignLists.ts"

describe("the links of a text", () => {
  it.each([
    [
      "Markdown",
      "* [a](https://a.example/x_y) and <https://b.example>, **https://c.example/**.",
      ["https://a.example/x_y", "https://b.example", "https://c.example/"]
    ],
    [
      "JSON",
      `{"url":"https:\\/\\/a.example\\/x?y=1\\u0026z=2","b":"http://b.example/"}`,
      ["https://a.example/x?y=1&z=2", "http://b.example/"]
    ],
    [
      "HTML",
      `<a href="https://a.example/?x&amp;y">https://a.example/&gt;</a>`,
      ["https://a.example/?x&y", "https://a.example/"]
    ],
    ["CSV", `1,"https://a.example/x,y",z`, ["https://a.example/x,y"]],
    ["lines", "https://a.example/x\r\nHTTPS://B.example/\n", ["https://a.example/x", "HTTPS://B.example/"]],
    ["a template", "https://a.example/search?q={{{s}}}", ["https://a.example/search?q="]],
    ["none", "nothing here: ftp://a.example", []]
  ])("are found in %s", (_, text, links) => {
    assert.deepStrictEqual(linksOf(text), links)
  })

  it("take time that grows with the length alone, whatever they end with", () => {
    const link = `https://a.example/${".".repeat(2_000_000)}x`
    assert.deepStrictEqual(linksOf(`${link}&gt;..,&quot;`), [link])
  })
})
