// `npm run evaluate -- --gate <folder>`: see training/README.md.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { ConfiguredModel } from "../../src/Checkers/Heuristics/ConfiguredModel.ts"
import { AppConfig } from "../../src/Layers/AppConfig.ts"
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

const program = Effect.gen(function* () {
  const current = yield* ConfiguredModel
  const corpus = yield* CorpusFolder.read(folder)
  log(`${corpus.rows.length} rows; current weights: ${current.trainedOn}`)
  const result = yield* Gate.run(corpus, folder, current, (learnable) => {
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
}).pipe(Effect.provide(Layer.provide(ConfiguredModel.layer, AppConfig.layer)))

await Effect.runPromise(
  Effect.catchAll(program, ({ message }) =>
    Effect.sync(() => {
      console.error(message)
      process.exitCode = exitCodes.undecided
    })
  )
)
