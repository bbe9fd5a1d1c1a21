/** The brands that phishing pages imitate: the table `brands.tsv`, whose columns and flags `brands.schema.js` explains. */

import type { BrandRow, Flag } from "./brands.schema.js"
import rows from "./brands.tsv"

/** A name that phishing pages imitate, and the domains of its owner. */
export interface Brand {
  readonly names: BrandRow["names"]
  readonly domains: BrandRow["domains"]
  /** Of the domains those that a row of the same firm owns. */
  readonly shared: ReadonlyArray<string>
  readonly sector: BrandRow["sector"]
  readonly everyday: boolean
}

const withoutPlus = (domain: string): string => (domain.startsWith("+") ? domain.slice(1) : domain)

export const brands: ReadonlyArray<Brand> = rows.map(
  ({ names, domains: [first, ...others], sector, flags }) => ({
    names,
    sector,
    domains: [withoutPlus(first), ...others.map(withoutPlus)],
    shared: [first, ...others].filter((domain) => domain.startsWith("+")).map(withoutPlus),
    everyday: flags.includes("everyday")
  })
)

export const byName: ReadonlyMap<string, Brand> = new Map(
  brands.flatMap((brand) => brand.names.map((name) => [name, brand] as const))
)

/** The names that have a flag. */
export const namesWith = (flag: Flag): ReadonlySet<string> =>
  new Set(
    rows.flatMap(({ names, flags }) =>
      flags.includes(flag) ? names : names.filter((name) => flags.includes(`${flag}:${name}`))
    )
  )

const NOT_IN_NAMES = /[^a-z0-9]/g

/** How its owner spells a name, by the name. */
export const spellingByName: ReadonlyMap<string, string> = new Map(
  rows.flatMap(({ spellings }) =>
    spellings.map((spelling) => [spelling.toLowerCase().replace(NOT_IN_NAMES, ""), spelling] as const)
  )
)
