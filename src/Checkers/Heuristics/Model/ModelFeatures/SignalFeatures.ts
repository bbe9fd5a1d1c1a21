/** Features of the signals. */

import type { CanonicalUrl } from "../../../../Url/CanonicalUrl.ts"
import { policyOf, type Signal, signalColumns } from "../../../Kinds.ts"
import type { HostFacts } from "../../HostFacts.ts"
import * as LureWords from "../../LureWords.ts"

/** In the order of a row. */
export const names = [
  "luresInHost",
  "luresInPath",
  "brandInHost",
  "brandIsEveryday",
  "isBrandsOwn",
  "signals",
  ...signalColumns
] as const

const indices = new Map<string, number>(names.map((name, index) => [name, index]))

/** Writes the features to `row` from index `start` on. */
export const fill = (
  url: CanonicalUrl,
  host: HostFacts,
  signals: ReadonlyArray<Signal>,
  row: Float32Array,
  start: number
): void => {
  const set = (name: (typeof names)[number], value: number): void => {
    row[start + (indices.get(name) ?? 0)] = value
  }
  row.fill(0, start, start + names.length)
  let count = 0
  for (const signal of signals) {
    const { feature } = policyOf(signal.kind)
    if (feature === undefined) continue
    count++
    if (feature === "counted") continue
    const [column, value] = feature
    set(column, value)
    if (column === "brandInHost" && "brand" in signal) set("brandIsEveryday", signal.brand.isEveryday ? 1 : 0)
  }
  set("luresInHost", host.lures.length)
  set("luresInPath", LureWords.find(url.path).length)
  set("isBrandsOwn", host.isBrandsOwn ? 1 : 0)
  set("signals", count)
}
