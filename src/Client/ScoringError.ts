import { Data, Duration } from "effect"
import { messages } from "./ErrorRules.ts"

/** Status 400: the URL is empty. Retrying does not help. */
export class BadRequest extends Data.TaggedError("BadRequest") {
  override get message(): string {
    return messages.BadRequest()
  }
}

/** The URL is longer than 64 KiB of JSON, or status 413 for it alone. Retrying does not help. */
export class TooLarge extends Data.TaggedError("TooLarge") {
  override get message(): string {
    return messages.TooLarge()
  }
}

/**
 * Status 429: too many requests from this address. The client has already retried, or `retryAfter` is longer than the rest
 * of its timeout. Wait for `retryAfter` before the next check.
 */
export class RateLimited extends Data.TaggedError("RateLimited")<{
  /** Zero if the response has no `Retry-After`. */
  readonly retryAfter: Duration.Duration
}> {
  override get message(): string {
    return messages.RateLimited(this)
  }
  /** `retryAfter` in milliseconds. */
  get retryAfterMillis(): number {
    return Duration.toMillis(this.retryAfter)
  }
}

/** A status from 500: the service or a proxy in front of it failed. Or 408: it did not get the request in time. */
export class ServerError extends Data.TaggedError("ServerError")<{
  readonly status: number
  /** Zero if the response has no `Retry-After`. */
  readonly retryAfter: Duration.Duration
}> {
  override get message(): string {
    return messages.ServerError(this)
  }
  /** `retryAfter` in milliseconds. */
  get retryAfterMillis(): number {
    return Duration.toMillis(this.retryAfter)
  }
}

/** No response from `baseUrl`: no connection, or the connection broke. `cause` is the reason that the HTTP client gives. */
export class Unreachable extends Data.TaggedError("Unreachable")<{
  /** Without user name and password. */
  readonly baseUrl: string
  readonly cause: unknown
}> {
  override get message(): string {
    return messages.Unreachable(this)
  }
}

/** No result within the timeout, which includes all retries. */
export class TimedOut extends Data.TaggedError("TimedOut")<{ readonly timeout: Duration.Duration }> {
  override get message(): string {
    return messages.TimedOut(this)
  }
  /** `timeout` in milliseconds. */
  get timeoutMillis(): number {
    return Duration.toMillis(this.timeout)
  }
}

/** A response outside the contract, such as a 404 of another server. `baseUrl` is probably wrong. */
export class UnexpectedAnswer extends Data.TaggedError("UnexpectedAnswer")<{
  readonly status: number
  readonly cause?: unknown
}> {
  override get message(): string {
    return messages.UnexpectedAnswer(this)
  }
}

/** The client cannot be made with this `baseUrl`, which is shown without user name and password. */
export class InvalidBaseUrl extends Data.TaggedError("InvalidBaseUrl")<{ readonly baseUrl: string }> {
  override get message(): string {
    return messages.InvalidBaseUrl(this)
  }
}

/** All errors of `check` and of `checkMany`. */
export type ScoringError =
  | BadRequest
  | TooLarge
  | RateLimited
  | ServerError
  | Unreachable
  | TimedOut
  | UnexpectedAnswer
