/** The input of the model for labelled URLs, as the service computes it. */

import { Either } from "effect"
import * as Host from "../src/Checkers/Heuristics/Host.ts"
import * as HostFacts from "../src/Checkers/Heuristics/HostFacts.ts"
import * as LetterRuns from "../src/Checkers/Heuristics/Model/LetterRuns.ts"
import * as ModelFeatures from "../src/Checkers/Heuristics/Model/ModelFeatures.ts"
import * as ModelTables from "../src/Checkers/Heuristics/Model/ModelTables.ts"
import * as ModelText from "../src/Checkers/Heuristics/Model/ModelText.ts"
import * as UrlFacts from "../src/Checkers/Heuristics/UrlFacts.ts"
import * as CanonicalHost from "../src/Url/CanonicalUrl/CanonicalHost.ts"
import * as CanonicalUrl from "../src/Url/CanonicalUrl.ts"
import type { HashedRows } from "./Fitting/LogisticRegression.ts"

export interface Extracted {
  readonly count: number
  /** The buckets of all rows, for each table. */
  readonly hashed: ReadonlyArray<HashedRows>
  /** `ModelFeatures.COUNT` values for each row. `Stack` fills in the sums of weights. */
  readonly values: Float32Array
}

/** The site of a URL, which is what one party registered. Folds do not divide a site. */
export const siteOf = ({ host }: CanonicalUrl.CanonicalUrl): string =>
  (CanonicalHost.isIpAddress(host) ? undefined : Host.parse(host)?.registrable) ?? host

/** The canonical URL, or nothing for a string that is no URL with a host. */
export const parse = (url: string): CanonicalUrl.CanonicalUrl | undefined =>
  Either.getOrUndefined(CanonicalUrl.parse(url))

/** The costs of letters (see `LetterRuns`) from the names of benign rows, each name once. */
export const letterCosts = (urls: Iterable<CanonicalUrl.CanonicalUrl>): Uint8Array => {
  const names = new Set<string>()
  for (const url of urls) {
    const { chosen } = ModelText.hostTextOf(HostFacts.factsOf(url.host))
    const label = chosen.slice(chosen.lastIndexOf(".") + 1)
    if (!label.startsWith("xn--")) names.add(label)
  }
  const counts = new Float64Array(LetterRuns.TABLE_SIZE)
  for (const name of names) LetterRuns.count(counts, name)
  return LetterRuns.costsOf(counts)
}

/** Memory that threads share, because there is too much of it to copy. */
const sharedArray = (length: number): Uint32Array =>
  new Uint32Array(new SharedArrayBuffer(length * Uint32Array.BYTES_PER_ELEMENT))

export const extract = (urls: ReadonlyArray<CanonicalUrl.CanonicalUrl>, costs: Uint8Array): Extracted => {
  const hashed = ModelTables.tables.map(() => ({
    starts: new Float64Array(urls.length + 1),
    buckets: sharedArray(1 << 20)
  }))
  const values = new Float32Array(urls.length * ModelFeatures.COUNT)
  const row = new Float32Array(ModelFeatures.COUNT)
  for (const [index, url] of urls.entries()) {
    const facts = UrlFacts.factsOf(url)
    const host = ModelText.hostTextOf(facts.host)
    const path = ModelText.pathTextOf(url)
    for (const [table, buckets] of ModelTables.bucketsOf(host, path).entries()) {
      const rows = hashed[table]
      if (rows === undefined) continue
      const start = rows.starts[index] ?? 0
      const end = start + buckets.length
      if (end > rows.buckets.length) {
        const larger = sharedArray(Math.ceil(rows.buckets.length * 1.5) + buckets.length)
        larger.set(rows.buckets)
        rows.buckets = larger
      }
      rows.buckets.set(buckets, start)
      rows.starts[index + 1] = end
    }
    ModelFeatures.fill(facts, host, path, costs, row)
    values.set(row, index * ModelFeatures.COUNT)
  }
  return { count: urls.length, hashed, values }
}
