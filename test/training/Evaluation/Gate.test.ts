import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ModelFile from "../../../src/Checkers/Heuristics/Model/ModelFile.ts"
import { isLeaf, type Model } from "../../../src/Checkers/Heuristics/Model.ts"
import type { Corpus } from "../../../training/Corpus/CorpusFolder.ts"
import type { Learnable } from "../../../training/Corpus/Learnable.ts"
import * as Gate from "../../../training/Evaluation/Gate.ts"
import { markdown } from "../../../training/Evaluation/GateReport.ts"
import { benign, phishing } from "../../fixtures/CorpusFiles.ts"

const many = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => make(index))

const earlier = [
  phishing("https://early.example/x", "2027-07-01"),
  benign("https://undated.example/x"),
  benign("https://login0.example/signin", "2027-07-01")
]

/** Invented rows of one shape, each on its own site, and login pages that no training may see. */
const corpus = (phishingRows = 500, benignRows = 1000, loginPages = 100): Corpus => ({
  rows: [
    ...earlier,
    ...many(phishingRows, (i) => phishing(`https://paypal-secure${1000 + i}.top/signin`, "2027-09-02")),
    ...many(benignRows, (i) => benign(`https://gardenrecipe${1000 + i}.com/summers`, "2027-09-01")),
    benign("https://www.early.example/", "2027-09-01")
  ],
  logins: [
    ...many(loginPages, (i) => ({ ...benign(`https://login${i}.example/signin`), split: "dev" })),
    { ...benign("https://learned.example/signin"), split: "train" }
  ],
  damaged: 0,
  cutOff: []
})

const shipped = ModelFile.load(ModelFile.shippedFile)

/** Weights that call every host phishing, and none ordinary. */
const alarmist = (weights: Model): Model => {
  const [urls, hosts, paths, tokens] = weights.tables
  return {
    ...weights,
    tables: [urls, { ...hosts, bias: 1000 }, paths, tokens],
    curve: weights.curve.map((_, index) => index - 1000)
  }
}

/** Weights that take phishing for ordinary, and the other way round. */
const reversed = (weights: Model): Model => {
  const { trees } = weights
  const numbers = trees.numbers.map((number, at) => (isLeaf(trees.nodes[at] ?? 0, at) ? -number : number))
  return { ...weights, trees: { ...trees, numbers } }
}

const run = (corpus: Corpus, change: (weights: Model) => Model) =>
  Effect.gen(function* () {
    const current = yield* shipped
    const trainings: Array<Learnable> = []
    const result = yield* Gate.run(corpus, "folder", current, (learnable) =>
      Effect.sync(() => {
        trainings.push(learnable)
        return change(current)
      })
    )
    return { result, trainings }
  })

describe("the gate", () => {
  it.effect(
    "lets weights pass that are as good, learned without the last month and without the login pages",
    () =>
      Effect.gen(function* () {
        const { result, trainings } = yield* run(corpus(), (weights) => weights)
        assert.strictEqual(result.verdict, "pass")
        assert.deepInclude(result, {
          reasons: [],
          after: "2027-08-02",
          newest: "2027-09-02",
          phishing: 500,
          benign: 1000,
          matchedPairs: 500,
          logins: { pages: 100, alarms: [], currentAlarms: 0 }
        })
        assert.deepStrictEqual(
          result.comparisons.map(({ measure }) => measure),
          ["", ", matched shape", ", feed"].flatMap((rows) =>
            [40, 70].map(
              (score) => `recall at as many false positives as the current score of ${score}${rows}`
            )
          )
        )
        assert.deepStrictEqual(
          trainings.map(({ rows, logins }) => [rows, logins.map(({ url }) => url)]),
          [[earlier.slice(0, 2), ["https://learned.example/signin"]]]
        )
        const text = markdown(result, "the current data")
        assert.match(text, /\n\nNo measure is worse/)
        assert.include(text, "| recall at as many false positives as the current score of 70, feed | ")
        assert.include(text, "first seen after\n2027-08-02 and up to 2027-09-02")
      })
  )

  it.effect("rejects weights with a login page at 70", () =>
    Effect.gen(function* () {
      const { result } = yield* run(corpus(), alarmist)
      assert.strictEqual(result.verdict, "worse")
      assert.deepStrictEqual(result.reasons, ["100 login pages have a score of 70 or more"])
      assert.lengthOf(result.logins.alarms, 100)
      assert.notInclude(markdown(result, ""), "login7.example")
      assert.match(
        markdown(result, ""),
        /\n\n\*\*Worse than the current weights:\*\*\n\n- 100 login pages have a score of 70 or more\n/
      )
    })
  )

  it.effect("rejects weights that find less of one source, and names it", () =>
    Effect.gen(function* () {
      const { rows, ...others } = corpus()
      const isOther = ({ firstSeen, url }: (typeof rows)[number]) =>
        firstSeen === "2027-09-02" && /\/\/paypal-secure1[01]/.test(url)
      const relabelled = rows.map((row) => (isOther(row) ? { ...row, source: "another" } : row))
      const { result } = yield* run({ ...others, rows: relabelled }, reversed)
      assert.lengthOf(result.comparisons, 8)
      const reason = "recall at as many false positives as the current score of 40, another"
      assert.include(result.reasons, reason)
      assert.include(markdown(result, ""), `| ${reason} | `)
    })
  )

  it.effect("is not decided by the many rows of one site", () =>
    Effect.gen(function* () {
      const flood = many(5000, (i) => phishing(`https://www.flood.example/${i}`, "2027-09-02"))
      const { rows, ...others } = corpus(450)
      const { result } = yield* run({ ...others, rows: [...rows, ...flood] }, (weights) => weights)
      assert.deepInclude(result, { verdict: "pass", phishing: 500, benign: 1000 })
      const fewer = corpus(449)
      const { result: undecided } = yield* run({ ...fewer, rows: [...fewer.rows, ...flood] }, alarmist)
      assert.strictEqual(undecided.verdict, "undecided")
    })
  )

  it.effect.each([
    ["499 rows of phishing; at least 500 are needed", corpus(499)],
    ["999 benign rows; at least 1000 are needed", corpus(500, 999)],
    ["99 login pages that were not learned from; at least 100 are needed", corpus(500, 1000, 99)]
  ] as const)("does not train and decides nothing with %s", ([reason, rows]) =>
    Effect.gen(function* () {
      const { result, trainings } = yield* run(rows, alarmist)
      assert.strictEqual(result.verdict, "undecided")
      assert.deepStrictEqual(result.reasons, [reason])
      assert.lengthOf(trainings, 0)
      assert.include(markdown(result, ""), reason)
      assert.notInclude(markdown(result, ""), "login pages that neither")
    })
  )
})
