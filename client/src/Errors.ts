/** The errors of the service's protocol. The client with promises exports them; the one for Effect makes its own of them. */

/** The fields of each error, by its tag. */
export interface ErrorFields {
  readonly BadRequest: object
  readonly TooLarge: object
  readonly RateLimited: {
    /** 0 if the response has no `Retry-After`. */
    readonly retryAfterMillis: number
  }
  readonly ServerError: {
    readonly status: number
    /** 0 if the response has no `Retry-After`. */
    readonly retryAfterMillis: number
  }
  readonly Unreachable: {
    /** Without user name and password. */
    readonly baseUrl: string
    /** The error of `fetch`, or the reason that the `HttpClient` gives. */
    readonly cause: unknown
  }
  readonly TimedOut: { readonly timeoutMillis: number }
  readonly UnexpectedAnswer: { readonly status: number; readonly cause?: unknown }
  readonly InvalidBaseUrl: {
    /** Without user name, password, query and fragment. */
    readonly baseUrl: string
  }
}

export type ErrorTag = keyof ErrorFields

const seconds = (millis: number): string => `${millis / 1_000} s`

export const messages: { readonly [Tag in ErrorTag]: (fields: ErrorFields[Tag]) => string } = {
  BadRequest: () => "The URL to check is empty",
  TooLarge: () => "The URL to check is too long",
  RateLimited: ({ retryAfterMillis }) =>
    `Too many requests from this address; the service asks to wait ${seconds(retryAfterMillis)}`,
  ServerError: ({ status }) => `The service failed with status ${status}`,
  Unreachable: ({ baseUrl }) => `The service at ${baseUrl} was not reached, or the connection broke`,
  TimedOut: ({ timeoutMillis }) => `No answer within ${seconds(timeoutMillis)}`,
  UnexpectedAnswer: ({ status }) =>
    `An answer with status ${status} that this client cannot read; is the address right?`,
  InvalidBaseUrl: ({ baseUrl }) =>
    `baseUrl must be an http or https address without query and fragment: "${baseUrl}"`
}

/** An `Error` with a tag; its constructor takes the fields. */
type Tagged<Tag extends ErrorTag> = new (
  fields: ErrorFields[Tag]
) => Error & { readonly _tag: Tag } & ErrorFields[Tag]

const tagged = <Tag extends ErrorTag>(tag: Tag): Tagged<Tag> =>
  class extends Error {
    readonly _tag = tag
    constructor(fields: ErrorFields[Tag]) {
      super(messages[tag](fields))
      Object.assign(this, fields)
    }
    // Of the prototype, because `Error` makes the stack, which begins with it.
    override get name(): string {
      return tag
    }
  } as unknown as Tagged<Tag>

/** Status 400: the URL is empty. Retrying does not help. */
export class BadRequest extends tagged("BadRequest") {}

/** The URL is longer than 64 KiB of JSON, or status 413 for it alone. Retrying does not help. */
export class TooLarge extends tagged("TooLarge") {}

/**
 * Status 429: too many requests from this address. The client has already retried, or `retryAfterMillis` is longer than the
 * rest of its timeout. Wait that long before the next check.
 */
export class RateLimited extends tagged("RateLimited") {}

/** A `status` from 500: the service or a proxy in front of it failed. Or 408: it did not get the request in time. */
export class ServerError extends tagged("ServerError") {}

/** No response from `baseUrl`: no connection, or the connection broke. */
export class Unreachable extends tagged("Unreachable") {}

/** No result within the timeout, which includes all retries. */
export class TimedOut extends tagged("TimedOut") {}

/** A response outside the contract, such as a 404 of another server. `baseUrl` is probably wrong. */
export class UnexpectedAnswer extends tagged("UnexpectedAnswer") {}

/** The client cannot be made with this `baseUrl`. */
export class InvalidBaseUrl extends tagged("InvalidBaseUrl") {}

/** All errors of `check` and of `checkMany`. */
export type ScoringError =
  | BadRequest
  | TooLarge
  | RateLimited
  | ServerError
  | Unreachable
  | TimedOut
  | UnexpectedAnswer
