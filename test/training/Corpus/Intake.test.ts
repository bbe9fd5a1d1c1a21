import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Address from "../../../training/Corpus/Address.ts"
import * as Intake from "../../../training/Corpus/Intake.ts"
import type { LabelledUrl } from "../../../training/Corpus/LabelledUrl.ts"
import * as RowLimits from "../../../training/Corpus/RowLimits.ts"
import { benign, phishing } from "../../fixtures/CorpusFiles.ts"

const TODAY = "2026-07-02"

const offer = (
  isPhishing: boolean,
  rows: ReadonlyArray<string | readonly [text: string, published: string]>,
  source = isPhishing ? "feed" : "list"
): Intake.Offer => ({
  source,
  isPhishing,
  rows: rows.map((row) =>
    typeof row === "string" ? { text: row, published: undefined } : { text: row[0], published: row[1] }
  ),
  damaged: 0,
  unused: 0
})

const take = (
  corpus: ReadonlyArray<LabelledUrl>,
  offers: ReadonlyArray<Intake.Offer>,
  maxPerSourceAndMonth?: number
) => {
  const { rows, counts } = Intake.take({ rows: corpus, logins: [] }, offers, TODAY, maxPerSourceAndMonth)
  return {
    added: rows.map(
      ({ isPhishing, firstSeen, source, url }) => `${isPhishing ? 1 : 0} ${firstSeen} ${source} ${url}`
    ),
    counts: counts.map((count) => Object.fromEntries(Object.entries(count).filter(([, value]) => value > 0)))
  }
}

