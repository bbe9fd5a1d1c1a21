import { assert, describe, it } from "@effect/vitest"
import * as TableRows from "../../training/TableRows.ts"

const learned = { words: TableRows.digestsOf("login\nsecure\n"), hosts: TableRows.digestsOf("pages.dev") }

describe("the rows of tables", () => {
  it("are the same in any order", () => {
    assert.strictEqual(TableRows.digestsOf("secure\nlogin"), learned.words)
    assert.deepStrictEqual(TableRows.differences(learned, learned), [])
  })

  it("are counted by table where they differ", () => {
    const now = { words: TableRows.digestsOf("login\nverify\nupdate"), hosts: learned.hosts }
    assert.deepStrictEqual(TableRows.differences(learned, now), ["words: 2 new rows, 1 removed"])
    assert.deepStrictEqual(TableRows.differences({}, learned), [
      "words: 2 new rows, 0 removed",
      "hosts: 1 new rows, 0 removed"
    ])
  })

  it("have a table each for brands, hosts, words and confusable characters", () => {
    const current = TableRows.current()
    assert.hasAllKeys(current, ["brands", "hosts", "words", "confusables"])
    for (const digests of Object.values(current)) assert.isAbove(Buffer.from(digests, "base64").length, 100)
  })
})
