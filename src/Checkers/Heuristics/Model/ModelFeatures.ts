/**
 * The features that the trees decide by, one row of numbers for each URL: the sums of weights, numbers about host and path,
 * and the signals.
 */

import { createHash } from "node:crypto"
import type { CanonicalUrl } from "../../../Url/CanonicalUrl.ts"
import { kinds, type Policy, type Signal } from "../../Kinds.ts"
import type { HostFacts } from "../HostFacts.ts"
import * as HostFeatures from "./ModelFeatures/HostFeatures.ts"
import * as PathFeatures from "./ModelFeatures/PathFeatures.ts"
import * as SignalFeatures from "./ModelFeatures/SignalFeatures.ts"
import type { HostText, PathText } from "./ModelText.ts"

/** One for each of `ModelTables.tables`, and their total. */
const sums = ["urlWeights", "hostWeights", "pathWeights", "tokenWeights", "allWeights"] as const

/** In the order of a row. */
export const names = [...sums, ...HostFeatures.names, ...PathFeatures.names, ...SignalFeatures.names] as const

export type FeatureName = (typeof names)[number]

export const COUNT = names.length

/** What each kind sets that the model knows, by name, so that a new kind that it does not know changes nothing. */
export const inputs: ReadonlyArray<readonly [kind: string, feature: unknown]> = Object.entries<Policy>(kinds)
  .flatMap(([kind, { feature }]) => (feature === undefined ? [] : [[kind, feature] as const]))
  .sort(([left], [right]) => (left < right ? -1 : 1))

/** A digest of all features and of `inputs`. */
export const digestOf = (kindsOfModel: typeof inputs): string =>
  createHash("sha256")
    .update(JSON.stringify([names, kindsOfModel]))
    .digest("hex")

/** Weights with another digest were learned from other kinds or features, and cannot be used. */
export const digest = digestOf(inputs)

/** The index of the first feature of the host, and of the first feature after those. */
export const HOST_START = sums.length
export const HOST_END = HOST_START + HostFeatures.names.length
const SIGNALS_START = HOST_END + PathFeatures.names.length

/** The index of the host's sum of weights. */
export const HOST_WEIGHTS = sums.indexOf("hostWeights")

/** Fills in the features of the host, which are the same for every path and query. */
export const fillHost = (
  url: CanonicalUrl,
  host: HostFacts,
  text: HostText,
  costs: Uint8Array,
  row: Float32Array
): void => HostFeatures.fill(url, host, text, costs, row, HOST_START)

/** Fills in the features of path, query and signals. */
export const fillPath = (
  url: CanonicalUrl,
  host: HostFacts,
  text: PathText,
  signals: ReadonlyArray<Signal>,
  costs: Uint8Array,
  row: Float32Array
): void => {
  PathFeatures.fill(text, costs, row, HOST_END)
  SignalFeatures.fill(url, host, signals, row, SIGNALS_START)
}
