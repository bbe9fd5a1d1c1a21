// `npm run evaluate -- --gate <folder>`: see training/README.md.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect } from "effect"
import * as ModelFile from "../../src/Checkers/Heuristics/Model/ModelFile.ts"
import type { Model } from "../../src/Checkers/Heuristics/Model.ts"
import * as CorpusFolder from "../Corpus/CorpusFolder.ts"
import { readReport } from "../Corpus/ReadReport.ts"
import * as Stack from "../Fitting/Stack.ts"
import { threadRunner } from "../Fitting/ThreadRunner.ts"
import * as Training from "../Training.ts"
import * as TrainingRows from "../TrainingRows.ts"
import * as Gate from "./Gate.ts"
import { markdown } from "./GateReport.ts"

const exitCodes: Readonly<Record<Gate.GateResult["verdict"], number>> = { pass: 0, worse: 1, undecided: 2 }

const [folder] = process.argv.slice(2).filter((argument) => argument !== "--gate")
if (folder === undefined) {
  console.error("npm run evaluate -- --gate <folder of the corpus>")
  process.exit(exitCodes.undecided)
}

const started = Date.now()
const log = (text: string): void =>
  console.error(`${((Date.now() - started) / 1000).toFixed(0).padStart(4)} s  ${text}`)

/** The last day of the last month that the weights have learned from. */
const learnedUpTo = ({ trainedOn }: Model): string => {
  const [year, month] = /to (\d{4})-(\d{2})$/.exec(trainedOn)?.slice(1).map(Number) ?? []
  return year === undefined || month === undefined
    ? ""
    : new Date(Date.UTC(year, month, 0)).toISOString().slice(0, "2026-01-31".length)
}

const { MODEL_FILE } = process.env
const currentFile = MODEL_FILE ? pathToFileURL(MODEL_FILE) : ModelFile.shippedFile

const program = Effect.gen(function* () {
  const current = yield* ModelFile.load(currentFile)
  const corpus = yield* CorpusFolder.read(folder)
  log(`${corpus.rows.length} rows; current weights: ${current.trainedOn}`)
  const result = yield* Gate.run(corpus, folder, current, learnedUpTo(current), (learnable) => {
    for (const line of readReport(corpus, learnable)) log(line)
    const rows = TrainingRows.of(learnable.rows, learnable.logins)
    return Effect.promise(() => Training.train(rows, threadRunner(log), Stack.PLAN))
  })
  const text = markdown(result, current.trainedOn)
  const output = join(import.meta.dirname, "evaluate")
  mkdirSync(output, { recursive: true })
  writeFileSync(join(output, "gate.md"), text)
  writeFileSync(join(output, "gate-alarms.txt"), result.logins.alarms.map((url) => `${url}\n`).join(""))
  console.log(text)
  log(`${result.verdict}; written to ${join(output, "gate.md")}`)
  process.exitCode = exitCodes[result.verdict]
})

await Effect.runPromise(
  Effect.catchAll(program, ({ message }) =>
    Effect.sync(() => {
      console.error(message)
      process.exitCode = exitCodes.undecided
    })
  )
)
