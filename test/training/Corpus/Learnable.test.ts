import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Learnable from "../../../training/Corpus/Learnable.ts"
import { benign, phishing } from "../../fixtures/CorpusFiles.ts"

const login = (url: string, split: string) => ({ ...benign(url), split })

const corpus = {
  rows: [
    phishing("https://a.example/x"),
    benign("https://b.example/x"),
    benign("http://BANK.example/login"),
    benign("https://shop.example/login"),
    benign("https://c.example/", "", "ranking(derived)")
  ],
  logins: [login("https://bank.example/login", "dev"), login("https://shop.example/login", "train")]
}

describe("what may be learned from", () => {
  it.effect("are the rows within the limits, without login pages that are held out for tests", () =>
    Effect.gen(function* () {
      const learnable = yield* Learnable.learnable(corpus, "folder")
      assert.deepStrictEqual(
        learnable.rows.map(({ url }) => url),
        ["https://a.example/x", "https://b.example/x", "https://shop.example/login"]
      )
      assert.deepStrictEqual(learnable.logins, corpus.logins.slice(1))
      assert.deepStrictEqual(Learnable.heldOutLogins(corpus), corpus.logins.slice(0, 1))
      assert.deepStrictEqual(
        Learnable.readReport({ ...corpus, damaged: 3, cutOff: ["old.tsv.gz"] }, learnable),
        [
          "5 rows read, 3 to learn from",
          "3 damaged lines",
          "old.tsv.gz is cut off or damaged: only its beginning was read",
          "1 rows of bare domains over their limit"
        ]
      )
    })
  )

  it.effect("is nothing without rows of both classes", () =>
    Effect.gen(function* () {
      for (const rows of [[], corpus.rows.slice(0, 1), corpus.rows.slice(1)]) {
        const error = yield* Effect.flip(Learnable.learnable({ ...corpus, rows }, "folder"))
        assert.strictEqual(error.message, "folder has no rows of both classes")
      }
    })
  )

  it.effect("is nothing without a date of phishing, which the weights must name", () =>
    Effect.gen(function* () {
      const rows = [phishing("https://a.example/x", ""), benign("https://b.example/x", "2026-06-01")]
      const error = yield* Effect.flip(Learnable.learnable({ ...corpus, rows }, "folder"))
      assert.strictEqual(error.message, "folder has no row of phishing with a date")
    })
  )
})
