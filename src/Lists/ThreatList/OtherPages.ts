import { type Category, categories } from "./Category.ts"
import * as RecordMeta from "./RecordMeta.ts"

/**
 * How many pages of a host are listed, its root not counted, and in the lowest bits which of their categories comes first
 * in `categories`.
 */
export type OtherPages = number

/** Hosts with fewer listed pages say nothing about their other pages. */
export const MIN_PAGES = 3

const CATEGORY_BITS = 3

export const pages = (otherPages: OtherPages): number => otherPages >>> CATEGORY_BITS

export const category = (otherPages: OtherPages): Category =>
  categories[categoryIndex(otherPages)] ?? "malicious"

const categoryIndex = (otherPages: OtherPages): number => otherPages & ((1 << CATEGORY_BITS) - 1)

/** With one more page. */
export const withPage = (otherPages: OtherPages, meta: RecordMeta.RecordMeta): OtherPages => {
  const index = RecordMeta.categoryIndex(meta)
  const first = otherPages === 0 ? index : Math.min(categoryIndex(otherPages), index)
  return ((pages(otherPages) + 1) << CATEGORY_BITS) | first
}
