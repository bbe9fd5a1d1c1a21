// `npm run evaluate -- <file.tsv.gz> [first rows] [--popular <ranking>]`: see training/README.md.
import { basename } from "node:path"
import { parseArgs } from "node:util"
import { Effect, Either, Layer } from "effect"
import { ConfiguredModel } from "../src/Checkers/Heuristics/ConfiguredModel.ts"
import { AppConfig } from "../src/Layers/AppConfig.ts"
import { printable } from "../src/Layers/Telemetry/Printable.ts"
import { PopularSites } from "../src/Lists/PopularSites.ts"
import * as CorpusFolder from "./Corpus/CorpusFolder.ts"
import { type EvaluatedUrl, evaluateUrl } from "./Evaluation/EvaluatedUrl.ts"
import * as Ranking from "./Evaluation/Ranking.ts"
import * as RocCurve from "./Evaluation/RocCurve.ts"
import * as Tampering from "./Evaluation/Tampering.ts"
import * as TableRows from "./TableRows.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { popular: { type: "string" } }
})
const [file, firstRows] = positionals
if (file === undefined) {
  console.error("npm run evaluate -- <file.tsv.gz> [first rows] [--popular <ranking>], or --gate <folder>")
  process.exit(1)
}

/** Smaller groups are printed as one. */
const MIN_GROUP_ROWS = 100
const MAX_MISTAKES = 15
const FALSE_POSITIVES = [0.001, 0.005, 0.01, 0.05]

const percent = (share: number): string => (Number.isNaN(share) ? "-" : `${(100 * share).toFixed(2)} %`)
const shareOf = (rows: ReadonlyArray<EvaluatedUrl>, is: (row: EvaluatedUrl) => boolean): number =>
  rows.filter(is).length / rows.length
const line = (name: string, ...values: ReadonlyArray<string>): void =>
  console.log(`  ${name.padEnd(34)}${values.map((value) => value.padStart(12)).join("")}`)

const found = await Effect.runPromise(
  Effect.all([ConfiguredModel, CorpusFolder.readRows(file)]).pipe(
    Effect.provide(Layer.provide(ConfiguredModel.layer, AppConfig.layer)),
    Effect.either
  )
)
if (Either.isLeft(found)) {
  console.error(printable(found.left.message))
  process.exit(1)
}
const [model, { rows: read }] = found.right
const ranked = values.popular === undefined ? undefined : Ranking.read(values.popular)
const isSite = ranked && PopularSites.make((domain) => ranked.has(domain)).isSite
const rows = (firstRows === undefined ? read : read.slice(0, Number(firstRows))).map((row) =>
  evaluateUrl(model, row, isSite)
)
const phishing = rows.filter(({ isPhishing }) => isPhishing)
const benign = rows.filter(({ isPhishing }) => !isPhishing)

console.log(
  `${basename(file)}: ${phishing.length} phishing, ${benign.length} benign; model: ${model.trainedOn}\n`
)

const changed = TableRows.differences(model.rows, TableRows.current())
if (changed.length > 0)
  console.log(`Tables that differ from those that the weights were learned with: ${changed.join("; ")}\n`)

const curve = RocCurve.rocCurve(rows)
if (curve !== undefined) {
  console.log("Raw value of the model")
  line("area under the ROC curve", curve.area.toFixed(4))
  for (const share of FALSE_POSITIVES)
    line(`recall at ${100 * share} % false positives`, percent(RocCurve.recallAt(curve, share)))
}

if (ranked !== undefined) console.log(`\nWith ${ranked.size} popular sites`)
console.log("\nScore in the response")
line("", "recall", "false pos.")
for (const from of [40, 70])
  line(
    `${from} or more`,
    percent(shareOf(phishing, ({ score }) => score >= from)),
    percent(shareOf(benign, ({ score }) => score >= from))
  )
line(
  "benign https without a reason",
  percent(
    shareOf(
      benign.filter(({ url }) => url.startsWith("https:")),
      ({ reasons }) => reasons.length === 0
    )
  )
)

const groups = (
  title: string,
  rows: ReadonlyArray<EvaluatedUrl>,
  key: (row: EvaluatedUrl) => string
): void => {
  if (rows.length === 0) return
  const byKey = new Map<string, Array<EvaluatedUrl>>()
  for (const row of rows) {
    const group = byKey.get(key(row))
    if (group === undefined) byKey.set(key(row), [row])
    else group.push(row)
  }
  const small: Array<EvaluatedUrl> = []
  console.log(`\n${title}`)
  line("", "rows", "at 40", "at 70")
  const printGroup = (name: string, group: ReadonlyArray<EvaluatedUrl>): void =>
    line(
      name,
      String(group.length),
      percent(shareOf(group, ({ score }) => score >= 40)),
      percent(shareOf(group, ({ score }) => score >= 70))
    )
  for (const [name, group] of [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)))
    if (group.length < MIN_GROUP_ROWS) small.push(...group)
    else printGroup(name, group)
  if (small.length > 0) printGroup("all smaller groups", small)
}

groups("Phishing by source", phishing, ({ source }) => source)
groups("Phishing by month", phishing, ({ firstSeen }) => firstSeen.slice(0, 7))
groups("Phishing by category", phishing, ({ category }) => category)
groups("Benign by source", benign, ({ source }) => source)
groups("Benign by category", benign, ({ category }) => category)

console.log("\nTampering")
for (const text of Tampering.measure(model, rows)) console.log(text)

const mistakes = (title: string, rows: ReadonlyArray<EvaluatedUrl>): void => {
  if (rows.length === 0) return
  console.log(`\n${title}`)
  for (const { value, score, source, url, reasons } of rows.slice(0, MAX_MISTAKES))
    console.log(
      `  ${value.toFixed(2)}  ${score}  ${source}  ${printable(url.slice(0, 120))}\n        ${reasons.join("; ")}`
    )
}
mistakes(
  "Benign with the highest values",
  benign.toSorted((a, b) => b.score - a.score || b.value - a.value)
)
mistakes(
  "Phishing with the lowest values",
  phishing.toSorted((a, b) => a.value - b.value)
)
