import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as ModelFeatures from "../../../../src/Checkers/Heuristics/Model/ModelFeatures.ts"
import * as ModelFile from "../../../../src/Checkers/Heuristics/Model/ModelFile.ts"
import * as Buckets from "../../../../src/Checkers/Heuristics/Model/ModelTables/Buckets.ts"
import * as ModelTables from "../../../../src/Checkers/Heuristics/Model/ModelTables.ts"
import * as ModelText from "../../../../src/Checkers/Heuristics/Model/ModelText.ts"
import * as ModelTrees from "../../../../src/Checkers/Heuristics/Model/ModelTrees.ts"
import * as TreeScorer from "../../../../src/Checkers/Heuristics/Model/TreeScorer.ts"
import * as Model from "../../../../src/Checkers/Heuristics/Model.ts"
import * as UrlFacts from "../../../../src/Checkers/Heuristics/UrlFacts.ts"
import * as CanonicalUrl from "../../../../src/Url/CanonicalUrl.ts"
import { random } from "../../../../training/Random.ts"
import { invented } from "../../../fixtures/InventedAddresses.ts"

const model = Either.getOrThrow(ModelFile.decode(readFileSync(ModelFile.shippedFile), "model.bin"))

const allFacts = invented(1000).map((url) => UrlFacts.factsOf(Either.getOrThrow(CanonicalUrl.parse(url))))

/** All buckets of each table at once, as in training, and trees that are walked. */
const plainValue = ({ url, host, signals }: UrlFacts.UrlFacts): number => {
  const row = new Float32Array(ModelFeatures.COUNT)
  const hostText = ModelText.hostTextOf(host)
  const path = ModelText.pathTextOf(url)
  const buckets = Buckets.make()
  let all = 0
  for (const [table, fill] of ModelTables.fillers.entries()) {
    const { weights, scale, bias } = model.tables[table] ?? { weights: [], scale: 0, bias: 0 }
    fill(hostText, path, buckets)
    let sum = 0
    for (const bucket of buckets.indices.subarray(0, buckets.count)) sum += weights[bucket] ?? 0
    const logit = buckets.count === 0 ? bias : bias + (scale * sum) / Math.sqrt(buckets.count)
    row[table] = logit
    all += logit
  }
  row[ModelTables.fillers.length] = all
  ModelFeatures.fillHost(url, host, hostText, model.costs, row)
  ModelFeatures.fillPath(url, host, path, signals, model.costs, row)
  return ModelTrees.logOdds(model.trees, row)
}

const scored = (scorer: TreeScorer.TreeScorer, row: Float32Array): number => {
  const possible = TreeScorer.allLeaves(scorer)
  TreeScorer.removeLeaves(scorer, row, 0, row.length, possible)
  return TreeScorer.logOdds(scorer, possible)
}

describe("the raw value by TreeScorer", () => {
  it("equals the value by walking the trees", () => {
    for (const facts of allFacts) assert.strictEqual(Model.rawValue(model, facts), plainValue(facts))
  })

  it("is the same for a host that is read once and one that is read again", () => {
    for (const facts of allFacts) {
      const read = Model.readHost(model, facts.url, facts.host)
      Model.rawValueOnHost(model, read, facts.url, facts.signals)
      const bare = { ...facts.url, path: "/", query: undefined }
      assert.strictEqual(
        Model.rawValueOnHost(model, read, bare, UrlFacts.signalsWithPath(facts, bare)),
        plainValue(UrlFacts.factsOf(bare))
      )
    }
  })

  it("is the same for random rows", () => {
    const next = random(5)
    const row = new Float32Array(ModelFeatures.COUNT)
    for (let count = 0; count < 2000; count++) {
      for (let feature = 0; feature < row.length; feature++) row[feature] = (next() - 0.4) * 2 ** (8 * next())
      assert.strictEqual(scored(model.scorer, row), ModelTrees.logOdds(model.trees, row))
    }
  })

  it("is the same for trees with one leaf and with the maximum number", () => {
    const leaves = TreeScorer.MAX_LEAVES
    // A tree that is a list: a leaf at the left of each node.
    const nodes: Array<number> = [ModelTrees.LEAF]
    const numbers: Array<number> = [3]
    for (let leaf = 0; leaf < leaves - 1; leaf++) {
      nodes.push(2 << ModelTrees.FEATURE_BITS, ModelTrees.LEAF)
      numbers.push(leaf, leaf * 100)
    }
    nodes.push(ModelTrees.LEAF)
    numbers.push((leaves - 1) * 100)
    const trees: ModelTrees.ModelTrees = {
      roots: Int32Array.from([0, 1]),
      nodes: Int32Array.from(nodes),
      numbers: Float32Array.from(numbers),
      bias: 0.5
    }
    const scorer = TreeScorer.make(trees, 1)
    for (let number = -1; number <= leaves; number++) {
      const row = Float32Array.from([number])
      const expected = 3.5 + 100 * Math.min(Math.max(number, 0), leaves - 1)
      assert.strictEqual(ModelTrees.logOdds(trees, row), expected)
      assert.strictEqual(scored(scorer, row), expected)
    }
  })
})
