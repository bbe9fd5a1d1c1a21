import { assert, describe, it } from "@effect/vitest"
import * as tldts from "tldts"
import { isSuffix } from "../../src/Text/Suffixes.ts"

describe("the last labels of hosts", () => {
  it.each(["com", "de", "lol", "QPON", "рф", "xn--p1ai", "example"])("%s is one", (name) =>
    assert.isTrue(isSuffix(name))
  )

  it.each(["pdf", "docx", "html", "txt", "local", "internal", "exe", ""])("%o is none", (name) =>
    assert.isFalse(isSuffix(name))
  )

  it("are those of the Public Suffix List for names of two letters", () => {
    const letters = "abcdefghijklmnopqrstuvwxyz"
    const names = [...letters].flatMap((first) => [...letters].map((second) => first + second))
    assert.deepStrictEqual(
      names.filter(isSuffix),
      names.filter((name) => {
        const of = (host: string) => tldts.parse(host, { extractHostname: false }).isIcann === true
        return of(`x.${name}`) || of(`x.y.${name}`)
      })
    )
  })
})
