/**
 * The features that the trees decide by, one row of numbers for each URL: the sums of weights, and numbers about host, path and
 * facts.
 */

import { createHash } from "node:crypto"
import type { UrlFacts } from "../UrlFacts.ts"
import * as FactFeatures from "./ModelFeatures/FactFeatures.ts"
import * as HostFeatures from "./ModelFeatures/HostFeatures.ts"
import * as PathFeatures from "./ModelFeatures/PathFeatures.ts"
import type { HostText, PathText } from "./ModelText.ts"

/** One for each of `ModelTables.tables`, and their total. */
const sums = ["urlWeights", "hostWeights", "pathWeights", "tokenWeights", "allWeights"] as const

/** In the order of a row. */
export const names = [...sums, ...HostFeatures.names, ...PathFeatures.names, ...FactFeatures.names] as const

export type FeatureName = (typeof names)[number]

export const COUNT = names.length

/** Weights with another digest were learned from other features, and cannot be used. */
export const digest = createHash("sha256").update(JSON.stringify(names)).digest("hex")

/** The index of the host's sum of weights. */
export const HOST_WEIGHTS = sums.indexOf("hostWeights")

const HOST_START = sums.length
const PATH_START = HOST_START + HostFeatures.names.length
const FACTS_START = PATH_START + PathFeatures.names.length

/** Fills in the features of the host. */
export const fillHost = (facts: UrlFacts, host: HostText, costs: Uint8Array, row: Float32Array): void =>
  HostFeatures.fill(facts.url, facts.host, host, costs, row, HOST_START)

/** Fills in the features that path and query change. */
export const fillPath = (facts: UrlFacts, path: PathText, costs: Uint8Array, row: Float32Array): void => {
  PathFeatures.fill(path, costs, row, PATH_START)
  FactFeatures.fill(facts, row, FACTS_START)
}
