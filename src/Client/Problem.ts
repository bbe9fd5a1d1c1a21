import { retryAfterMillis } from "../Layers/Outbound/Headers.ts"
import type { Header } from "./Scan.ts"

/**
 * What both clients share about errors: which response is which, when to retry, and the messages. Without Effect.
 */

/** Why a response has no result, as the fields of the error that a client makes of it. */
export type Problem =
  | { readonly _tag: "BadRequest" }
  | { readonly _tag: "TooLarge" }
  | { readonly _tag: "RateLimited"; readonly retryAfterMillis: number }
  | { readonly _tag: "ServerError"; readonly status: number; readonly retryAfterMillis: number }
  | { readonly _tag: "UnexpectedAnswer"; readonly status: number }

/**
 * Returns the problem of a response to a check; undefined for status 200. Only the status decides which it is: a
 * proxy may have sent the response, with a body of its own. `now` is in milliseconds since 1970.
 */
export const problemOf = (status: number, header: Header, now: number): Problem | undefined => {
  if (status === 200) return undefined
  if (status === 400) return { _tag: "BadRequest" }
  if (status === 413) return { _tag: "TooLarge" }
  const wait = retryAfterMillis(header("retry-after"), now) ?? 0
  if (status === 429) return { _tag: "RateLimited", retryAfterMillis: wait }
  if (status >= 500) return { _tag: "ServerError", status, retryAfterMillis: wait }
  return { _tag: "UnexpectedAnswer", status }
}

/** The service's slowest checker has 2 seconds: enough for that and two retries. */
export const DEFAULT_TIMEOUT_MS = 10_000

/** 500 URLs take 32 s at most, 32 at a time with 2 seconds each: enough for that and two retries. */
export const DEFAULT_BULK_TIMEOUT_MS = 120_000

export const DEFAULT_RETRIES = 2

/** Wait before the first retry; doubles with each further one, and is varied by a fifth. */
export const FIRST_BACKOFF_MS = 250

/** Statuses of a gateway that cannot reach the service: https://www.rfc-editor.org/rfc/rfc9110#section-15.6 */
const GATEWAY_STATUSES = [502, 503, 504]

/** What of an error decides about a retry. */
interface Retryable {
  readonly _tag: string
  readonly status?: number
  readonly retryAfterMillis?: number
}

/** Minimum wait before a retry in milliseconds; undefined if the error must not be retried. */
export const minRetryWaitMillis = ({ _tag, status, retryAfterMillis }: Retryable): number | undefined => {
  if (_tag === "Unreachable") return 0
  return status === undefined || GATEWAY_STATUSES.includes(status) ? retryAfterMillis : undefined
}

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
