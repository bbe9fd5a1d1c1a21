// `node training/run.js ablate <folder> <file.tsv.gz>...`: measures the model without a part of its input. It learns from
// every eighth row and with fewer trees, so compare the variants with each other only.
import { basename } from "node:path"
import { Effect } from "effect"
import * as HostFacts from "../src/Checkers/Heuristics/HostFacts.ts"
import * as FactFeatures from "../src/Checkers/Heuristics/Model/ModelFeatures/FactFeatures.ts"
import * as ModelFeatures from "../src/Checkers/Heuristics/Model/ModelFeatures.ts"
import * as ModelText from "../src/Checkers/Heuristics/Model/ModelText.ts"
import * as ModelTrees from "../src/Checkers/Heuristics/Model/ModelTrees.ts"
import type { CanonicalUrl } from "../src/Url/CanonicalUrl.ts"
import * as CorpusFolder from "./Corpus/CorpusFolder.ts"
import * as Learnable from "./Corpus/Learnable.ts"
import * as RocCurve from "./Evaluation/RocCurve.ts"
import * as Extraction from "./Extraction.ts"
import * as BoostedTrees from "./Fitting/BoostedTrees.ts"
import * as Jobs from "./Fitting/Jobs.ts"
import * as Quantization from "./Fitting/Quantization.ts"
import * as Stack from "./Fitting/Stack.ts"
import * as TrainingRows from "./TrainingRows.ts"

const EVERY = 8
const TREES = 100
const SEED = 7

interface Variant {
  readonly name: string
  readonly rewrite?: (url: CanonicalUrl) => CanonicalUrl
  readonly uses?: (feature: ModelFeatures.FeatureName) => boolean
}

const isTableSum = (feature: string): boolean => feature.endsWith("Weights")
const factFeatures: ReadonlySet<string> = new Set(FactFeatures.names)
const isFact = (feature: string): boolean => factFeatures.has(feature)

const withoutSuffix = (url: CanonicalUrl): CanonicalUrl => {
  const host = HostFacts.factsOf(url.host)
  return host.name === undefined ? url : { ...url, host: `${ModelText.hostTextOf(host).chosen}.invalid` }
}

/** Keeps only the shape of the host: every letter becomes the same one. */
const withoutHostTokens = (url: CanonicalUrl): CanonicalUrl => {
  const host = HostFacts.factsOf(url.host)
  if (host.name === undefined) return url
  const shape = ModelText.hostTextOf(host).chosen.replace(/[a-z]/g, "a")
  return { ...url, host: `${shape}.${host.name.suffix}` }
}

const variants: ReadonlyArray<Variant> = [
  { name: "everything" },
  { name: "facts only", uses: isFact },
  { name: "facts and build, no tables", uses: (feature) => !isTableSum(feature) },
  { name: "tables only", uses: isTableSum },
  { name: "without facts", uses: (feature) => !isFact(feature) },
  { name: "without suffix", rewrite: withoutSuffix },
  { name: "without host tokens", rewrite: withoutHostTokens }
]

const [folder, ...files] = process.argv.slice(2)
if (folder === undefined || files.length === 0) {
  console.error("node training/run.js ablate <folder> <file.tsv.gz>...")
  process.exit(1)
}

const learnable = await Effect.runPromise(
  Effect.flatMap(CorpusFolder.read(folder), (corpus) => Learnable.learnable(corpus, folder))
)
const rows = TrainingRows.everyNth(TrainingRows.of(learnable.rows, learnable.logins), EVERY)
const read = await Effect.runPromise(Effect.forEach(files, CorpusFolder.readRows))
const tests = read.map((file) =>
  file.rows.flatMap(({ isPhishing, url }) => {
    const parsed = Extraction.parse(url)
    return parsed === undefined ? [] : [{ isPhishing, url: parsed }]
  })
)
const costs = Extraction.letterCosts(TrainingRows.observedBenign(rows))
const width = ModelFeatures.COUNT

for (const { name, rewrite = (url: CanonicalUrl): CanonicalUrl => url, uses = () => true } of variants) {
  const extracted = Extraction.extract(rows.urls.map(rewrite), costs)
  const tables = await Stack.fitTables(
    { ...rows, learned: rows.urls.length },
    extracted,
    Jobs.sequentialRunner
  )
  const table = { width, count: extracted.count, values: extracted.values }
  const cuts = BoostedTrees.cutsOf(table)
  const features = ModelFeatures.names.flatMap((feature, index) => (uses(feature) ? [index] : []))
  const boosted = BoostedTrees.fit(
    BoostedTrees.binsOf(table, cuts),
    width,
    rows.labels,
    rows.weights,
    Uint32Array.from(rows.labels.keys()),
    { ...Stack.PLAN, trees: TREES, features },
    SEED,
    () => undefined
  )
  const trees = Quantization.flattenTrees(boosted, cuts)
  for (const [index, test] of tests.entries()) {
    const extractedTest = Extraction.extract(
      test.map(({ url }) => rewrite(url)),
      costs
    )
    Stack.applyTables(tables, extractedTest)
    const curve = RocCurve.rocCurve(
      test.map(({ isPhishing }, row) => ({
        isPhishing,
        value: ModelTrees.logOdds(trees, extractedTest.values.subarray(row * width, (row + 1) * width))
      }))
    )
    if (curve === undefined) continue
    const at = [0.001, 0.01].map((share) => RocCurve.recallAt(curve, share).toFixed(3))
    console.log(
      `${name.padEnd(30)}${basename(files[index] ?? "").padEnd(24)}${curve.area.toFixed(4)}  ${at.join("  ")}`
    )
  }
}
