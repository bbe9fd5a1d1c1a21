import { Data } from "effect"
import type { HttpResponse } from "../Layers/Server.ts"
import type {
  BadChecksRequest,
  BadRequest,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  RequestTimeout,
  ServerError,
  TooManyRequests,
  Unavailable,
  UnsupportedEncoding
} from "./Api.ts"

type Headers = HttpResponse["headers"]

/**
 * The headers of all, of which the last one wins. By `assign`, because a spread of several objects took five times as long: 1.3
 * microseconds for a response (Node 20, in a loop).
 */
export const mergedHeaders = (first: Headers, second?: Headers, third?: Headers): Record<string, string> =>
  Object.assign({}, first, second, third)

/** A response whose JSON body has exactly these fields, in this order. */
export const json = (
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {}
): HttpResponse => jsonText(status, JSON.stringify(body), headers)

const jsonType = { "content-type": "application/json" }

/** As `json`, of a body that is JSON text already. */
export const jsonText = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {}
): HttpResponse => ({ status, headers: mergedHeaders(jsonType, headers), body })

/** The `Retry-After` of a 503, in seconds: the shortest, because the service may have room again at once. */
const RETRY_AFTER_UNAVAILABLE = "1"

/** The response to each kind of refused request, by what it says beside its fixed text. */
const responses = {
  NotFound: () => json(404, { error: "Not found" } satisfies typeof NotFound.Encoded),
  /** `allow`: the methods of the path. */
  MethodNotAllowed: (allow: string) =>
    json(405, { error: "Method not allowed" } satisfies typeof MethodNotAllowed.Encoded, { allow }),
  MissingUrl: () => json(400, { error: "Missing 'url' in body" } satisfies typeof BadRequest.Encoded),
  NoUrls: (maxUrls: number) =>
    json(400, {
      error: `'urls' must be a list of 1 to ${maxUrls} strings`
    } satisfies typeof BadChecksRequest.Encoded),
  BodyTooLarge: (maxBytes: number) =>
    json(413, {
      error: `The body is larger than ${maxBytes} bytes`
    } satisfies typeof PayloadTooLarge.Encoded),
  UrlTooLarge: (maxBytes: number) =>
    json(413, { error: `A URL is larger than ${maxBytes} bytes` } satisfies typeof PayloadTooLarge.Encoded),
  // The rest of the body may still arrive, so the connection cannot be used again.
  BodyTooSlow: () =>
    json(408, { error: "The body arrives too slowly" } satisfies typeof RequestTimeout.Encoded, {
      connection: "close"
    }),
  UnsupportedEncoding: () =>
    json(415, { error: "Content-Encoding is not supported" } satisfies typeof UnsupportedEncoding.Encoded, {
      "accept-encoding": "identity"
    }),
  TooManyRequests: (limit: number, current: number, retryAfterSeconds: number) =>
    json(
      429,
      {
        error: "Too many requests from this IP, please try again later.",
        limit,
        current
      } satisfies typeof TooManyRequests.Encoded,
      { "retry-after": String(retryAfterSeconds) }
    ),
  /** `name`: the name of the error's class, and nothing else of it. */
  Defect: (name: string | undefined) =>
    json(500, {
      error: "Server error",
      detail: `${name ?? "Unknown error"} while answering; the log tells more`
    } satisfies typeof ServerError.Encoded),
  Unavailable: () =>
    json(503, { error: "The service is not available at the moment" } satisfies typeof Unavailable.Encoded, {
      "retry-after": RETRY_AFTER_UNAVAILABLE
    })
}

type Reason = keyof typeof responses

type Details = { readonly [R in Reason]: Parameters<(typeof responses)[R]> }

const responseTo: { readonly [R in Reason]: (...details: Details[R]) => HttpResponse } = responses

/** A request that is refused, by a route or before. `response` is the only place that maps the reason to the wire. */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly reason: Reason
  readonly response: HttpResponse
}> {}

/** `refusal("BodyTooLarge", 65_536)` has the response 413. */
export const refusal = <R extends Reason>(reason: R, ...details: Details[R]): Refusal =>
  new Refusal({ reason, response: responseTo[reason](...details) })
