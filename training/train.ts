// `npm run train -- <folder>`: see training/README.md.
import { renameSync, writeFileSync } from "node:fs"
import { Effect } from "effect"
import * as ModelFile from "../src/Checkers/Heuristics/Model/ModelFile.ts"
import * as CorpusFolder from "./Corpus/CorpusFolder.ts"
import * as Learnable from "./Corpus/Learnable.ts"
import * as Stack from "./Fitting/Stack.ts"
import { threadRunner } from "./Fitting/ThreadRunner.ts"
import * as Training from "./Training.ts"
import * as TrainingRows from "./TrainingRows.ts"

const WEIGHTS_FILE = "src/Checkers/Heuristics/Model/model.bin"

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error("npm run train -- <folder of the corpus>")
  process.exit(1)
}

const started = Date.now()
const log = (text: string): void =>
  console.log(`${((Date.now() - started) / 1000).toFixed(0).padStart(4)} s  ${text}`)

const program = Effect.gen(function* () {
  const corpus = yield* CorpusFolder.read(folder)
  const learnable = yield* Learnable.learnable(corpus, folder)
  for (const line of Learnable.readReport(corpus, learnable)) log(line)
  const rows = TrainingRows.of(learnable.rows, learnable.logins)
  log(`${rows.urls.length} rows with the synthetic ones`)
  const model = yield* Effect.promise(() => Training.train(rows, threadRunner(log), Stack.PLAN))
  log(`curve ${JSON.stringify(model.curve)}`)
  const bytes = ModelFile.encode(model)
  writeFileSync(`${WEIGHTS_FILE}.tmp`, bytes)
  renameSync(`${WEIGHTS_FILE}.tmp`, WEIGHTS_FILE)
  log(`${WEIGHTS_FILE}, ${bytes.length} bytes`)
})

await Effect.runPromise(
  Effect.catchTag(program, "CorpusError", ({ message }) =>
    Effect.sync(() => {
      console.error(message)
      process.exitCode = 1
    })
  )
)
