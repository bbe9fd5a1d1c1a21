import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as Curve from "../../../src/Checkers/Heuristics/Model/Curve.ts"
import * as ModelValue from "../../../src/Checkers/Heuristics/Model/ModelValue.ts"
import * as CanonicalUrl from "../../../src/Url/CanonicalUrl.ts"
import * as CurveFit from "../../../training/Fitting/CurveFit.ts"
import type { TrainingRows } from "../../../training/TrainingRows.ts"

const COUNT = 4000

const parse = (url: string) => Either.getOrThrow(CanonicalUrl.parse(url))

const bareDomains = (count: number) =>
  Array.from({ length: count }, (_, row) => parse(`https://garden${row}.example/`))

/** Bare domains, benign and observed if not said otherwise. */
const rowsOf = (changes: Partial<TrainingRows> = {}, count = COUNT): TrainingRows => ({
  urls: bareDomains(count),
  labels: new Uint8Array(count),
  weights: new Float32Array(count),
  folds: new Uint8Array(count),
  isMatched: new Uint8Array(count).fill(1),
  isSynthetic: new Uint8Array(count),
  oldestPhishing: "",
  newestPhishing: "",
  ...changes
})

/**
 * The row's number is its value, unless `valueAt` says otherwise. The sum of the host's table is -1, so that the policy asks for no
 * domain.
 */
const fitted = (
  rows: TrainingRows,
  valueAt = (row: number): number => row,
  hostLogitAt = (_: number): number => -1
) => {
  const others = CurveFit.otherUrls(rows)
  const all = rows.urls.length + others.urls.length
  return CurveFit.fit(
    others,
    Float64Array.from({ length: all }, (_, row) => valueAt(row)),
    Float32Array.from({ length: all }, (_, row) => hostLogitAt(row))
  )
}

const curveOf = (...args: Parameters<typeof fitted>): Curve.Curve => fitted(...args).curve

const plainCurve = curveOf(rowsOf())

const upperHalf = Uint8Array.from({ length: COUNT }, (_, row) => (row >= COUNT / 2 ? 1 : 0))

/** How many of the rows that count have this score or more. */
const reached = (curve: Curve.Curve, score: number, values: ReadonlyArray<number>): number =>
  values.filter((value) => Curve.scoreOf(curve, value) >= score).length

describe("the fitted curve", () => {
  it("gives each score to its share of the benign rows, the lowest to a smaller one", () => {
    const count = 20_000
    const curve = curveOf(rowsOf({}, count))
    const values = Array.from({ length: count }, (_, row) => row)
    for (const [score, rows] of [
      [20, 360],
      [40, 68],
      [70, 10],
      [90, 1]
    ] as const)
      assert.closeTo(reached(curve, score, values), rows, 1, `${score}`)
    assert.isTrue(curve.every((value, at) => at === 0 || value > (curve[at - 1] ?? value)))
    assert.lengthOf(curve, Curve.scores.length)
  })

  it("ignores phishing and synthetic rows", () => {
    const half = curveOf(rowsOf({ labels: upperHalf }))
    const expected = Array.from({ length: COUNT / 2 }, (_, row) => row)
    assert.closeTo(reached(half, 20, expected), 36, 1)
    assert.closeTo(reached(half, 40, expected), 7, 1)
    assert.deepStrictEqual(curveOf(rowsOf({ isSynthetic: upperHalf })), half)
  })

  it("counts rows of every shape alike", () => {
    assert.deepStrictEqual(curveOf(rowsOf({ isMatched: new Uint8Array(COUNT) })), plainCurve)
    assert.deepStrictEqual(curveOf(rowsOf({ isMatched: upperHalf })), plainCurve)
  })

  it("rises although there are too few rows to tell scores apart, or all have one value", () => {
    for (const curve of [
      curveOf(rowsOf(), () => 3),
      curveOf({ ...rowsOf(), urls: [parse("https://a.example/")] })
    ])
      assert.isTrue(curve.every((value, at) => at === 0 || value > (curve[at - 1] ?? value)))
  })

  it("is fitted to the value that the policy leaves: a query can only lower", () => {
    const urls = rowsOf().urls.map((url) => ({ ...url, query: "a" }))
    // Bare hosts come after the rows, and have a quarter of their value. The sum of each host is -1, and counts for a tenth.
    const curve = curveOf(rowsOf({ urls }), (row) => (row < COUNT ? row : (row - COUNT) / 4))
    const values = Array.from({ length: COUNT }, (_, row) => (row / 4) * 0.9)
    assert.closeTo(reached(curve, 20, values), 72, 1)
    assert.closeTo(reached(curve, 40, values), 14, 1)
  })

  it("counts rows that have no value as the lowest", () => {
    const own = parse("https://www.paypal.com/")
    const urls = rowsOf().urls.map((url, row) => (row >= COUNT / 2 ? own : url))
    assert.closeTo(curveOf(rowsOf({ urls }))[0] ?? 0, COUNT / 2 - 72, 2)
  })
})

describe("the fitted value of ordinary hosts", () => {
  it("is above that of three quarters of the benign rows", () => {
    const { ordinaryHost } = fitted(rowsOf({ labels: upperHalf }), undefined, (row) => row)
    assert.closeTo(ordinaryHost, (COUNT / 2) * 0.76, 1)
  })

  it("is part of the policy that the curve is fitted to: no page of such a host is phishing", () => {
    const urls = rowsOf().urls.map((url) => ({ ...url, path: "/a" }))
    const hostLogitAt = (row: number): number => 2 * COUNT + (row % COUNT < COUNT / 2 ? 1 : 0)
    const lowest = 2 * COUNT
    const { curve, ordinaryHost } = fitted(rowsOf({ urls }), undefined, hostLogitAt)
    assert.strictEqual(ordinaryHost, lowest + 1)
    // The rows with the highest values are those of ordinary hosts, and all have the same value now.
    const [suspicious, phishing, top] = [40, 70, 90].map((score) => Curve.valueFor(curve, score))
    assert.isBelow((top ?? 0) - (phishing ?? 0), 1)
    assert.isAbove((phishing ?? 0) - (suspicious ?? 0), 10)
  })
})

describe("the other URLs that the policy asks for", () => {
  const urls = [
    "https://www.garden.example/a?b",
    "https://www.garden.example/a?c",
    "https://garden.example/",
    "https://a.b.garden.example/",
    "https://phishing.example/a?b"
  ].map(parse)
  const rows: TrainingRows = {
    ...rowsOf(),
    urls,
    labels: Uint8Array.of(0, 0, 0, 0, 1),
    isSynthetic: new Uint8Array(5),
    folds: Uint8Array.of(3, 3, 3, 3, 1)
  }

  it("are those without the query, of the bare host and of the bare domains, each once, in the fold of their row", () => {
    const { folds, urls: others, variants } = CurveFit.otherUrls(rows)
    assert.deepStrictEqual(others.map(CanonicalUrl.format), [
      "https://www.garden.example/a",
      "https://www.garden.example/",
      "https://garden.example/",
      "https://b.garden.example/"
    ])
    assert.deepStrictEqual(Array.from(folds), [3, 3, 3, 3])
    assert.deepStrictEqual(
      variants.map(({ bareDomains, bareHost, row, withoutQuery }) => [
        row,
        withoutQuery,
        bareHost,
        ...bareDomains
      ]),
      [
        [0, 5, 6, 7],
        [1, 5, 6, 7],
        [2, 2, 2, 7],
        [3, 3, 3, 7, 8]
      ]
    )
    assert.isTrue(ModelValue.hasValue(variants[0]?.facts ?? assert.fail()))
  })
})
