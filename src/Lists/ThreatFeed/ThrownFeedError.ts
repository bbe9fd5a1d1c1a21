import type { FeedError } from "./FeedError.ts"

/**
 * A `FeedError` inside the worker thread, where errors are thrown. `ListBuild.build` catches it and sends it as `Failed`. A
 * class of its own, because Effect's errors would load Effect's fibers in the thread.
 */
export class ThrownFeedError extends Error {
  readonly reason: FeedError["reason"]
  readonly detail: string | undefined
  /** The Retry-After header of the response. */
  readonly retryAfter: string | undefined

  constructor(reason: FeedError["reason"], detail?: string, retryAfter?: string) {
    super(reason)
    this.reason = reason
    this.detail = detail
    this.retryAfter = retryAfter
  }
}
