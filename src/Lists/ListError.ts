/** Why Safe Browsing refuses a request that it has understood. */
export type Refusal = "KeyRefused" | "RequestRefused"

const BAD_REQUEST = 400
const UNAUTHORIZED = 401
const FORBIDDEN = 403

/**
 * The refusal in a response; undefined for another status. `body` is the beginning of the response as text: Google answers a
 * bad key with 400 and `API_KEY_INVALID` (https://cloud.google.com/apis/design/errors).
 *
 * `refusalOf(403, "")` is `"KeyRefused"`; `refusalOf(503, "")` is undefined.
 */
export const refusalOf = (status: number, body: string): Refusal | undefined => {
  if (status === UNAUTHORIZED || status === FORBIDDEN) return "KeyRefused"
  if (status !== BAD_REQUEST) return undefined
  return body.includes("API_KEY_INVALID") ? "KeyRefused" : "RequestRefused"
}

const refused: Readonly<Record<string, string>> = {
  KeyRefused: "REPUTATION_API_KEY",
  RequestRefused: "the request"
}

/** `messageOf("KeyRefused", "403")` is `"Safe Browsing refuses REPUTATION_API_KEY (403)"`, `messageOf("Empty")` is `"Empty"`. */
export const messageOf = (reason: string, detail: string | undefined): string => {
  const what = refused[reason]
  const text = what === undefined ? reason : `Safe Browsing refuses ${what}`
  return detail === undefined ? text : `${text} (${detail})`
}

export type ListErrorReason =
  // No connection, or it broke, or the file cannot be read; `detail` is the system's error code, such as `ECONNREFUSED`, or `NotAFile`
  // for a folder, a pipe or a device.
  | "Unreachable"
  // No connection within 10 seconds, 30 seconds without a byte, or 5 minutes in all.
  | "Timeout"
  // A response with another status than 200 and 304; `detail` is the status.
  | "Status"
  // More than five.
  | "TooManyRedirects"
  // One that leads to plain HTTP or into a private network.
  | "ForbiddenRedirect"
  // More than 256 MiB after decompression, or more entries than one list may have.
  | "TooLarge"
  // A document of another kind; `detail` names it, or says how few of its lines can be read.
  | "NotAFeed"
  // Broken or cut off, or a file that was written to while it was read.
  | "Corrupt"
  // A table without the columns of its format; `detail` names the missing ones, or says how many rows have others.
  | "Columns"
  // Not one usable entry.
  | "Empty"
  // Less than half of the entries of the document before.
  | "Shrunken"
  // The worker thread ended without a response; `detail` is Node's error code or the exit code.
  | "WorkerDied"
  // A bug of this service, which is logged.
  | "Defect"
  // Of Safe Browsing only. For a refusal `detail` is the status.
  | Refusal
  // No protobuf, cut off, an illegal duration, a change without a version, or another Content-Type.
  | "Malformed"
  // Other lists, fewer or in another order than requested.
  | "UnexpectedList"
  // The changed list is not Google's, or the change is broken or does not fit the list, which `detail` says. The next request is for
  // the whole list.
  | "ChecksumMismatch"

/**
 * Why a list was not refreshed. The list in use stays; the caller tries again later, and not before `retryAfter`. The worker
 * thread throws it, and Effects fail with it. Not an error of Effect's, which would load fibers in the thread.
 */
export class ListError extends Error {
  readonly _tag = "ListError"
  override readonly name = "ListError"
  readonly reason: ListErrorReason
  /** Contains nothing of an address or of a document. */
  readonly detail: string | undefined
  /** From the response's Retry-After header. */
  readonly retryAfterMillis: number | undefined

  constructor(reason: ListErrorReason, detail?: string, retryAfterMillis?: number) {
    super()
    this.reason = reason
    this.detail = detail
    this.retryAfterMillis = retryAfterMillis
  }

  override get message(): string {
    return messageOf(this.reason, this.detail)
  }
}

/** The error that a computation has thrown. Any other exception is a defect and goes on. */
export const orDefect = (error: unknown): ListError => {
  if (error instanceof ListError) return error
  throw error
}
