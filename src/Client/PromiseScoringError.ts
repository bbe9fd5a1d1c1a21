import { messages } from "./ErrorRules.ts"

type Tag = keyof typeof messages

/** An `Error` with a tag; its constructor takes the fields. */
type Tagged<T extends Tag> = new <Fields extends object>(
  fields: Fields
) => Error & { readonly _tag: T } & Readonly<Fields>

const tagged = <T extends Tag>(tag: T): Tagged<T> => {
  const message: (fields: never) => string = messages[tag]
  return class<Fields extends object> extends Error {
    readonly _tag = tag
    constructor(fields: Fields) {
      super(message(fields as never))
      Object.assign(this, fields)
    }
    // Of the prototype, because `Error` makes the stack, which begins with it.
    override get name(): string {
      return tag
    }
  } as unknown as Tagged<T>
}

/** Status 400: the URL is empty. Retrying does not help. */
export class BadRequest extends tagged("BadRequest")<object> {}

/** The URL is longer than 64 KiB of JSON, or status 413 for it alone. Retrying does not help. */
export class TooLarge extends tagged("TooLarge")<object> {}

/**
 * Status 429: too many requests from this address. The client has already retried, or `retryAfterMillis` is longer than the
 * rest of its timeout. Wait that long before the next check; it is 0 if the response has no `Retry-After`.
 */
export class RateLimited extends tagged("RateLimited")<{ retryAfterMillis: number }> {}

/**
 * A `status` from 500: the service or a proxy in front of it failed. Or 408: it did not get the request in time.
 * `retryAfterMillis` is 0 without a `Retry-After`.
 */
export class ServerError extends tagged("ServerError")<{ status: number; retryAfterMillis: number }> {}

/** No response from `baseUrl`: no connection, or the connection broke. `cause` is the error of `fetch`. */
export class Unreachable extends tagged("Unreachable")<{ baseUrl: string; cause: unknown }> {}

/** No result within the timeout, which includes all retries. */
export class TimedOut extends tagged("TimedOut")<{ timeoutMillis: number }> {}

/** A response outside the contract, such as a 404 of another server. `baseUrl` is probably wrong. */
export class UnexpectedAnswer extends tagged("UnexpectedAnswer")<{ status: number; cause?: unknown }> {}

/** Thrown by the constructor of the client. `baseUrl` is without user name and password. */
export class InvalidBaseUrl extends tagged("InvalidBaseUrl")<{ baseUrl: string }> {}

/** All errors of `check` and of `checkMany`. */
export type ScoringError =
  | BadRequest
  | TooLarge
  | RateLimited
  | ServerError
  | Unreachable
  | TimedOut
  | UnexpectedAnswer
