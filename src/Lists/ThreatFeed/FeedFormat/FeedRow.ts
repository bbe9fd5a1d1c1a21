import type { Category } from "../../ThreatList/Category.ts"

/** One entry of a feed as the feed writes it: not parsed, and perhaps no URL. */
export interface FeedRow {
  readonly text: string
  readonly category: Category
  /** When the row was published, as the document writes it. Formats without such a column have none. Lists do not use it. */
  readonly published?: string
}

/** Of a row's entry, in characters. The longest URL ever seen in a public feed had 9,268. */
export const MAX_ENTRY_LENGTH = 16_384

/**
 * Reads a document chunk by chunk. `read` and `end` give the rows that became complete, to be used before the next call.
 *
 * Throws a `ThrownListError` when the whole document must be refused: with `Columns` for a table with other columns than
 * the format has, with `Corrupt` for one that ends inside a quoted field.
 */
export interface FeedReader {
  readonly read: (chunk: Uint8Array) => Iterable<FeedRow>
  readonly end: () => Iterable<FeedRow>
  /** Rows that are none of the format, or too long. */
  readonly unreadable: number
  /** Rows of the format that name no URL and no host, such as hashes of files. */
  readonly unused: number
}
