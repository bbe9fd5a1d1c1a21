/** Features of the signals. */

import type { CanonicalUrl } from "../../../../Url/CanonicalUrl.ts"
import type { Pattern } from "../../Host/MachineName.ts"
import type { HostFacts } from "../../Host.ts"
import * as LureWords from "../../LureWords.ts"
import type { Signal } from "../../Signals/Signal.ts"

const columnNames = [
  "signalLureInDomain",
  "signalDecoy",
  "signalAbusedSuffix",
  "signalScripts",
  "signalNested",
  "signalFile",
  "signalMachineName",
  "signalPageAmongSoftware",
  "signalPageAsFolder",
  "signalContentIdentifier",
  "signalMailAddress",
  "signalBrandInPath",
  "signalShortener"
] as const

/** In the order of `fill`. The weights file contains these names. */
export const names = [
  "luresInHost",
  "luresInPath",
  "brandInHost",
  "brandIsEveryday",
  "isBrandsOwn",
  "signals",
  ...columnNames
] as const

/** The column of each kind of signal, if it has one. */
const columnOf: Readonly<Partial<Record<Signal["kind"], (typeof columnNames)[number]>>> = {
  lureInDomain: "signalLureInDomain",
  decoyDomain: "signalDecoy",
  deceptiveUserInfo: "signalDecoy",
  brandInUserInfo: "signalDecoy",
  abusedSuffix: "signalAbusedSuffix",
  internationalHost: "signalScripts",
  mixedScripts: "signalScripts",
  nestedUrl: "signalNested",
  archivePath: "signalFile",
  executablePath: "signalFile",
  disguisedFile: "signalFile",
  harmfulFile: "signalFile",
  machineName: "signalMachineName",
  pageAmongSoftware: "signalPageAmongSoftware",
  pageAsFolder: "signalPageAsFolder",
  contentIdentifier: "signalContentIdentifier",
  mailAddress: "signalMailAddress",
  brandInPath: "signalBrandInPath",
  brandDomainInPath: "signalBrandInPath",
  shortener: "signalShortener"
}

const columnIndices: ReadonlyMap<Signal["kind"], number> = new Map(
  Object.entries(columnOf).map(([kind, name]) => [kind as Signal["kind"], columnNames.indexOf(name)])
)

/** Not the order of `Brand`: the weights were learned with these numbers. */
const brandStrengths: Readonly<Partial<Record<Signal["kind"], number>>> = {
  brandAmongWords: 1,
  everydayBrand: 2,
  brandInSubdomain: 3,
  brandInDomain: 4,
  brandLookAlike: 5,
  brandHomograph: 5,
  brandDomainInHost: 6
}

/** Kinds that the scheme or a `www` can cause. */
const notCounted: ReadonlySet<Signal["kind"]> = new Set(["notHttps", "otherScheme", "manyLabels", "longHost"])

const patterns: ReadonlyArray<Pattern> = [
  "hexadecimal",
  "address",
  "digits",
  "consonants",
  "mixed",
  "generated"
]

/** Of the kinds in one column these are the more severe. */
const severe: ReadonlySet<Signal["kind"]> = new Set([
  "mixedScripts",
  "executablePath",
  "disguisedFile",
  "harmfulFile"
])

/** The more severe kinds of a column are 2. */
const severityOf = (signal: Signal): number => {
  if (signal.kind === "machineName") return patterns.indexOf(signal.pattern) + 1
  return severe.has(signal.kind) ? 2 : 1
}

/** Writes the features to `row` from index `next` on. */
export const fill = (
  url: CanonicalUrl,
  host: HostFacts,
  signals: ReadonlyArray<Signal>,
  row: Float32Array,
  next: number
): void => {
  let brand = 0
  let everyday = 0
  let count = 0
  const columnsStart = next + names.length - columnNames.length
  row.fill(0, columnsStart, columnsStart + columnNames.length)
  for (const signal of signals) {
    if (notCounted.has(signal.kind)) continue
    count++
    const strength = brandStrengths[signal.kind]
    if (strength !== undefined && "brand" in signal) {
      brand = strength
      everyday = signal.brand.everyday === true ? 1 : 0
    }
    const column = columnIndices.get(signal.kind)
    if (column !== undefined) row[columnsStart + column] = severityOf(signal)
  }
  row[next++] = host.lures.length
  row[next++] = LureWords.find(url.path).length
  row[next++] = brand
  row[next++] = everyday
  row[next++] = host.isBrandsOwn ? 1 : 0
  row[next] = count
}
