/** The errors of both clients. They do not use Effect, which only one of the clients needs. */

const seconds = (millis: number): string => `${millis / 1_000} s`

/** Makes a class of an `Error` with a tag; its constructor takes the fields. */
const tagged = <Tag extends string, Fields extends object>(tag: Tag, messageOf: (fields: Fields) => string) =>
  class extends Error {
    readonly _tag = tag
    constructor(fields: Fields) {
      super(messageOf(fields))
      Object.assign(this, fields)
    }
    // Of the prototype, because `Error` makes the stack, which begins with it.
    override get name(): string {
      return tag
    }
  } as unknown as new (
    fields: Fields
  ) => Error & { readonly _tag: Tag } & Fields

interface RetryAfter {
  /** 0 if the response has no `Retry-After`. */
  readonly retryAfterMillis: number
}

/** The URL is empty. Nothing was sent. */
export class BadRequest extends tagged("BadRequest", (_: object) => "The URL to check is empty") {}

/** The URL is longer than 64 KiB of JSON, or status 413 for it alone. Retrying does not help. */
export class TooLarge extends tagged("TooLarge", (_: object) => "The URL to check is too long") {}

/**
 * Status 429: too many requests from this address. The client has already retried, or `retryAfterMillis` is longer than the
 * rest of its timeout. Wait that long before the next check.
 */
export class RateLimited extends tagged(
  "RateLimited",
  ({ retryAfterMillis }: RetryAfter) =>
    `Too many requests from this address; the service asks to wait ${seconds(retryAfterMillis)}`
) {}

/** A `status` from 500: the service or a proxy in front of it failed. Or 408: it did not get the request in time. */
export class ServerError extends tagged(
  "ServerError",
  ({ status }: RetryAfter & { readonly status: number }) => `The service failed with status ${status}`
) {}

/** No response from `baseUrl`, which has no user name and password here: no connection, or the connection broke. */
export class Unreachable extends tagged(
  "Unreachable",
  ({ baseUrl }: { readonly baseUrl: string /** The error of `fetch`. */; readonly cause: unknown }) =>
    `The service at ${baseUrl} was not reached, or the connection broke`
) {}

/** No result within the timeout, which includes all retries. */
export class TimedOut extends tagged(
  "TimedOut",
  ({ timeoutMillis }: { readonly timeoutMillis: number }) => `No answer within ${seconds(timeoutMillis)}`
) {}

/** A response outside the contract, such as a 404 of another server. `baseUrl` is probably wrong. */
export class UnexpectedAnswer extends tagged(
  "UnexpectedAnswer",
  ({ status }: { readonly status: number; readonly cause?: unknown }) =>
    `An answer with status ${status} that this client cannot read; is the address right?`
) {}

/** The client cannot be made with this `baseUrl`, which has no user name, password, query and fragment here. */
export class InvalidBaseUrl extends tagged(
  "InvalidBaseUrl",
  ({ baseUrl }: { readonly baseUrl: string }) =>
    `baseUrl must be an http or https address without query and fragment: "${baseUrl}"`
) {}

/** All errors of `check` and of `checkMany`. */
export type ScoringError =
  | BadRequest
  | TooLarge
  | RateLimited
  | ServerError
  | Unreachable
  | TimedOut
  | UnexpectedAnswer
