import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as HostFacts from "../../../../src/Checkers/Heuristics/HostFacts.ts"
import * as ModelText from "../../../../src/Checkers/Heuristics/Model/ModelText.ts"
import * as CanonicalUrl from "../../../../src/Url/CanonicalUrl.ts"

const textsOf = (url: string) => {
  const parsed = Either.getOrThrow(CanonicalUrl.parse(url))
  const { text, pathEnd } = ModelText.pathTextOf(parsed)
  return { ...ModelText.hostTextOf(HostFacts.factsOf(parsed.host)), path: text, query: text.slice(pathEnd) }
}

describe("what the model reads of a URL", () => {
  it("is host, path and query", () => {
    assert.deepStrictEqual(textsOf("https://login.shop.example.co.uk/a/b?c=d"), {
      host: "login.shop.example.co.uk",
      chosen: "login.shop.example",
      suffix: "co.uk",
      path: "/a/b?c=d",
      query: "?c=d"
    })
  })

  it("contains neither scheme nor www, port nor user info", () => {
    const plain = textsOf("https://example.com/x")
    for (const url of [
      "http://example.com/x",
      "https://www.example.com/x",
      "https://www2.example.com/x",
      "https://www.www.example.com:8080/x",
      "https://user:secret@example.com/x"
    ])
      assert.deepStrictEqual(textsOf(url), plain)
  })

  it("is, of a registrable domain with or without a label before it, that of its own URL", () => {
    for (const [host, prefix, domain] of [
      ["a.b.example.co.uk", "", "example.co.uk"],
      ["a.b.example.co.uk", "b.", "b.example.co.uk"],
      ["www.example.com", "", "example.com"],
      ["a.someone.pages.dev", "", "someone.pages.dev"],
      ["203.0.113.7", "", "203.0.113.7"]
    ] as const)
      assert.deepStrictEqual(
        ModelText.domainTextOf(HostFacts.factsOf(host), prefix),
        ModelText.hostTextOf(HostFacts.factsOf(domain))
      )
  })

  it("does not contain the name of a hosting firm", () => {
    for (const host of [
      "someone.github.io",
      "someone.webflow.io",
      "www.someone.weebly.com",
      "someone.vercel.app"
    ])
      assert.strictEqual(textsOf(`https://${host}/`).host, "someone.~")
    assert.strictEqual(textsOf("https://sites.google.com/view/x").host, "sites.~")
    assert.strictEqual(textsOf("https://someone.co.uk/").host, "someone.co.uk")
  })

  it("contains no IP address", () => {
    assert.deepStrictEqual(textsOf("https://203.0.113.7/x"), {
      host: "#",
      chosen: "",
      suffix: "",
      path: "/x",
      query: ""
    })
  })

  it("is the end of a long host and the beginning of a long path", () => {
    const { host, path } = textsOf(`https://${"a.".repeat(100)}example.com/${"b".repeat(900)}?c`)
    assert.isTrue(host.endsWith(".a.example.com"))
    assert.isAtMost(host.length, 104)
    assert.strictEqual(path, `/${"b".repeat(199)}`)
  })
})
