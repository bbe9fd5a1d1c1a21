import { type Category, categories } from "./Category.ts"
import * as Coverage from "./Coverage.ts"

/** How a key covers URLs, in one byte: its coverage, and above that the index of its category. 0: there is no key. */
export type KeyMeta = number

export const make = (coverage: Coverage.Coverage, category: Category): KeyMeta =>
  coverage | (categories.indexOf(category) << Coverage.BITS)

export const category = (meta: KeyMeta): Category => categories[meta >>> Coverage.BITS] ?? "malicious"

/** The index of the category in `categories`. */
export const categoryIndex = (meta: KeyMeta): number => meta >>> Coverage.BITS

/** The coverage of both, and the category that comes first in `categories`. */
export const merge = (left: KeyMeta, right: KeyMeta): KeyMeta =>
  left === 0 || right === 0
    ? left | right
    : ((left | right) & Coverage.ALL) |
      (Math.min(left >>> Coverage.BITS, right >>> Coverage.BITS) << Coverage.BITS)
