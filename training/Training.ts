import type { ModelWeights } from "../src/Checkers/Heuristics/Model.ts"
import * as Extraction from "./Extraction.ts"
import type { Plan } from "./Fitting/BoostedTrees.ts"
import type { JobRunner } from "./Fitting/Jobs.ts"
import * as Quantization from "./Fitting/Quantization.ts"
import * as Stack from "./Fitting/Stack.ts"
import * as Thresholds from "./Fitting/Thresholds.ts"
import * as TableRows from "./TableRows.ts"
import { observedBenign, type TrainingRows } from "./TrainingRows.ts"

/** Trains a model. The same rows give the same weights, wherever the jobs run. */
export const train = async (rows: TrainingRows, runner: JobRunner, plan: Plan): Promise<ModelWeights> => {
  const costs = Extraction.letterCosts(observedBenign(rows))
  const extracted = Extraction.extract(rows.urls, costs)
  const fitted = await Stack.fitTables(rows, extracted, runner)
  const { trees, cuts, heldOut } = await Stack.fitTrees(rows, extracted, runner, plan)
  const [urls, hosts, paths, tokens] = fitted.map(Quantization.quantizeTable)
  if (urls === undefined || hosts === undefined || paths === undefined || tokens === undefined)
    throw new Error("a table is missing")
  const [from, to] = [rows.oldestPhishing, rows.newestPhishing].map((day) => day.slice(0, 7))
  return {
    trainedOn: `${rows.urls.length} URLs, phishing first seen ${from} to ${to}`,
    learnedUpTo: rows.newestPhishing,
    rows: TableRows.current(),
    tables: [urls, hosts, paths, tokens],
    costs,
    trees: Quantization.flattenTrees(trees, cuts),
    thresholds: Thresholds.thresholdsOf(rows, heldOut)
  }
}
