/** Time of the heuristics: from the submitted string to its findings, and at start. */
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect, Either } from "effect"
import { Bench } from "tinybench"
import * as ModelFile from "../src/Checkers/Heuristics/Model/ModelFile.ts"
import * as ModelValue from "../src/Checkers/Heuristics/Model/ModelValue.ts"
import * as Model from "../src/Checkers/Heuristics/Model.ts"
import * as UrlFacts from "../src/Checkers/Heuristics/UrlFacts.ts"
import { findings } from "../src/Checkers/Heuristics.ts"
import * as CanonicalUrl from "../src/Url/CanonicalUrl.ts"
import * as Submission from "../src/Url/Submission.ts"
import { invented } from "../test/fixtures/InventedAddresses.ts"
import { Report } from "./Measurement.ts"

const [, , main = "", jsonFile = ""] = process.argv
const URLS = 20_000
const ROUNDS = 9

const report = new Report(`Heuristics of ${URLS.toLocaleString("en")} invented URLs, one thread`)
const file = pathToFileURL(join(dirname(main), "model.bin"))
const load = () => Effect.runPromise(ModelFile.load(file))
const model = await load()
const submitted = invented(URLS)

const bench = new Bench({ iterations: ROUNDS, time: 0, warmupIterations: 2, warmupTime: 0 })

/** Adds work that is done for each of some URLs. */
const add = (what: string, work: (url: string) => unknown, urls: ReadonlyArray<string> = submitted) =>
  bench.add(`${what}@${urls.length}`, () => {
    for (const url of urls) work(url)
  })
const ofUrl = (work: (facts: UrlFacts.UrlFacts) => unknown) => (text: string) =>
  Either.map(CanonicalUrl.parse(text), (url) => work(UrlFacts.factsOf(url)))
const all = (url: string) => findings(model, Submission.read(url, 0))

add("new URL(...) of Node.js", (url) => URL.canParse(url))
add("canonical URL", CanonicalUrl.parse)
add(
  "its facts",
  ofUrl((facts) => facts)
)
add(
  "the model's raw value",
  ofUrl((facts) => Model.rawValue(model, facts))
)
add(
  "its value by the policy, from up to five raw values",
  ofUrl((facts) => ModelValue.modelValue(model, facts))
)
add("everything: findings with reasons", all)
add(
  "of those, the ones without a finding",
  all,
  submitted.filter((url) => all(url).length === 0)
)
add(
  "of those, the ones with three or more",
  all,
  submitted.filter((url) => all(url).length > 2)
)
await bench.run()

report.section("One URL, warm; each line includes those above it")
const medians = new Map<string, number>()
for (const { name, result } of bench.tasks) {
  if (result.state !== "completed") throw new Error(`${name}: ${result.state}`)
  const [what = "", urls = ""] = name.split("@")
  const perUrl = (millis: number) => (millis * 1000) / Number(urls)
  const { min, p50, max } = result.latency
  medians.set(what, report.add(what, "us", [perUrl(min), perUrl(p50), perUrl(max)]))
}
report.ratio(
  "everything over the URL parser of Node.js",
  (medians.get("everything: findings with reasons") ?? 0) / (medians.get("new URL(...) of Node.js") ?? 1)
)

report.section("Start")
const loading = new Bench({ iterations: ROUNDS, time: 0, warmup: false })
loading.add("reading and checking the weights", load)
for (const { name, result } of await loading.run())
  if (result.state === "completed")
    report.add(name, "ms", [result.latency.min, result.latency.p50, result.latency.max])
report.write(jsonFile)
