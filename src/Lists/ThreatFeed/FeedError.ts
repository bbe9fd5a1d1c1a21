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
 * Why a feed was not refreshed. The previous list stays in use; the caller tries again later, and not before `retryAfter`.
 * The worker thread throws a `ThrownFeedError` and sends it as `Failed`; `FeedWorker` converts that into this error.
 *
 * - `Unreachable`: no connection, or it broke, or the file cannot be read; `detail` is the system's error code, such as
 *   `ECONNREFUSED`, or `NotAFile` for a folder, a pipe or a device.
 * - `Timeout`: no connection within 10 seconds, 30 seconds without a byte, or 5 minutes in all.
 * - `Status`: a response with another status than 200 and 304; `detail` is the status.
 * - `TooManyRedirects`, `ForbiddenRedirect`: more than five of them, or one that leads to plain HTTP or into a private
 *   network.
 * - `TooLarge`: more than 256 MiB after decompression, or more entries than one list may have.
 * - `NotAFeed`: a document of another kind; `detail` names it, or says how few of its lines can be read.
 * - `Corrupt`: broken or cut off, or a file that was written to while it was read.
 * - `Columns`: a table without the columns of its format; `detail` names the missing ones, or says how many rows have others.
 * - `Empty`: not one usable entry.
 * - `Shrunken`: less than half of the entries of the document before.
 * - `WorkerDied`: the worker thread ended without a response; `detail` is Node's error code or the exit code.
 * - `Defect`: a bug of this service, which is logged.
 */
export class FeedError extends Data.TaggedError("FeedError")<{
  readonly reason: (typeof reasons)[number]
  /** Contains nothing of an address or of a document. */
  readonly detail?: string
  /** From the response's Retry-After header. */
  readonly retryAfter?: Option.Option<Duration.Duration>
}> {
  override get message(): string {
    return this.detail === undefined ? this.reason : `${this.reason} (${this.detail})`
  }
}
