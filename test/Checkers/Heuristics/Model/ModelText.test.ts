import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as CanonicalUrl from "../../../../src/Checkers/CanonicalUrl.ts"
import * as Host from "../../../../src/Checkers/Heuristics/Host.ts"
import * as ModelText from "../../../../src/Checkers/Heuristics/Model/ModelText.ts"

const of = (url: string) => {
  const parsed = Either.getOrThrow(CanonicalUrl.parse(url))
  const { rest, pathEnd } = ModelText.ofRest(parsed)
  return { ...ModelText.ofHost(Host.factsOf(parsed.host)), rest, query: rest.slice(pathEnd) }
}

describe("what the model reads of a URL", () => {
  it("is host, path and query", () => {
    assert.deepStrictEqual(of("https://login.shop.example.co.uk/a/b?c=d"), {
      host: "login.shop.example.co.uk",
      chosen: "login.shop.example",
      suffix: "co.uk",
      rest: "/a/b?c=d",
      query: "?c=d"
    })
  })

  it("holds neither scheme nor www, port nor user info", () => {
    const plain = of("https://example.com/x")
    for (const url of [
      "http://example.com/x",
      "https://www.example.com/x",
      "https://www2.example.com/x",
      "https://www.www.example.com:8080/x",
      "https://user:secret@example.com/x"
    ])
      assert.deepStrictEqual(of(url), plain)
  })

  it("names no firm under which anybody can publish", () => {
    for (const host of [
      "someone.github.io",
      "someone.webflow.io",
      "www.someone.weebly.com",
      "someone.vercel.app"
    ])
      assert.strictEqual(of(`https://${host}/`).host, "someone.~")
    assert.strictEqual(of("https://sites.google.com/view/x").host, "sites.~")
    assert.strictEqual(of("https://someone.co.uk/").host, "someone.co.uk")
  })

  it("holds no address of a machine", () => {
    assert.deepStrictEqual(of("https://203.0.113.7/x"), {
      host: "#",
      chosen: "",
      suffix: "",
      rest: "/x",
      query: ""
    })
  })

  it("is the end of a long host and the beginning of a long path", () => {
    const { host, rest } = of(`https://${"a.".repeat(100)}example.com/${"b".repeat(900)}?c`)
    assert.isTrue(host.endsWith(".a.example.com"))
    assert.isAtMost(host.length, 104)
    assert.strictEqual(rest, `/${"b".repeat(199)}`)
  })
})
