/**
 * What both clients share about errors: when to retry, and the messages. Without Effect.
 */

/** The service's slowest checker has 2 seconds: enough for that and two retries. */
export const DEFAULT_TIMEOUT_MS = 10_000

/**
 * The service gives a request 10 s to arrive, 10 to wait for a place, 2 for its checkers and 10 for the response to be read:
 * enough for that and two retries.
 */
export const DEFAULT_BULK_TIMEOUT_MS = 120_000

export const DEFAULT_RETRIES = 2

/** Wait before the first retry; doubles with each further one, and is varied by a fifth. */
export const FIRST_BACKOFF_MS = 250

/**
 * 408: the request did not arrive in time. The others: the service is busy, or a gateway cannot reach it
 * (https://www.rfc-editor.org/rfc/rfc9110#section-15).
 */
const RETRYABLE_STATUSES = [408, 502, 503, 504]

/** What of an error decides about a retry. */
interface Retryable {
  readonly _tag: string
  readonly status?: number
  readonly retryAfterMillis?: number
}

/** Minimum wait before a retry in milliseconds; undefined if the error must not be retried. */
export const minRetryWaitMillis = ({ _tag, status, retryAfterMillis }: Retryable): number | undefined => {
  if (_tag === "Unreachable") return 0
  return status === undefined || RETRYABLE_STATUSES.includes(status) ? retryAfterMillis : undefined
}

/**
 * The service has no place for a request of `checkMany` at the moment, and says when to try again: that is no failure, so it
 * does not count as a retry.
 */
export const isBusy = ({ status, retryAfterMillis }: Retryable): boolean =>
  status === 503 && !!retryAfterMillis

const seconds = (millis: number): string => `${millis / 1_000} s`

/** The messages of the errors, by tag. */
export const messages = {
  BadRequest: () => "The URL to check is empty",
  TooLarge: () => "The URL to check is too long",
  InvalidBaseUrl: ({ baseUrl }: { readonly baseUrl: string }) =>
    `baseUrl must be an http or https address without query and fragment: "${baseUrl}"`,
  RateLimited: ({ retryAfterMillis }: { readonly retryAfterMillis: number }) =>
    `Too many requests from this address; the service asks to wait ${seconds(retryAfterMillis)}`,
  ServerError: ({ status }: { readonly status: number }) => `The service failed with status ${status}`,
  Unreachable: ({ baseUrl }: { readonly baseUrl: string }) =>
    `The service at ${baseUrl} was not reached, or the connection broke`,
  TimedOut: ({ timeoutMillis }: { readonly timeoutMillis: number }) =>
    `No answer within ${seconds(timeoutMillis)}`,
  UnexpectedAnswer: ({ status }: { readonly status: number }) =>
    `An answer with status ${status} that this client cannot read; is the address right?`
}
