import type { Category } from "../../ThreatList/ListRecord.ts"

/** One entry of a feed as the feed writes it: not parsed, and perhaps no URL. Of a ranking: a domain. */
export interface FeedRow {
  readonly text: string
  /** Undefined: the feed's. */
  readonly category?: Category
  /** When the row was published, as the document writes it. Formats without such a column have none. Lists do not use it. */
  readonly published?: string
}

/** Of a row's entry, in characters. The longest URL ever seen in a public feed had 9,268. */
export const MAX_ENTRY_LENGTH = 16_384

/**
 * Reads a document chunk by chunk. `read` and `end` return the rows that became complete.
 *
 * Throws a `ThrownListError` when the whole document must be rejected: with `Columns` for a table without the columns of
 * its format, with `Corrupt` for one that ends inside a quoted field.
 */
export interface FeedReader {
  readonly read: (chunk: Uint8Array) => ReadonlyArray<FeedRow>
  readonly end: () => ReadonlyArray<FeedRow>
  /** Rows that do not have the format, or are too long. */
  readonly unreadable: number
  /** Rows of the format that name no URL and no host, such as hashes of files. */
  readonly unused: number
  /** Whether the rest of the document is not needed. */
  readonly isFull: boolean
}
