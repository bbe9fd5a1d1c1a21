import type { ListErrorReason } from "../ListError.ts"

/**
 * A `ListError` inside the worker thread, where errors are thrown. It is sent to the main thread as a `Failed` message. A class
 * of its own, because Effect's errors would load Effect's fibers in the thread.
 */
export class ThrownListError extends Error {
  readonly reason: ListErrorReason
  readonly detail: string | undefined
  /** The Retry-After header of the response. */
  readonly retryAfter: string | undefined

  constructor(reason: ListErrorReason, detail?: string, retryAfter?: string) {
    super(reason)
    this.reason = reason
    this.detail = detail
    this.retryAfter = retryAfter
  }
}

/** The error that a computation has thrown. Any other exception is a defect and goes on. */
export const orDefect = (error: unknown): ThrownListError => {
  if (error instanceof ThrownListError) return error
  throw error
}
