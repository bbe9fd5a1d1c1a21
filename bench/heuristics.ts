/** What the heuristics cost: a URL from the submitted string to its findings, and the start. */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect, Either } from "effect"
import * as CanonicalUrl from "../src/Checkers/CanonicalUrl.ts"
import * as Model from "../src/Checkers/Heuristics/Model.ts"
import * as ModelFile from "../src/Checkers/Heuristics/ModelFile.ts"
import * as Signals from "../src/Checkers/Heuristics/Signals.ts"
import * as Subject from "../src/Checkers/Heuristics/Subject.ts"
import { findings } from "../src/Checkers/Heuristics.ts"
import { invented } from "./InventedAddresses.ts"
import { Report, wallSeconds } from "./Measurement.ts"

const [, , main = "", jsonFile = ""] = process.argv
const URLS = 20_000
const ROUNDS = 9
const LOADS = 9

const report = new Report(`Heuristics of ${URLS.toLocaleString("en")} URLs, one thread`)
const file = join(dirname(main), "model.bin")
const model = await Effect.runPromise(ModelFile.load(pathToFileURL(file)))
const submitted = invented(URLS)

/** Microseconds a URL in each round, after two rounds that warm up. */
const perUrl = (work: (url: string) => unknown): ReadonlyArray<number> => {
  const rounds: Array<number> = []
  for (let round = -2; round < ROUNDS; round++) {
    const since = process.hrtime.bigint()
    for (const url of submitted) work(url)
    if (round >= 0) rounds.push((wallSeconds(since) * 1e6) / URLS)
  }
  return rounds
}

report.section("A URL, warm")
report.add("canonical URL", "us", perUrl(CanonicalUrl.parse))
report.add(
  "canonical URL and signals",
  "us",
  perUrl((url) => Signals.extract(CanonicalUrl.parse(url)))
)
report.add(
  "canonical URL, signals and the model's raw value",
  "us",
  perUrl((text) => {
    const url = CanonicalUrl.parse(text)
    return Either.isRight(url) ? Model.ofSubject(model, Subject.of(url.right)) : 0
  })
)
const all = report.add(
  "everything: findings with reasons",
  "us",
  perUrl((url) => findings(model, CanonicalUrl.parse(url)))
)
report.ratio(
  "everything, compared with the URL parser of Node.js",
  all /
    report.add(
      "new URL(...)",
      "us",
      perUrl((url) => URL.canParse(url))
    )
)

report.section("Start")
const loads: Array<number> = []
for (let load = 0; load < LOADS; load++) {
  const since = process.hrtime.bigint()
  await Effect.runPromise(ModelFile.load(pathToFileURL(file)))
  loads.push(wallSeconds(since) * 1000)
}
report.add("reading and checking the weights", "ms", loads)
report.add("size of the weights", "kB", [readFileSync(file).length / 1000])
report.write(jsonFile)
