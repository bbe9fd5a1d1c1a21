import { assert, describe, it } from "@effect/vitest"
import * as RowLimits from "../../../training/Corpus/RowLimits.ts"
import { benign, phishing } from "../../fixtures/CorpusFiles.ts"

const many = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => make(index))

describe("limits on the rows that are learned from", () => {
  it("hold for each source, class and month by itself", () => {
    const rows = [
      ...many(8, (i) => phishing(`https://a${i}.example/`, "2026-05-01")),
      ...many(5, (i) => phishing(`https://b${i}.example/`, "2026-06-30")),
      ...many(5, (i) => phishing(`https://c${i}.example/`, "2026-05-31", "other")),
      ...many(6, (i) => benign(`https://d${i}.example/`, "2026-05-31", "feed"))
    ]
    const limited = RowLimits.limit(rows, 5)
    assert.strictEqual(limited.capped, 4)
    const kept = (name: string) => limited.rows.filter(({ url }) => url.startsWith(`https://${name}`)).length
    assert.deepStrictEqual(["a", "b", "c", "d"].map(kept), [5, 5, 5, 5])
  })

  it("do not apply to rows without a date, which are of no month", () => {
    assert.lengthOf(
      RowLimits.limit(
        many(9, (i) => benign(`https://a${i}.example/`)),
        5
      ).rows,
      9
    )
  })

  it("keep rows by a seeded choice, in their order: not those that come first", () => {
    const rows = many(100, (i) => phishing(`https://a${i}.example/`))
    const { rows: kept } = RowLimits.limit(rows, 20)
    assert.deepStrictEqual(RowLimits.limit(rows, 20).rows, kept)
    const places = kept.map((row) => rows.indexOf(row))
    assert.deepStrictEqual(
      places,
      places.toSorted((a, b) => a - b)
    )
    assert.isAbove(places.at(-1) ?? 0, 50)
  })

  it("leave at most a tenth of the benign rows to lists of bare domains", () => {
    const rows = [
      ...many(45, (i) => benign(`https://a${i}.example/x`)),
      ...many(30, (i) => benign(`https://b${i}.example/`, "", "ranking(derived)")),
      ...many(10, (i) => phishing(`https://c${i}.example/`, "2026-06-01", "feed(derived)"))
    ]
    const { rows: kept, bareDomains } = RowLimits.limit(rows)
    assert.strictEqual(bareDomains, 25)
    assert.lengthOf(kept, 60)
    assert.lengthOf(
      kept.filter(({ source }) => source === "ranking(derived)"),
      5
    )
  })
})
