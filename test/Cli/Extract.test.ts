import { Buffer } from "node:buffer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as Extract from "../../src/Cli/Extract.ts"

/** The URLs of a text that arrives in pieces of 64 KiB, and what was not read. */
const extracted = (text: string) =>
  Effect.gen(function* () {
    const bytes = Buffer.from(text)
    const chunks = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, at) =>
      bytes.subarray(at * 65_536, (at + 1) * 65_536)
    )
    const batches = Array.from(yield* Stream.runCollect(Extract.batches(Stream.fromIterable(chunks))))
    return {
      urls: batches.flatMap(({ urls }) => urls),
      unreadable: batches.flatMap(({ unreadable }) => unreadable)
    }
  })

/** Long, so that a block is likely to end in it. */
const REST = "goes-on".repeat(20)

describe("the links of a long text", () => {
  it.effect("are joined where a line is broken, wherever the text is read in blocks", () =>
    Effect.gen(function* () {
      const link = (at: number) =>
        `https://shop.example/a-path-that-a-mail-program-has-broken-into-two/${at}-and-`
      const paragraph = (at: number) => `Dear reader, see\n${link(at)}\n${REST}\nfor more.\n\n`
      const paragraphs = Array.from({ length: 30_000 }, (_, at) => at)
      const text = paragraphs.map(paragraph).join("")
      assert.isAbove(text.length, 3 * 1_048_576)
      const { urls, unreadable } = yield* extracted(text)
      const found = new Set(urls)
      assert.deepStrictEqual(
        paragraphs.filter((at) => !found.has(`${link(at)}${REST}`)),
        []
      )
      assert.deepStrictEqual(unreadable, [])
    })
  )

  it.effect("of a page that does not fit into memory are those of its pieces, which is said", () =>
    Effect.gen(function* () {
      const page = `<html><a href="https://a.example/">a</a>${" ".repeat(65 * 1_048_576)}<a href="https://b.example/">b</a>`
      const { urls, unreadable } = yield* extracted(page)
      assert.deepStrictEqual(urls, ["https://a.example/", "https://b.example/"])
      assert.deepStrictEqual(unreadable, [
        { line: 1, reason: "the beginning of more than 64 MB that can only be read as a whole" }
      ])
    })
  )
})
