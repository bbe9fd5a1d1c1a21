import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, TestClock } from "effect"
import * as ModelFile from "../../src/Checkers/Heuristics/Model/ModelFile.ts"
import * as Model from "../../src/Checkers/Heuristics/Model.ts"
import * as UrlFacts from "../../src/Checkers/Heuristics/UrlFacts.ts"
import * as CanonicalUrl from "../../src/Url/CanonicalUrl.ts"
import * as CorpusFolder from "../../training/Corpus/CorpusFolder.ts"
import * as Learnable from "../../training/Corpus/Learnable.ts"
import * as Extraction from "../../training/Extraction.ts"
import * as Jobs from "../../training/Fitting/Jobs.ts"
import * as Stack from "../../training/Fitting/Stack.ts"
import * as Random from "../../training/Random.ts"
import * as Training from "../../training/Training.ts"
import * as TrainingRows from "../../training/TrainingRows.ts"

/** Invented rows of two kinds that differ in their words. */
const observed = (): ReadonlyArray<string> => {
  const next = Random.random(3)
  const pick = (words: string): string => {
    const all = words.split(" ")
    return all[Math.floor(next() * all.length)] ?? ""
  }
  return Array.from({ length: 250 }, (_, index) =>
    index % 2 === 0
      ? `1\t2025-${String(1 + (index % 12)).padStart(2, "0")}-01\tinvented\thttps://${pick("secure verify wallet")}-${pick("login update claim")}${index}.example/${pick("signin confirm")}`
      : `0\t\tinvented\thttps://${pick("garden river bakery")}${index}.example/${pick("recipes photos")}/${pick("summer winter")}`
  )
}

describe("training", () => {
  it.effect("yields the same weights for the same rows, and they separate the classes", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "training-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      const lines = [...observed(), "0\t2026-01-01\tinvented\thttps://lake.example/photos"]
      writeFileSync(join(folder, "train.tsv.gz"), gzipSync(`${lines.join("\n")}\n`))
      const logins = [
        "0\t\tinvented\thttps://login.example.com/signin\ttrain",
        "0\t\tinvented\thttps://example.org/no\tdev"
      ]
      writeFileSync(join(folder, "brand_login_benign.tsv.gz"), gzipSync(`${logins.join("\n")}\n`))
      yield* TestClock.setTime(Date.UTC(2026, 0, 1))
      const learnable = yield* Effect.flatMap(CorpusFolder.read(folder), (corpus) =>
        Learnable.learnable(corpus, folder)
      )
      const rows = TrainingRows.of(learnable.rows, learnable.logins)
      const train = Effect.promise(() =>
        Training.train(rows, Jobs.sequentialRunner, {
          ...Stack.PLAN,
          trees: 4,
          leaves: 8
        })
      )
      const model = yield* train
      const bytes = ModelFile.encode(model)
      assert.isTrue(Buffer.from(ModelFile.encode(yield* train)).equals(bytes))
      assert.deepStrictEqual(model.costs, Extraction.letterCosts(TrainingRows.observedBenign(rows)))
      assert.notDeepEqual(
        model.costs,
        Extraction.letterCosts(rows.urls.filter((_, row) => rows.labels[row] === 0))
      )
      // Of phishing only.
      assert.strictEqual(model.learnedUpTo, "2025-11-01")
      const readBack = Either.getOrThrow(ModelFile.decode(bytes, "model.bin"))
      const value = (url: string) =>
        Model.rawValue(readBack, UrlFacts.factsOf(Either.getOrThrow(CanonicalUrl.parse(url))))
      assert.isAbove(value("https://wallet-verify9999.example/confirm"), 0)
      assert.isBelow(value("https://garden9999.example/photos/summer"), 0)
    }).pipe(Effect.scoped)
  )
})
