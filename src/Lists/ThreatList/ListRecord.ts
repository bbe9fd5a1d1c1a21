/** What a list stores about a listed path: how it covers URLs, its category, and when it was last seen. */

/**
 * The categories of entries, in the words that a reason shows. Lists store the index in this array: add new ones only at
 * the end. Of two categories of one URL the first in this order counts.
 */
const categories = ["phishing", "malware", "malicious", "suspected phishing"] as const

export type Category = (typeof categories)[number]

/**
 * A set of bits with two uses:
 * - in a list: how a listed expression (`host/path?query`) covers URLs;
 * - in a lookup: how an expression of the URL may match. It matches a listed one if both sets have a bit in common.
 */
export type Coverage = number

/** A listed URL, host, path and query, matches itself. */
export const EXACT: Coverage = 1

/** The page of a listed URL matches with any query, on its host and the subdomains. Not on shared hosts. */
export const PAGE: Coverage = 2

/** A listed directory or host root matches everything below it, on its host and the subdomains. */
export const BELOW: Coverage = 4

/** The normal form of a listed URL on a shared host matches other spellings of it (see `ContentForms`). */
export const CONTENT: Coverage = 8

/** A listed directory or host root. */
export const DIRECTORY: Coverage = EXACT | PAGE | BELOW

export const ALL: Coverage = DIRECTORY | CONTENT

const COVERAGE_BITS = 4

/** The publisher says of each row of the record that it was taken from another one. */
const COPIED = 0x80

/** One byte: the coverage, above it the index of the category, and `COPIED`. 0: there is no record. */
export type Meta = number

export const metaOf = (coverage: Coverage, category: Category, isCopied = false): Meta =>
  coverage | (categories.indexOf(category) << COVERAGE_BITS) | (isCopied ? COPIED : 0)

const categoryIndex = (meta: Meta): number => (meta & ~COPIED) >>> COVERAGE_BITS

export const isCopied = (meta: Meta): boolean => (meta & COPIED) !== 0

export const categoryOf = (meta: Meta): Category => categories[categoryIndex(meta)] ?? "malicious"

/** The coverage of both, and the category that comes first in `categories`; copied if both are. */
export const merge = (left: Meta, right: Meta): Meta =>
  left === 0 || right === 0
    ? left | right
    : ((left | right) & ALL) |
      (Math.min(categoryIndex(left), categoryIndex(right)) << COVERAGE_BITS) |
      (left & right & COPIED)

/** When a feed's document last had a record, in two bytes: a UTC day, counted from the first of January 1970, or `CURRENT`. */
export type LastSeen = number

/** The last document has it. */
export const CURRENT: LastSeen = 0xffff

const DAY_MS = 86_400_000

/** The day of a time in milliseconds since 1970, up to the year 2149. */
export const dayOf = (time: number): LastSeen => Math.min(Math.max(0, Math.floor(time / DAY_MS)), CURRENT - 1)
