import { assert, describe, it } from "@effect/vitest"
import { Duration, FastCheck } from "effect"
import * as ListRecord from "../../../src/Lists/ThreatList/ListRecord.ts"
import { ThreatListBuilder } from "../../../src/Lists/ThreatList/ThreatListBuilder.ts"
import type { ThreatList } from "../../../src/Lists/ThreatList.ts"
import { NaiveList } from "../../fixtures/NaiveList.ts"
import { runs } from "../../fixtures/Seed.ts"
import { addAll, kindOf, listOf, matchOf } from "../../fixtures/ThreatLists.ts"

const hour = Duration.toMillis(Duration.hours(1))
const day = 24 * hour
const start = Date.UTC(2026, 10, 21)
const oldestDay = (now: number) => ListRecord.dayOf(now - 7 * day)

/** The list of a document of the time `now`, with the unexpired entries of the earlier list, last confirmed at `fetchedAt`. */
const listAt = (
  now: number,
  entries: ReadonlyArray<string>,
  earlier?: { readonly list: ThreatList; readonly fetchedAt: number }
): ThreatList => {
  const builder = new ThreatListBuilder(oldestDay(now))
  addAll(builder, entries)
  if (earlier !== undefined) builder.keep(earlier.list, earlier.fetchedAt)
  return builder.build()
}

/** The list when the document of `earlier` is still the feed's answer at `now`. */
const unchanged = (now: number, earlier: ThreatList): ThreatList => {
  const builder = new ThreatListBuilder(oldestDay(now))
  builder.keep(earlier, undefined)
  return builder.build()
}

/** How many listed pages a host has; 0 when they are fewer than three. */
const pagesOf = (list: ThreatList, host = "evil.example"): number => {
  const match = matchOf(list, `http://${host}/another-page`)
  return match?.kind === "otherPagesListed" ? match.pages : 0
}

const page = (number: number, host = "evil.example") => `http://${host}/${number}`

