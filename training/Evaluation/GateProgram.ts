// `npm run evaluate -- --gate <folder>`: see training/README.md.
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Cause, Effect, Exit, Layer, Option } from "effect"
import { ConfiguredModel } from "../../src/Checkers/Heuristics/ConfiguredModel.ts"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
import { printable } from "../../src/Layers/Telemetry/Printable.ts"
import * as CorpusFolder from "../Corpus/CorpusFolder.ts"
import * as Learnable from "../Corpus/Learnable.ts"
import * as Stack from "../Fitting/Stack.ts"
import { threadRunner } from "../Fitting/ThreadRunner.ts"
import * as Training from "../Training.ts"
import * as TrainingRows from "../TrainingRows.ts"
import * as Gate from "./Gate.ts"

import { markdown } from "./GateReport.ts"

const [folder] = process.argv.slice(2).filter((argument) => argument !== "--gate")
if (folder === undefined) {
  console.error("npm run evaluate -- --gate <folder of the corpus>")
  process.exit(Gate.exitCodes.failed)
}

const started = Date.now()
const log = (text: string): void =>
  console.error(`${((Date.now() - started) / 1000).toFixed(0).padStart(4)} s  ${text}`)

const output = join(import.meta.dirname, "evaluate")
const textFile = join(output, "gate.md")
const alarmsFile = join(output, "gate-alarms.txt")

const program = Effect.gen(function* () {
  // The result of an earlier run must not be taken for the one of this run.
  for (const file of [textFile, alarmsFile]) rmSync(file, { force: true })
  const current = yield* ConfiguredModel
  const corpus = yield* CorpusFolder.read(folder)
  log(`${corpus.rows.length} rows; current weights: ${current.trainedOn}`)
  const result = yield* Gate.run(corpus, folder, current, (learnable) => {
    for (const line of Learnable.readReport(corpus, learnable)) log(line)
    const rows = TrainingRows.of(learnable.rows, learnable.logins)
    return Effect.promise(() => Training.train(rows, threadRunner(log), Stack.PLAN))
  })
  const text = markdown(result, current.trainedOn)
  mkdirSync(output, { recursive: true })
  writeFileSync(textFile, text)
  writeFileSync(alarmsFile, result.logins.alarms.map((url) => `${url}\n`).join(""))
  console.log(text)
  log(`${result.verdict}; written to ${textFile}`)
  return result
}).pipe(Effect.provide(Layer.provide(ConfiguredModel.layer, AppConfig.layer)))

const exit = await Effect.runPromiseExit(program)
if (Exit.isFailure(exit))
  console.error(
    Option.match(Cause.failureOption(exit.cause), {
      onNone: () => Cause.pretty(exit.cause),
      onSome: ({ message }) => printable(message)
    })
  )
process.exitCode = Gate.exitCodeOf(exit)
