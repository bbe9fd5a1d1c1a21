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
      areAddresses: batches.flatMap(({ places }) => places ?? []).map(({ isAddress }) => isAddress),
      lines: batches.flatMap(({ places }) => places ?? []).map(({ line }) => line),
      unreadable: batches.flatMap(({ unreadable }) => unreadable)
    }
  })

/** Long, so that a block is likely to end in it. */
const REST = "goes-on".repeat(20)

/** A cell, long, so that few rows have several blocks. */
const NOTE = "A note of two hundred letters ".repeat(7)

/** The rest of a mail, long, so that a block is likely to end in it. */
const MORE = "The shop has moved to another street.\n".repeat(24)

describe("the links of a long text", () => {
  it.effect("are joined where a line is broken, wherever the text is read in blocks", () =>
    Effect.gen(function* () {
      const link = (at: number) =>
        `https://shop.example/a-path-that-a-mail-program-has-broken-into-two/${at}-and-`
      const paragraph = (at: number) => `Dear reader, see\n${link(at)}\n${REST}\nfor more.\n\n`
      const paragraphs = Array.from({ length: 14_000 }, (_, at) => at)
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

  it.effect("are found in base64, wherever the text is read in blocks", () =>
    Effect.gen(function* () {
      const links = Array.from({ length: 1000 }, (_, at) => `https://a${at}.example/${REST}`)
      const encoded = Buffer.from(links.join("\n")).toString("base64").replaceAll(/.{75}/g, "$&\n")
      const { urls, unreadable } = yield* extracted(`${"A line.\n".repeat(127_000)}${encoded}\nThanks\n`)
      assert.deepStrictEqual(urls, links)
      assert.deepStrictEqual(unreadable, [])
    })
  )

  it.effect("are those of two columns, wherever the table is read in blocks", () =>
    Effect.gen(function* () {
      const rows = Array.from({ length: 8000 }, (_, at) => `${at}\ta.example\t/x${at}\t${NOTE}`)
      const { lines, urls } = yield* extracted(["#fields\tts\thost\turi\tnote", ...rows, ""].join("\n"))
      assert.deepStrictEqual(urls, ["a.example", ...rows.map((_, at) => `http://a.example/x${at}`)])
      assert.deepStrictEqual(
        lines.slice(1),
        rows.map((_, at) => at + 2)
      )
    })
  )

  it.effect("are those of the columns that a log has named last", () =>
    Effect.gen(function* () {
      const rows = Array.from({ length: 8000 }, (_, at) => `/x${at} b.example a.example ${REST}`)
      const names = [
        "#Fields: date cs-host cs-uri-stem",
        "2026 a.example /",
        "#Fields: cs-uri-stem s-ip cs-host cs-username"
      ]
      const { lines, urls } = yield* extracted([...names, ...rows, ""].join("\n"))
      assert.deepStrictEqual(
        urls.filter((url) => url.includes("/")),
        rows.map((_, at) => `http://a.example/x${at}`)
      )
      assert.strictEqual(lines.at(-1), rows.length + names.length)
    })
  )

  it.effect("are joined in a table whose cells have line breaks, wherever it is read in blocks", () =>
    Effect.gen(function* () {
      const rows = Array.from(
        { length: 8000 },
        (_, at) => `a.example,"A${at < 4 ? "" : `\nlong\n${NOTE}\n`}",/x${at}\n`
      )
      const { urls } = yield* extracted(`host,note,path\n${rows.join("")}`)
      assert.deepStrictEqual(urls, ["a.example", ...rows.map((_, at) => `http://a.example/x${at}`)])
    })
  )

  it.effect("may be IP addresses by themselves, which in a table may be those of clients", () =>
    Effect.gen(function* () {
      const links = ["192.0.2.1", "192.0.2.2:80", "http://192.0.2.3", "192.0.2.4/x", "192[.]0[.]2[.]5"]
      const flagged = (text: string) =>
        Effect.map(extracted(text), ({ areAddresses, urls }) => {
          assert.lengthOf(urls, links.length)
          return urls.filter((_, at) => areAddresses[at])
        })
      const cells = links.map((link) => `login,${link}\n`).join("")
      assert.deepStrictEqual(yield* flagged(`event,source\n${cells}`), ["192.0.2.1", "192.0.2.2:80"])
      const events = links.map((link) => `<Data>${link}</Data>`).join("")
      assert.deepStrictEqual(yield* flagged(`<Event>${events}</Event>`), ["192.0.2.1", "192.0.2.2:80"])
      // A message or an article is XML too.
      const message = `<?xml version="1.0"?><smses><sms body="Open ${links.join(" and ")}"/></smses>`
      assert.deepStrictEqual(yield* flagged(message), [])
      assert.deepStrictEqual(yield* flagged(`<p>${links.join(" and ")}</p>`), [])
      assert.deepStrictEqual(yield* flagged(links.join(" and ")), [])
      const { areAddresses, urls } = yield* extracted(
        "host,url\n192.0.2.1,/x\nhttps://192.0.2.2,/x\na.example,/x\n"
      )
      assert.deepStrictEqual(
        urls.filter((_, at) => areAddresses[at]),
        ["192.0.2.1", "http://192.0.2.1/x"]
      )
      assert.include(urls, "https://192.0.2.2/x")
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

  it.effect("of a mail are whole, though a line of it begins with the word of a mailbox", () =>
    Effect.gen(function* () {
      const page = Buffer.from('<a href="https://a.example/page">a</a>').toString("base64")
      const mail = (name: string) =>
        `Subject: ${name}\nFrom: a@a.example\nContent-Type: multipart/mixed; boundary="b"\n\n--b\n\nHello,\n\nFrom today on see https://${name}.example/\n${MORE}\n--b\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\n${page}\n--b--\n`
      const one = yield* extracted(mail("one"))
      assert.deepStrictEqual(one.urls, ["https://a.example/page", "https://one.example/"])
      const from = "From a@a.example Sat Aug  1 10:00:00 2026\n"
      const names = Array.from({ length: 2000 }, (_, at) => `m${at}`)
      const box = names.map((name) => `${from}${mail(name)}\n`).join("")
      assert.isAbove(box.length, 2 * 1_048_576)
      const { unreadable, urls } = yield* extracted(box)
      assert.deepStrictEqual(urls, [
        "https://a.example/page",
        ...names.map((name) => `https://${name}.example/`)
      ])
      assert.deepStrictEqual(unreadable, [])
    })
  )
})