describe("the rows that are added to the corpus", () => {
  it("have the day that the source gives, else today", () => {
    assert.deepStrictEqual(
      take(
        [],
        [
          offer(true, [["https://a.example/x", "2026-06-20 10:11:12"], "https://b.example/x"]),
          offer(false, ["https://c.example/y"])
        ]
      ),
      {
        added: [
          "1 2026-06-20 feed https://a.example/x",
          "1 2026-07-02 feed https://b.example/x",
          "0 2026-07-02 list https://c.example/y"
        ],
        counts: [
          { read: 2, added: 2 },
          { read: 1, added: 1 }
        ]
      }
    )
  })

  it("are no pages that the corpus or the collection has already, however they are written", () => {
    assert.deepStrictEqual(
      take(
        [phishing("http://A.example:80/x#top", "2026-06-20"), benign("https://b.example/")],
        [
          offer(true, [
            "https://a.example/x",
            "https://b.example",
            "https://a.example/x?y",
            "http://a.example/x?y"
          ]),
          offer(true, ["https://a.example/x?y"], "other")
        ]
      ),
      {
        added: ["1 2026-07-02 feed https://a.example/x?y"],
        counts: [
          { read: 4, added: 1, duplicate: 3 },
          { read: 1, duplicate: 1 }
        ]
      }
    )
  })

  it("are not older than a month, and no new pages of a host that has been phishing for longer", () => {
    const corpus = [
      phishing("https://old.example/a", "2026-06-01"),
      phishing("https://old.example/b", "2026-06-30"),
      phishing("https://new.example/a", "2026-06-02"),
      phishing("https://undated.example/a", ""),
      phishing("https://docs.google.com/a", "2026-01-01")
    ]
    assert.deepStrictEqual(
      take(corpus, [
        offer(true, [
          ["https://c.example/", "2026-06-02"],
          ["https://d.example/", "2026-06-01"],
          "https://old.example/c",
          "https://undated.example/c",
          "https://new.example/c",
          "https://docs.google.com/c"
        ])
      ]),
      {
        added: [
          "1 2026-06-02 feed https://c.example/",
          "1 2026-07-02 feed https://new.example/c",
          "1 2026-07-02 feed https://docs.google.com/c"
        ],
        counts: [{ read: 6, added: 3, old: 3 }]
      }
    )
  })

  it("are on no host that is phishing in one row and benign in another", () => {
    assert.deepStrictEqual(
      take(
        [benign("https://known.example/"), phishing("https://bad.example/x")],
        [
          offer(true, [
            "https://known.example/hacked",
            "https://both.example/x",
            "https://docs.google.com/x"
          ]),
          offer(false, ["https://bad.example/", "https://both.example/", "https://docs.google.com/y"])
        ]
      ),
      {
        added: ["1 2026-07-02 feed https://docs.google.com/x", "0 2026-07-02 list https://docs.google.com/y"],
        counts: [
          { read: 3, added: 1, conflict: 2 },
          { read: 3, added: 1, conflict: 2 }
        ]
      }
    )
  })

  it("are no phishing on any host of a popular domain, so that no feed can accuse a rival", () => {
    const { added, counts } = take(
      [benign("https://bank.example/", "", "ranking(derived)"), benign("https://blog.example/post")],
      [
        offer(true, [
          "https://www.bank.example/login",
          "https://shop.example.co.uk/x",
          "https://other.blog.example/x",
          "https://docs.google.com/x",
          "https://tenant.github.io/x"
        ]),
        offer(
          false,
          ["https://example.co.uk/", "https://google.com/", "https://github.io/"],
          "list(derived)"
        ),
        offer(false, ["https://help.bank.example/guide"])
      ]
    )
    assert.includeMembers(added, [
      "1 2026-07-02 feed https://other.blog.example/x",
      "1 2026-07-02 feed https://docs.google.com/x",
      "1 2026-07-02 feed https://tenant.github.io/x",
      "0 2026-07-02 list https://help.bank.example/guide"
    ])
    assert.deepStrictEqual(counts[0], { read: 5, added: 3, conflict: 2 })
  })

  it("are URLs of the Internet with a date that can be", () => {
    assert.deepStrictEqual(
      take(
        [],
        [
          {
            ...offer(true, [
              "no URL at all",
              ["https://a.example/", "yesterday"],
              ["https://a.example/", "2026-07-04"],
              ["https://a.example/", "2026-06-31"],
              ["https://a.example/", ""],
              "https://weebly.com/",
              "http://192.168.0.1/",
              "http://localhost/",
              "1.0"
            ]),
            damaged: 3,
            unused: 2
          },
          offer(false, ["https://github.com/", "http://intranet/", "https://"])
        ]
      ),
      {
        added: ["0 2026-07-02 list https://github.com/"],
        counts: [
          { read: 14, damaged: 9, unused: 5 },
          { read: 3, added: 1, damaged: 1, unused: 1 }
        ]
      }
    )
  })

  it("are written so that they fit into one line", () => {
    assert.deepStrictEqual(
      take([], [offer(true, ["bare.example", "hxxps://defanged[.]example/a", "https://tab.example/a\tb\nc"])])
        .added,
      [
        "1 2026-07-02 feed http://bare.example/",
        "1 2026-07-02 feed https://defanged.example/a",
        "1 2026-07-02 feed https://tab.example/abc"
      ]
    )
  })

  it("have no fragment, which may name a victim, and no password of an ordinary link", () => {
    assert.deepStrictEqual(
      take(
        [],
        [
          offer(true, [
            "https://a.example/x?y#victim@example.com",
            "https://paypal.example@b.example/x",
            "HTTPS://c.example#/login",
            "intent://d.example/x#Intent;scheme=https;end"
          ]),
          offer(false, ["https://user:password@e.example/", "https://f.example/guide#install"])
        ]
      ),
      {
        added: [
          "1 2026-07-02 feed https://a.example/x?y",
          "1 2026-07-02 feed https://paypal.example@b.example/x",
          "1 2026-07-02 feed HTTPS://c.example",
          "1 2026-07-02 feed https://d.example/x",
          "0 2026-07-02 list https://f.example/guide"
        ],
        counts: [
          { read: 4, added: 4 },
          { read: 2, added: 1, unused: 1 }
        ]
      }
    )
  })

  it("are at most so many of a source in a month, with those of the corpus, and not the first", () => {
    const corpus = [
      phishing("https://a.example/", "2026-07-01"),
      phishing("https://b.example/", "2026-06-30")
    ]
    const urls = Array.from({ length: 50 }, (_, i) => `https://c${i}.example/`)
    const { added, counts } = take(corpus, [offer(true, urls)], 5)
    assert.deepStrictEqual(counts, [{ read: 50, added: 4, capped: 46 }])
    assert.notDeepEqual(
      added,
      urls.slice(0, 4).map((url) => `1 2026-07-02 feed ${url}`)
    )
    assert.deepStrictEqual(take(corpus, [offer(true, urls)], 5).added, added)
  })

  it("are those of a source that reports what a flooded source has reported, too", () => {
    const flood = offer(
      true,
      Array.from({ length: 50 }, (_, i) => `https://c${i}.example/`),
      "flooded"
    )
    const honest = offer(
      true,
      ["https://c1.example/", "https://c2.example/", "https://c3.example/"],
      "honest"
    )
    const first = Intake.take({ rows: [], logins: [] }, [flood], "2026-06-15", 1)
    const next = Intake.take({ rows: first.rows, logins: [] }, [flood, honest], TODAY, 3)
    assert.lengthOf(
      [...first.rows, ...next.rows].filter(({ url }) => honest.rows.some(({ text }) => text === url)),
      3
    )
    const together = Intake.take({ rows: [], logins: [] }, [flood, honest], TODAY, 3)
    assert.lengthOf(
      together.rows.filter(({ url }) => honest.rows.some(({ text }) => text === url)),
      3
    )
  })

  it("are no login pages, which have a list of their own", () => {
    const corpus = { rows: [], logins: [benign("https://bank.example/login")] }
    const { counts } = Intake.take(corpus, [offer(false, ["https://bank.example/login"])], TODAY)
    assert.deepInclude(counts[0], { added: 0, duplicate: 1 })
  })

  it("are each counted once, and a second collection of the same rows adds none", () => {
    const text = FastCheck.oneof(
      FastCheck.tuple(
        FastCheck.integer({ min: 0, max: 9 }),
        FastCheck.constantFrom("", "/", "/x", "/x?y", "/y#z")
      ).map(([host, rest]) => `https://host${host}.example${rest}`),
      FastCheck.constantFrom(
        "https://docs.google.com/x",
        "https://docs.google.com/y",
        "http://10.0.0.1/",
        "weebly.com",
        "??"
      )
    )
    const published = FastCheck.constantFrom(undefined, "2026-07-01", "2026-06-15", "2026-05-01", "never")
    const rows = FastCheck.array(FastCheck.record({ text, published }), { maxLength: 40 })
    const offers = FastCheck.array(
      FastCheck.record({
        source: FastCheck.constantFrom("one", "two"),
        isPhishing: FastCheck.boolean(),
        rows,
        damaged: FastCheck.nat(3),
        unused: FastCheck.nat(3)
      }),
      { maxLength: 4 }
    )
    FastCheck.assert(
      FastCheck.property(offers, FastCheck.integer({ min: 1, max: 8 }), (offers, max) => {
        const first = Intake.take({ rows: [], logins: [] }, offers, TODAY, max)
        for (const { read, ...others } of first.counts)
          assert.strictEqual(
            Object.values(others).reduce((sum, count) => sum + count, 0),
            read
          )
        assert.strictEqual(
          first.counts.reduce((sum, { added }) => sum + added, 0),
          first.rows.length
        )
        const pages = first.rows.map(({ url }) => Address.parse(url)?.page)
        assert.lengthOf(new Set(pages), pages.length)
        const groups = first.rows.map(RowLimits.groupOf)
        for (const group of groups) assert.isAtMost(groups.filter((other) => other === group).length, max)
        const corpus = { rows: first.rows, logins: [] }
        assert.deepStrictEqual(Intake.take(corpus, offers, TODAY, max).rows, [])
      }),
      { seed: 16, numRuns: 100 }
    )
  })
})
