import { errorCodeOf } from "../../../Layers/ErrorCode.ts"
import * as HttpRequest from "../../../Layers/Outbound/HttpRequest.ts"
import * as PublicLookup from "../../../Layers/Outbound/PublicLookup.ts"
import type { FeedError } from "../FeedError.ts"

/** The one error that the worker thread throws on purpose; outside the thread it becomes a `FeedError`. */
export class RefreshFailure extends Error {
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

/** Converts an error of a connection. Only its code stays: the message may hold the address, and the address a key. */
export const fromTransport = (cause: unknown): RefreshFailure => {
  const code = errorCodeOf(cause) ?? "no connection"
  if (code === PublicLookup.NOT_PUBLIC) return new RefreshFailure("ForbiddenRedirect", code)
  return new RefreshFailure(code === HttpRequest.CONNECT_TIMED_OUT ? "Timeout" : "Unreachable", code)
}

/** Rejects with a `Timeout` failure when the promise has not settled after so many milliseconds. */
export const orTimeout = async <A>(promise: Promise<A>, timeoutMs: number, detail: string): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RefreshFailure("Timeout", detail)), timeoutMs)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
