import * as ModelFeatures from "../src/Checkers/Heuristics/Model/ModelFeatures.ts"
import * as Model from "../src/Checkers/Heuristics/Model.ts"
import * as Extraction from "./Extraction.ts"
import type { Plan } from "./Fitting/BoostedTrees.ts"
import * as CurveFit from "./Fitting/CurveFit.ts"
import type { JobRunner } from "./Fitting/Jobs.ts"
import * as Quantization from "./Fitting/Quantization.ts"
import * as Stack from "./Fitting/Stack.ts"
import * as TableRows from "./TableRows.ts"
import { observedBenign, type TrainingRows } from "./TrainingRows.ts"

/** Trains a model. The same rows give the same weights, wherever the jobs run. */
export const train = async (rows: TrainingRows, runner: JobRunner, plan: Plan): Promise<Model.Model> => {
  const costs = Extraction.letterCosts(observedBenign(rows))
  const others = CurveFit.otherUrls(rows)
  const extracted = Extraction.extract([...rows.urls, ...others.urls], costs)
  const learned = rows.urls.length
  const fittedRows = {
    learned,
    labels: Uint8Array.from({ length: extracted.count }, (_, row) => rows.labels[row] ?? 0),
    weights: Float32Array.from({ length: extracted.count }, (_, row) => rows.weights[row] ?? 0),
    folds: Uint8Array.from([...rows.folds, ...others.folds])
  }
  const fitted = await Stack.fitTables(fittedRows, extracted, runner)
  const { trees, cuts, heldOut } = await Stack.fitTrees(fittedRows, extracted, runner, plan)
  const [urls, hosts, paths, tokens] = fitted.map(Quantization.quantizeTable)
  if (urls === undefined || hosts === undefined || paths === undefined || tokens === undefined)
    throw new Error("a table is missing")
  const column = (feature: number) =>
    Float32Array.from(
      { length: extracted.count },
      (_, row) => extracted.values[row * ModelFeatures.COUNT + feature] ?? 0
    )
  const totals = column(ModelFeatures.ALL_WEIGHTS)
  const values = heldOut.map((logOdds, row) => Model.combined(logOdds, totals[row] ?? 0))
  const [from, to] = [rows.oldestPhishing, rows.newestPhishing].map((day) => day.slice(0, 7))
  return {
    trainedOn: `${learned} URLs, phishing first seen ${from} to ${to}`,
    learnedUpTo: rows.newestPhishing,
    rows: TableRows.current(),
    tables: [urls, hosts, paths, tokens],
    costs,
    trees: Quantization.flattenTrees(trees, cuts),
    ...CurveFit.fit(others, values, column(ModelFeatures.HOST_WEIGHTS))
  }
}
