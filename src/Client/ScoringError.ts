import { Data, Duration } from "effect"

/** Status 400: the URL is empty. Retrying does not help. */
export class BadRequest extends Data.TaggedError("BadRequest")<{ readonly message: string }> {}

/** Status 413: the request with the URL is larger than 64 KiB. Retrying does not help. */
export class TooLarge extends Data.TaggedError("TooLarge")<{ readonly message: string }> {}

/**
 * Status 429: too many requests from this address. The client has already retried, or `retryAfter` is longer than the rest
 * of its timeout. Wait for `retryAfter` before the next check.
 */
export class RateLimited extends Data.TaggedError("RateLimited")<{
  /** Zero if the response has no `Retry-After`. */
  readonly retryAfter: Duration.Duration
}> {
  override get message(): string {
    return `Too many requests from this address; the service asks to wait ${Duration.format(this.retryAfter)}`
  }
  /** `retryAfter` in milliseconds, for callers without Effect. */
  get retryAfterMillis(): number {
    return Duration.toMillis(this.retryAfter)
  }
}

/** A status from 500: the service or a proxy in front of it failed. */
export class ServerError extends Data.TaggedError("ServerError")<{
  readonly status: number
  /** Zero if the response has no `Retry-After`. */
  readonly retryAfter: Duration.Duration
}> {
  override get message(): string {
    return `The service failed with status ${this.status}`
  }
}

/** No response: no connection, or the connection broke. `cause` is the HTTP client's error. */
export class Unreachable extends Data.TaggedError("Unreachable")<{ readonly cause: unknown }> {
  override get message(): string {
    return "The service was not reached, or the connection broke"
  }
}

/** No result within the timeout, which includes all retries. */
export class TimedOut extends Data.TaggedError("TimedOut")<{ readonly timeout: Duration.Duration }> {
  override get message(): string {
    return `No answer within ${Duration.format(this.timeout)}`
  }
}

/** A response outside the contract, such as a 404 of another server. `baseUrl` is probably wrong. */
export class UnexpectedAnswer extends Data.TaggedError("UnexpectedAnswer")<{
  readonly status: number
  readonly cause?: unknown
}> {
  override get message(): string {
    return `An answer with status ${this.status} that this client cannot read; is the address right?`
  }
}

/** All errors of `check`. */
export type ScoringError =
  | BadRequest
  | TooLarge
  | RateLimited
  | ServerError
  | Unreachable
  | TimedOut
  | UnexpectedAnswer