describe("ThreatListBuilder", () => {
  it("keeps an entry that left the document until its retention is over", () => {
    const first = listAt(start, ["http://a.example/1", "http://a.example/2"])
    const second = listAt(start + day, ["http://a.example/2"], { list: first, fetchedAt: start })
    assert.strictEqual(kindOf(second, "http://a.example/1"), "listedUrl")
    assert.deepInclude(second.header, { entries: 2, entriesInDocument: 1 })

    const sixth = listAt(start + 6 * day, ["http://a.example/2"], {
      list: second,
      fetchedAt: start + 5 * day
    })
    assert.strictEqual(kindOf(sixth, "http://a.example/1"), "listedUrl")

    const eighth = listAt(start + 8 * day, ["http://a.example/2"], {
      list: sixth,
      fetchedAt: start + 7 * day
    })
    assert.isUndefined(kindOf(eighth, "http://a.example/1"))
    assert.strictEqual(kindOf(eighth, "http://a.example/2"), "listedUrl")
    assert.deepInclude(eighth.header, { entries: 1, entriesInDocument: 1 })
  })

  it("counts the pages of a feed that lists another page of a host each time", () => {
    let list = listAt(start, [page(0)])
    for (let i = 1; i < 12; i++) {
      list = listAt(start + i * day, [page(i)], { list, fetchedAt: start + (i - 1) * day })
      // From the seventh day on the oldest one expires.
      assert.strictEqual(pagesOf(list), i < 2 ? 0 : Math.min(i + 1, 8), `day ${i}`)
    }
  })

  it("counts a page that comes again once, and from then on by its new time", () => {
    const first = listAt(start, [page(1), page(2), page(3)])
    const gone = listAt(start + day, [page(4)], { list: first, fetchedAt: start })
    assert.strictEqual(pagesOf(gone), 4)
    const back = listAt(start + 2 * day, [page(1), page(1)], { list: gone, fetchedAt: start + day })
    assert.strictEqual(pagesOf(back), 4)
    const later = listAt(start + 8.5 * day, [page(1), page(5)], { list: back, fetchedAt: start + 8 * day })
    assert.strictEqual(pagesOf(later), 3, "1, 4 and 5")
    const last = listAt(start + 9.5 * day, [page(5)], { list: later, fetchedAt: start + 9 * day })
    assert.strictEqual(pagesOf(last), 0, "1 and 5")
  })

  it("counts the pages of an unchanged document, and no more those past their retention", () => {
    const first = listAt(start, [page(1), page(2)])
    const second = listAt(start + day, [page(3), page(4), page(5)], { list: first, fetchedAt: start })
    assert.strictEqual(pagesOf(second), 5)
    assert.strictEqual(pagesOf(unchanged(start + 6 * day, second)), 5)
    const later = unchanged(start + 8 * day, second)
    assert.strictEqual(pagesOf(later), 3)
    assert.strictEqual(
      pagesOf(listAt(start + 9 * day, [page(3)], { list: later, fetchedAt: start + 8 * day })),
      3
    )
  })

  it("covers what a map of texts covers, whatever documents follow each other", () => {
    const hosts = ["h0.example", "h1.example", "sub.h1.example", "192.0.2.1"]
    const paths = ["", "?q", "d/", "d/x", "d/x?q=1", "d/x?q=2", "d/e/", "d/e/y?q", "1", "2", "3"]
    const urls = hosts.flatMap((host) => paths.map((path) => `http://${host}/${path}`))
    const asked = [
      ...urls,
      ...hosts.slice(0, -1).map((host) => `http://www.${host}/d/x`),
      ...hosts.flatMap((host) => [`http://${host}/d/e/z`, `http://${host}/other`])
    ]
    const step = FastCheck.record({
      rows: FastCheck.option(FastCheck.array(FastCheck.constantFrom(...urls), { maxLength: 12 }), {
        nil: undefined
      }),
      hours: FastCheck.integer({ min: 1, max: 80 })
    })
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(step, { minLength: 1, maxLength: 10 }),
        FastCheck.boolean(),
        (steps, hasRetention) => {
          const naive = new NaiveList(hasRetention ? 7 : -1)
          let list = listOf([])
          let now = start
          for (const { rows, hours } of steps) {
            const fetchedAt = now
            now += hours * hour
            // Without a retention a document that has not changed is not built anew.
            if (rows === undefined && !hasRetention) continue
            naive.update(now, rows)
            const builder = new ThreatListBuilder(hasRetention ? oldestDay(now) : undefined)
            addAll(builder, rows ?? [])
            builder.keep(list, rows === undefined ? undefined : fetchedAt)
            list = builder.build()
            assert.deepInclude(list.header, naive.counts())
            for (const url of asked) {
              const match = matchOf(list, url)
              const found = match?.kind === "otherPagesListed" ? match.pages : match?.kind
              assert.strictEqual(found, naive.match(url), url)
            }
          }
        }
      ),
      { numRuns: runs(200) }
    )
  })

  it("counts the retention from the last time the entry was seen", () => {
    const first = listAt(start, ["http://a.example/1"])
    // Its document was confirmed for five days before it changed.
    const later = listAt(start + 11 * day, ["http://b.example/"], { list: first, fetchedAt: start + 5 * day })
    assert.strictEqual(kindOf(later, "http://a.example/1"), "listedUrl")
    const tooLate = listAt(start + 13 * day, ["http://b.example/"], {
      list: first,
      fetchedAt: start + 5 * day
    })
    assert.isUndefined(kindOf(tooLate, "http://a.example/1"))
  })

  it("starts the retention again for an entry that returns", () => {
    const first = listAt(start, ["http://a.example/1"])
    const gone = listAt(start + day, ["http://b.example/"], { list: first, fetchedAt: start })
    const back = listAt(start + 2 * day, ["http://a.example/1"], { list: gone, fetchedAt: start + day })
    assert.deepInclude(back.header, { entries: 2, entriesInDocument: 1 })
    const goneAgain = listAt(start + 8 * day, ["http://b.example/"], {
      list: back,
      fetchedAt: start + 7 * day
    })
    assert.strictEqual(kindOf(goneAgain, "http://a.example/1"), "listedUrl")
  })

  it("counts an unchanged document as seen again, but not the entries of earlier ones", () => {
    const first = listAt(start, ["http://a.example/1", "http://a.example/2"])
    const second = listAt(start + day, ["http://a.example/2"], { list: first, fetchedAt: start })
    const confirmed = unchanged(start + 6 * day, second)
    assert.deepInclude(confirmed.header, { entries: 2, entriesInDocument: 1 })
    const later = unchanged(start + 8 * day, confirmed)
    assert.isUndefined(kindOf(later, "http://a.example/1"))
    assert.strictEqual(kindOf(later, "http://a.example/2"), "listedUrl")
    assert.deepInclude(later.header, { entries: 1, entriesInDocument: 1 })
  })

  it("does not let a present entry prolong what a past one covered", () => {
    const first = listAt(start, ["http://a.example/dir/"])
    // The page of this URL is the directory of the one before, but it covers nothing below.
    const second = listAt(start + day, ["http://a.example/dir/?id=1"], { list: first, fetchedAt: start })
    assert.strictEqual(kindOf(second, "http://a.example/dir/below"), "listedDirectory")
    const ninth = listAt(start + 9 * day, ["http://a.example/dir/?id=1"], {
      list: second,
      fetchedAt: start + 8 * day
    })
    assert.isUndefined(kindOf(ninth, "http://a.example/dir/below"))
    assert.strictEqual(kindOf(ninth, "http://a.example/dir/?id=2"), "listedPage")
  })

  it("counts the retention from the end of the day", () => {
    const first = listAt(start + 1 * hour, ["http://a.example/1"])
    const earlier = { list: first, fetchedAt: start + 1 * hour }
    const lastMoment = listAt(start + 8 * day - 1, ["http://b.example/"], earlier)
    assert.strictEqual(kindOf(lastMoment, "http://a.example/1"), "listedUrl")
    assert.isUndefined(kindOf(listAt(start + 8 * day, ["http://b.example/"], earlier), "http://a.example/1"))
  })

  it("counts the records of the earlier list that it keeps", () => {
    const first = listAt(start, [page(1), page(2), `${page(3)}?q`])
    const builder = new ThreatListBuilder(oldestDay(start + 8 * day))
    builder.keep(first, start + 8 * day)
    assert.strictEqual(builder.records, 4)
    const later = new ThreatListBuilder(oldestDay(start + 8 * day))
    later.keep(first, start)
    assert.strictEqual(later.records, 0)
  })

  it("keeps nothing without a retention", () => {
    const first = listAt(start, ["http://a.example/1"])
    const builder = new ThreatListBuilder()
    addAll(builder, ["http://b.example/"])
    builder.keep(first, start)
    const list = builder.build()
    assert.isUndefined(kindOf(list, "http://a.example/1"))
    assert.isFalse(list.header.isDated)
  })

  it("merges any number of duplicates", () => {
    const builder = new ThreatListBuilder()
    for (let i = 0; i < 200_000; i++) builder.add("evil.example", `/${i % 3}`, ListRecord.EXACT, "phishing")
    assert.deepInclude(builder.build().header, { records: 3, entries: 3 })
  })

  it("covers exactly what its entries cover together", () => {
    const coverage = FastCheck.constantFrom(
      ListRecord.EXACT,
      ListRecord.PAGE,
      ListRecord.BELOW,
      ListRecord.ALL
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(FastCheck.tuple(FastCheck.nat(20), coverage)), (added) => {
        const builder = new ThreatListBuilder()
        const expected = new Map<number, number>()
        for (const [host, bits] of added) {
          builder.add(`h${host}.example`, "/", bits, "phishing")
          expected.set(host, (expected.get(host) ?? 0) | bits)
        }
        const list = builder.build()
        assert.strictEqual(list.header.records, expected.size)
        for (let host = 0; host <= 20; host++) {
          const bits = expected.get(host) ?? 0
          assert.strictEqual(kindOf(list, `http://h${host}.example/`) !== undefined, bits !== 0)
          assert.strictEqual(
            kindOf(list, `http://h${host}.example/`) === "listedUrl",
            (bits & ListRecord.EXACT) !== 0
          )
          assert.strictEqual(
            kindOf(list, `http://h${host}.example/x`) !== undefined,
            (bits & ListRecord.BELOW) !== 0
          )
        }
      }),
      { numRuns: 100 }
    )
  })
})
