import { Data, Duration } from "effect"

/** The `url` was refused: it is empty. Nothing but another one helps. */
export class BadRequest extends Data.TaggedError("BadRequest")<{ readonly message: string }> {}

/** The `url` is longer than the service takes, which is about 64 KiB. Nothing but a shorter one helps. */
export class TooLarge extends Data.TaggedError("TooLarge")<{ readonly message: string }> {}

/**
 * This address asked too often. Come back when `retryAfter` has passed; the client has waited for itself where that fits
 * into its timeout.
 */
export class RateLimited extends Data.TaggedError("RateLimited")<{
  /** Zero where the answer named none. */
  readonly retryAfter: Duration.Duration
}> {
  override get message(): string {
    return `Too many requests from this address; the service asks to wait ${Duration.format(this.retryAfter)}`
  }
  /** The same for those without Effect. */
  get retryAfterMillis(): number {
    return Duration.toMillis(this.retryAfter)
  }
}

/** The service, or something in front of it, failed with this status from 500 up. */
export class ServerError extends Data.TaggedError("ServerError")<{
  readonly status: number
  /** How long to leave it alone; zero where the answer named none. */
  readonly retryAfter: Duration.Duration
}> {
  override get message(): string {
    return `The service failed with status ${this.status}`
  }
}

/** No answer came: no connection, or one that broke. `cause` is the HTTP client's own error. */
export class Unreachable extends Data.TaggedError("Unreachable")<{ readonly cause: unknown }> {
  override get message(): string {
    return "The service was not reached, or the connection broke"
  }
}

/** The time for the answer, with all that was tried meanwhile, is over. */
export class TimedOut extends Data.TaggedError("TimedOut")<{ readonly timeout: Duration.Duration }> {
  override get message(): string {
    return `No answer within ${Duration.format(this.timeout)}`
  }
}

/** An answer that the contract does not know, such as a 404 of another server: the address is probably wrong. */
export class UnexpectedAnswer extends Data.TaggedError("UnexpectedAnswer")<{
  readonly status: number
  readonly cause?: unknown
}> {
  override get message(): string {
    return `An answer with status ${this.status} that this client cannot read; is the address right?`
  }
}

/** Whatever may come instead of a `Scan`. */
export type ScoringError =
  | BadRequest
  | TooLarge
  | RateLimited
  | ServerError
  | Unreachable
  | TimedOut
  | UnexpectedAnswer
