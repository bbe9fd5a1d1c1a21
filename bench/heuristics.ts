/** Time of the heuristics: from the submitted string to its findings, and at start. */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect, Either } from "effect"
import * as ModelFile from "../src/Checkers/Heuristics/Model/ModelFile.ts"
import * as ModelLevel from "../src/Checkers/Heuristics/Model/ModelLevel.ts"
import * as Model from "../src/Checkers/Heuristics/Model.ts"
import * as UrlFacts from "../src/Checkers/Heuristics/UrlFacts.ts"
import { findings } from "../src/Checkers/Heuristics.ts"
import * as CanonicalUrl from "../src/Url/CanonicalUrl.ts"
import * as Submission from "../src/Url/Submission.ts"
import { invented } from "../test/fixtures/InventedAddresses.ts"
import { Report, wallSeconds } from "./Measurement.ts"

const [, , main = "", jsonFile = ""] = process.argv
const URLS = 20_000
const ROUNDS = 9
const LOADS = 9

const report = new Report(
  `Heuristics of ${URLS.toLocaleString("en")} invented URLs, one thread: half of their words are lure words and brands,
names of one to three words, a third with a number, a third with a subdomain; 13 suffixes, five of them abused or of free
hosting; zero to three path segments, a fifth with two parameters; a fifth is not HTTPS`
)
const file = join(dirname(main), "model.bin")
const model = await Effect.runPromise(ModelFile.load(pathToFileURL(file)))
const submitted = invented(URLS)

/** Microseconds per URL in each round, after two warm-up rounds. */
const perUrl = (
  work: (url: string) => unknown,
  urls: ReadonlyArray<string> = submitted
): ReadonlyArray<number> => {
  const rounds: Array<number> = []
  for (let round = -2; round < ROUNDS; round++) {
    const since = process.hrtime.bigint()
    for (const url of urls) work(url)
    if (round >= 0) rounds.push((wallSeconds(since) * 1e6) / urls.length)
  }
  return rounds
}

report.section("One URL, warm; each line includes those above it")
report.add("canonical URL", "us", perUrl(CanonicalUrl.parse))
const ofUrl = (work: (facts: UrlFacts.UrlFacts) => unknown) => (text: string) =>
  Either.map(CanonicalUrl.parse(text), (url) => work(UrlFacts.factsOf(url)))
report.add("its facts: parts of the host, signals", "us", perUrl(ofUrl((facts) => facts)))
report.add("the model's raw value", "us", perUrl(ofUrl((facts) => Model.rawValue(model, facts))))
report.add(
  "the model's level, from several raw values if one is high",
  "us",
  perUrl(ofUrl((facts) => ModelLevel.levelOf(model, facts)))
)
const all = report.add(
  "everything: findings with reasons",
  "us",
  perUrl((url) => findings(model, Submission.read(url, 0)))
)
for (const [kind, isOfKind] of [
  ["of those, the ones without a finding", (count: number) => count === 0],
  ["of those, the ones with three or more", (count: number) => count > 2]
] as const) {
  const urls = submitted.filter((url) => isOfKind(findings(model, Submission.read(url, 0)).length))
  report.add(
    `${kind} (${((100 * urls.length) / URLS).toFixed(0)} %)`,
    "us",
    perUrl((url) => findings(model, Submission.read(url, 0)), urls)
  )
}
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
