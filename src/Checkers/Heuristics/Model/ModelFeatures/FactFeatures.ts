/** Features of the facts about words, brands and files. */

import type { BrandEvidence } from "../../Brand.ts"
import type { UrlFacts } from "../../UrlFacts.ts"

/** In the order of `fill`. The weights file contains these names. */
export const names = [
  "luresInHost",
  "luresInName",
  "luresInPath",
  "brandInHost",
  "brandIsEveryday",
  "brandAsks",
  "isBrandsOwn",
  "decoy",
  "abusedSuffix",
  "machineName",
  "international",
  "riskyFile",
  "brandInPath",
  "softwareFolder",
  "mailAddress",
  "userInfo",
  "shortener",
  "facts"
] as const

/** From no use of a brand's name to the strongest. */
const brandCodes: Readonly<Record<BrandEvidence["kind"], number>> = {
  brandAmongWords: 1,
  brandInSubdomain: 3,
  brandInDomain: 4,
  brandLookAlike: 5,
  brandHomograph: 5,
  brandSplit: 5,
  brandDomainInHost: 6
}

const flag = (fact: unknown): number => (fact === undefined || fact === false ? 0 : 1)

/** Writes the features to `row` from index `next` on. */
export const fill = ({ host, path, userInfo }: UrlFacts, row: Float32Array, next: number): void => {
  const { brand, international } = host
  const first = next
  row[next++] = host.lures.length
  row[next++] = host.luresInName.length
  row[next++] = path.lures.length
  row[next++] = brand === undefined ? 0 : brandCodes[brand.kind]
  row[next++] = flag(brand?.brand.everyday)
  row[next++] = brand?.asking.length ?? 0
  row[next++] = flag(host.isBrandsOwn)
  row[next++] = flag(host.decoy)
  row[next++] = flag(host.abusedSuffix)
  row[next++] = flag(host.machineName)
  row[next++] = international === undefined ? 0 : international.mixed === undefined ? 1 : 2
  row[next++] = flag(path.file)
  row[next++] = flag(path.brand ?? path.brandDomain)
  row[next++] = flag(path.softwareFolder)
  row[next++] = flag(path.hasMailAddress)
  row[next++] = flag(userInfo)
  row[next++] = flag(host.isShortener)
  let facts = 0
  for (let at = first; at < next; at++) if (row[at] !== 0) facts++
  row[next] = facts
}
