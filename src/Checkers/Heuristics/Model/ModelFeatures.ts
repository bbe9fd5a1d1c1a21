/**
 * What the trees of the model decide by: the sums of weights, numbers about the build of host and rest, and the signals.
 * One row of them describes a URL.
 */

import type { CanonicalUrl } from "../../CanonicalUrl.ts"
import type { HostFacts } from "../Host.ts"
import type { Signal } from "../Signals/Signal.ts"
import * as HostFeatures from "./ModelFeatures/HostFeatures.ts"
import * as RestFeatures from "./ModelFeatures/PathFeatures.ts"
import * as SignalFeatures from "./ModelFeatures/SignalFeatures.ts"
import type { HostText, RestText } from "./ModelText.ts"

/** One for each of `ModelTables.tables`, and the sum of these. */
const sums = ["urlWeights", "hostWeights", "pathWeights", "tokenWeights", "allWeights"] as const

/** In the order in which they stand in a row. */
export const names = [...sums, ...HostFeatures.names, ...RestFeatures.names, ...SignalFeatures.names] as const

export type FeatureName = (typeof names)[number]

export const COUNT = names.length

/** Where the numbers about the host begin, and those about the rest. */
export const HOST = sums.length
export const REST = HOST + HostFeatures.names.length
const SIGNALS = REST + RestFeatures.names.length

/** Which of the sums is the host's. */
export const HOST_WEIGHTS = sums.indexOf("hostWeights")

/** What stays the same whatever stands behind the host. */
export const fillHost = (
  url: CanonicalUrl,
  host: HostFacts,
  text: HostText,
  costs: Uint8Array,
  row: Float32Array
): void => HostFeatures.fill(url, host, text, costs, row, HOST)

/** All the others but the sums. `signals` are those of the same URL. */
export const fillRest = (
  url: CanonicalUrl,
  host: HostFacts,
  text: RestText,
  signals: ReadonlyArray<Signal>,
  costs: Uint8Array,
  row: Float32Array
): void => {
  RestFeatures.fill(text, costs, row, REST)
  SignalFeatures.fill(url, host, signals, row, SIGNALS)
}
