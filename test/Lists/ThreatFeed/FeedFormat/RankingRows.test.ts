import { assert, describe, it } from "@effect/vitest"
import type { RankingFormatName } from "../../../../src/Layers/AppConfig.ts"
import type { ListError } from "../../../../src/Lists/ListError.ts"
import { ThrownListError } from "../../../../src/Lists/ListWorker/ThrownListError.ts"
import { RankingRows } from "../../../../src/Lists/ThreatFeed/FeedFormat/RankingRows.ts"
import { majestic } from "../../../fixtures/Rankings.ts"

const ROWS = 100_000

const read = (format: RankingFormatName, text: string, chunkBytes = 7) => {
  const reader = new RankingRows(format)
  const bytes = Buffer.from(text)
  const domains: Array<string> = []
  for (let at = 0; at < bytes.length; at += chunkBytes)
    domains.push(...reader.read(bytes.subarray(at, at + chunkBytes)))
  domains.push(...reader.end())
  return { domains, skipped: reader.skipped, isFull: reader.isFull }
}

const reasonOf = (read: () => unknown): ListError["reason"] | undefined => {
  try {
    read()
    return undefined
  } catch (error) {
    return error instanceof ThrownListError ? error.reason : assert.fail(String(error))
  }
}

const HEADER = "GlobalRank,TldRank,Domain"

describe("RankingRows", () => {
  it.each<
    [name: string, format: RankingFormatName, text: string, domains: ReadonlyArray<string>, skipped: number]
  >([
    [
      "the columns of Majestic",
      "majestic-csv",
      majestic(["a.example", "b.example"]),
      ["a.example", "b.example"],
      0
    ],
    ["only its first columns", "majestic-csv", `${HEADER}\n1,1,a.example\n`, ["a.example"], 0],
    ["more columns than today", "majestic-csv", `${HEADER},X\r\n1,1,a.example,x,y\r\n`, ["a.example"], 0],
    ["a byte order mark", "majestic-csv", `\ufeff${HEADER}\n1,1,a.example`, ["a.example"], 0],
    ["ranks and domains", "ranked-csv", "1,a.example\r\n2,b.example\r\n", ["a.example", "b.example"], 0],
    ["a last row without an end", "ranked-csv", "1,a.example\n2,b.example", ["a.example", "b.example"], 0],
    ["a header over them", "ranked-csv", "rank,domain\n1,a.example\n", ["a.example"], 0],
    ["empty lines", "ranked-csv", "\n1,a.example\n\n\n2,b.example\n\n", ["a.example", "b.example"], 0],
    ["a row without a domain", "ranked-csv", "1,a.example\n2,\n3,c.example\n", ["a.example", "c.example"], 1],
    ["a row without a rank", "ranked-csv", "1,a.example\nx,b.example\n", ["a.example"], 1],
    ["a row of more columns", "ranked-csv", "1,a.example\n2,b.example,9\n", ["a.example"], 1]
  ])("reads %s", (_, format, text, domains, skipped) => {
    assert.deepStrictEqual(read(format, text), { domains, skipped, isFull: false })
  })

  it("reads the same whatever the chunks", () => {
    const text = `${majestic(["a.example", "b.example", "c.example"])}\n`
    for (let size = 1; size < text.length; size++)
      assert.deepStrictEqual(read("majestic-csv", text, size), read("majestic-csv", text, text.length))
  })

  it.each<[name: string, format: RankingFormatName, text: string]>([
    ["a table without the header", "majestic-csv", "1,1,a.example\n"],
    ["another table", "majestic-csv", "rank,domain\n1,a.example\n"],
    ["a table of another format", "ranked-csv", majestic(["a.example", "b.example"])],
    ["text", "ranked-csv", "Forbidden"],
    ["hosts", "ranked-csv", "a.example\nb.example\n"],
    ["a row that does not end", "ranked-csv", `1,${"a".repeat(5000)}`]
  ])("refuses %s by its columns", (_, format, text) => {
    assert.strictEqual(
      reasonOf(() => read(format, text, 1000)),
      "Columns"
    )
  })

  it(`is full after ${ROWS} rows, and takes no more of them`, () => {
    const rows = Array.from({ length: ROWS + 5 }, (_, i) => `${i + 1},d${i + 1}.example\n`)
    const full = read("ranked-csv", rows.join(""), 65_536)
    assert.strictEqual(full.domains.length, ROWS)
    assert.strictEqual(full.domains.at(-1), `d${ROWS}.example`)
    assert.isTrue(full.isFull)
    assert.isFalse(read("ranked-csv", rows.slice(0, ROWS - 1).join(""), 65_536).isFull)
  })
})
