import { Data, type Duration, type Option } from "effect"

export const reasons = [
  "Unreachable",
  "Timeout",
  "Status",
  "TooManyRedirects",
  "ForbiddenRedirect",
  "TooLarge",
  "NotAFeed",
  "Corrupt",
  "Columns",
  "Empty",
  "Shrunken",
  "WorkerDied",
  "Defect"
] as const

/**
 * Why a feed was not refreshed. The list before stays in use; the caller tries again later, and not before `retryAfter`.
 *
 * - `Unreachable`: no connection, or it broke off; `detail` is the system's word for it, such as `ECONNREFUSED`.
 * - `Timeout`: no connection within 10 seconds, 30 seconds without a byte, or 5 minutes in all.
 * - `Status`: an answer that is no document; `detail` is the number.
 * - `TooManyRedirects`, `ForbiddenRedirect`: more than five of them, or one that leads to plain HTTP or into a private
 *   network.
 * - `TooLarge`: more than 256 MiB after decompression, or more entries than are held of one feed.
 * - `NotAFeed`: a document of another kind; `detail` names it.
 * - `Corrupt`: broken or cut off.
 * - `Columns`: a table with other columns than its format has.
 * - `Empty`: not one usable entry.
 * - `Shrunken`: less than half of the entries of the document before.
 * - `WorkerDied`: the thread that makes the list ended without one; `detail` is the system's word for it.
 * - `Defect`: a bug of ours, which is logged.
 */
export class FeedError extends Data.TaggedError("FeedError")<{
  readonly reason: (typeof reasons)[number]
  /** More about it, without anything of an address or of the document. */
  readonly detail?: string
  /** How long the server asks to be left alone. */
  readonly retryAfter?: Option.Option<Duration.Duration>
}> {
  override get message(): string {
    return this.detail === undefined ? this.reason : `${this.reason} (${this.detail})`
  }
}
