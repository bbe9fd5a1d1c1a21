// `npm run train -- <folder>`: see training/README.md.
import { writeFileSync } from "node:fs"
import * as ModelFile from "../src/Checkers/Heuristics/Model/ModelFile.ts"
import * as Stack from "./Fitting/Stack.ts"
import { threadRunner } from "./Fitting/ThreadRunner.ts"
import * as Training from "./Training.ts"
import * as TrainingRows from "./TrainingRows.ts"

const WEIGHTS_FILE = "src/Checkers/Heuristics/Model/model.bin"

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error("npm run train -- <folder with train.tsv.gz and train_matched.tsv.gz>")
  process.exit(1)
}

const started = Date.now()
const log = (text: string): void =>
  console.log(`${((Date.now() - started) / 1000).toFixed(0).padStart(4)} s  ${text}`)

const rows = TrainingRows.read(folder)
log(`${rows.urls.length} rows`)
const model = await Training.train(rows, threadRunner(log), Stack.PLAN)
log(`thresholds ${JSON.stringify(model.thresholds)}`)
const bytes = ModelFile.encode(model)
writeFileSync(WEIGHTS_FILE, bytes)
log(`${WEIGHTS_FILE}, ${bytes.length} bytes`)
