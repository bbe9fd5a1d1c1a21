import { Buffer } from "node:buffer"
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { NOT_COVERED, OperatorList, readerInto } from "../../../src/Lists/OperatorLists/OperatorList.ts"
import { MAX_ENTRY_LENGTH } from "../../../src/Lists/ThreatFeed/FeedFormat/FeedReader.ts"
import * as CanonicalUrl from "../../../src/Url/CanonicalUrl.ts"
import { runs } from "../../fixtures/Seed.ts"

const opened = () => {
  const list = new OperatorList()
  return { list, reader: readerInto(list) }
}

const read = (content: string | Buffer, pieceBytes = 8192) => {
  const bytes = Buffer.from(content)
  const { list, reader } = opened()
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.read(bytes.subarray(at, at + pieceBytes))
  reader.end()
  return { list, reader }
}

const covers = ({ list }: ReturnType<typeof read>, url: string) =>
  list.specificityOf(Either.getOrThrow(CanonicalUrl.parse(url))) !== NOT_COVERED

const counts = ({ list, reader }: ReturnType<typeof read>) => ({
  entries: list.entries,
  skipped: reader.skipped.total,
  skippedLines: reader.skipped.first.map(({ line }) => line)
})

const FILE = [
  "\ufeff# a comment after a byte order mark",
  "",
  "https://example.com/page#fragment",
  "  example.net  ",
  "\t# an indented comment",
  "not a URL",
  "mailto:somebody@example.com",
  "b\u00fccher.example/\u00fc",
  "example.org # a note",
  "*.example.org",
  "192.0.2.1"
]

describe("readerInto", () => {
  it.each(["\n", "\r\n"])("reads entries, comments and blank lines that end with %j", (end) => {
    for (const text of [FILE.join(end), FILE.join(end) + end]) {
      const file = read(text)
      assert.deepStrictEqual(counts(file), { entries: 5, skipped: 2, skippedLines: [6, 7] })
      assert.isTrue(covers(file, "https://example.com/page?x"))
      assert.isTrue(covers(file, "https://www.example.net/x"))
      assert.isTrue(covers(file, "https://xn--bcher-kva.example/%C3%BC"))
      assert.isTrue(covers(file, "https://192.0.2.1/x"))
      assert.isTrue(covers(file, "https://example.org/"))
      assert.isTrue(covers(file, "https://www.example.org/"))
    }
  })

  it("reads the same in pieces of any size", () => {
    const bytes = Buffer.from(FILE.join("\n"))
    fc.assert(
      fc.property(fc.integer({ min: 1, max: bytes.length }), (pieceBytes) => {
        const file = read(bytes, pieceBytes)
        assert.deepStrictEqual(counts(file), counts(read(bytes)))
        assert.isTrue(covers(file, "https://xn--bcher-kva.example/%C3%BC"))
      })
    )
  })

  it("never throws, and counts every line that is no comment", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const file = read(Buffer.from(bytes), 7)
        assert.isAtMost(file.list.entries + file.reader.skipped.total, bytes.length + 1)
      }),
      { numRuns: runs(2000) }
    )
  })

  it("skips a line that is too long, and notes the numbers of the first three", () => {
    const long = `https://example.com/${"x".repeat(MAX_ENTRY_LENGTH)}`
    const accepted = long.slice(0, MAX_ENTRY_LENGTH)
    const file = read(`${long}\n${accepted}\n${"#".repeat(2 * MAX_ENTRY_LENGTH)}\n${"no URL\n".repeat(20)}`)
    assert.deepStrictEqual(counts(file), {
      entries: 1,
      skipped: 22,
      skippedLines: [1, 3, 4]
    })
    assert.isTrue(covers(file, accepted))
  })

  it("keeps no more of a line than it can use", () => {
    const piece = Buffer.alloc(4096, "a")
    const millisOfEnd = () => {
      const { list, reader } = opened()
      for (let pieces = 0; pieces < 4096; pieces++) reader.read(piece)
      const start = performance.now()
      reader.end()
      assert.deepStrictEqual(counts({ list, reader }), { entries: 0, skipped: 1, skippedLines: [1] })
      return performance.now() - start
    }
    assert.isBelow(Math.min(millisOfEnd(), millisOfEnd(), millisOfEnd()), 5)
  })

  it.each<[line: string, url: string, outcome: string]>([
    ["198.51.100.7/32", "http://198.51.100.7/x", "covered"],
    ["2001:db8::7/128", "http://[2001:db8::7]/", "covered"],
    ["192.0.2.8/255.255.255.255", "http://192.0.2.8/", "covered"],
    ["*.kit.example", "https://kit.example/", "covered"],
    ["kit.example/*", "https://www.kit.example/x", "covered"],
    ["||kit.example^$document,popup", "https://kit.example/x", "covered"],
    ["kit.example\t# seen twice", "https://kit.example/", "covered"],
    ["in # a whole country", "https://kit.in/", "covered"],
    ["https://kit.example/?a=1&amp;b=2", "https://kit.example/?a=1&b=2", "covered"],
    ["linkpc.net", "https://someone.linkpc.net/", "covered"],
    ["203.0.113.0/24", "http://203.0.113.0/24", "Network"],
    ["2001:db8::/32", "http://[2001:db8::]/32", "Network"],
    ["203.0.113.1-203.0.113.9", "http://203.0.113.1/", "Network"],
    ["203.0.113.1 - 203.0.113.9", "http://203.0.113.1/", "Network"],
    ["https://kit.example/pay*", "https://kit.example/pay", "Wildcard in a path"],
    ["kit.example/**", "https://www.kit.example/x", "covered"],
    ["kit.example/pay?*", "https://kit.example/pay?id=1", "covered"],
    ["kit.example/pay?id=*", "https://kit.example/pay?id=1", "Wildcard in a path"],
    ["kit.example/?*", "https://kit.example/?id=1", "Wildcard in a path"],
    ["https://kit.example/pay,", "https://kit.example/pay", "covered"],
    ["https://kit.example/pay...", "https://kit.example/pay", "Not a URL or host"],
    ["https://kit.example/pay?id=1...", "https://kit.example/pay?id=12", "Not a URL or host"],
    ["someone@kit.example", "https://kit.example/", "Not a URL or host"]
  ])("reads %s, and %s is: %s", (line, url, outcome) => {
    const file = read(`first.example\n${line}\n`)
    const [skipped] = file.reader.skipped.first
    assert.strictEqual(skipped?.reason ?? (covers(file, url) ? "covered" : "not covered"), outcome)
    assert.strictEqual(covers(file, url), outcome === "covered")
  })

  it("reads an empty file as a list without entries", () => {
    assert.deepStrictEqual(counts(read("")), { entries: 0, skipped: 0, skippedLines: [] })
  })
})
