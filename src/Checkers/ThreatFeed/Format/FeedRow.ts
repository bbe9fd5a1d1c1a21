import type { Category } from "../../ThreatList/Category.ts"

/** One entry of a feed as the feed writes it: neither parsed nor known to be a URL. */
export interface FeedRow {
  readonly text: string
  readonly category: Category
}

/**
 * Why a whole document is refused.
 *
 * - `Columns`: the table has other columns than the format: the provider changed it, and reading on would lose or
 *   confuse rows without a sign.
 * - `Corrupt`: the document breaks off inside a quoted field.
 */
export type FeedProblem = "Columns" | "Corrupt"

/**
 * Reads a document piece by piece. `read` and `end` give the rows that became complete, to be used up before the next call.
 * Rows that are no use are left out and counted in `skipped`; once `problem` is set there are no more rows, and those given
 * so far must not be used.
 */
export interface FeedReader {
  readonly read: (piece: Uint8Array) => Iterable<FeedRow>
  readonly end: () => Iterable<FeedRow>
  readonly skipped: number
  readonly problem: FeedProblem | undefined
}
