import { type Category, categories } from "./Category.ts"
import * as Coverage from "./Coverage.ts"

/** How a record covers URLs, in one byte: its coverage, and above that the index of its category. 0: there is no record. */
export type RecordMeta = number

export const make = (coverage: Coverage.Coverage, category: Category): RecordMeta =>
  coverage | (categories.indexOf(category) << Coverage.BITS)

export const category = (meta: RecordMeta): Category => categories[categoryIndex(meta)] ?? "malicious"

/** The index of the category in `categories`. */
export const categoryIndex = (meta: RecordMeta): number => meta >>> Coverage.BITS

/** The coverage of both, and the category that comes first in `categories`. */
export const merge = (left: RecordMeta, right: RecordMeta): RecordMeta =>
  left === 0 || right === 0
    ? left | right
    : ((left | right) & Coverage.ALL) | (Math.min(categoryIndex(left), categoryIndex(right)) << Coverage.BITS)
