import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as Ranking from "../../../training/Evaluation/Ranking.ts"
import { majestic } from "../../fixtures/Rankings.ts"

describe("a ranking for the evaluation", () => {
  it.each([
    ["majestic-csv", majestic(["daily.example", "daily.co.uk"])],
    ["ranked-csv", "1,www.daily.example\r\n2,daily.co.uk\r\n"],
    ["TSV", "daily.example\tsome-list\nnews.daily.co.uk\tother.list\n"]
  ])("is read as %s", (_, text) => {
    const sites = ["daily.example", "daily.co.uk"]
    assert.sameMembers([...Ranking.sitesOf(Buffer.from(text))], sites)
    assert.sameMembers([...Ranking.sitesOf(gzipSync(text))], sites)
  })

  it("has no shared hosts, as that of the service", () => {
    const text = "google.com\ntenant.github.io\n192.0.2.1\nweebly.com\n"
    assert.deepStrictEqual([...Ranking.sitesOf(Buffer.from(text))], [])
  })

  it("ends where that of the service does", () => {
    const rows = Array.from({ length: 100_001 }, (_, index) => `site${index}.example`)
    const sites = Ranking.sitesOf(Buffer.from(rows.join("\n")))
    assert.deepStrictEqual(
      ["site99999.example", "site100000.example"].map((site) => sites.has(site)),
      [true, false]
    )
  })
})
