/** What is sent to the service and in which order, how its answers are read, and when to retry. Sends nothing and has no timers. */

import { MAX_CHECKS_BODY_BYTES, MAX_URL_BYTES, MAX_URLS } from "../../src/Http/Api/Limits.ts"
import { retryAfterMillis } from "../../src/Layers/Outbound/Headers.ts"
import {
  BadRequest,
  InvalidBaseUrl,
  RateLimited,
  type ScoringError,
  ServerError,
  UnexpectedAnswer
} from "./Errors.ts"
import { readMany, readOne, type Scan } from "./Scan.ts"

/** The service's default rate limit, until an answer names the real one. */
const FIRST_MAX_URLS = 100

/**
 * Beside 429. 408: the request did not arrive in time. The others: the service is busy, or a gateway cannot reach it
 * (https://www.rfc-editor.org/rfc/rfc9110#section-15).
 */
const RETRYABLE_STATUSES = [408, 502, 503, 504]

const MILLIS_PER_SECOND = 1_000

/** `RateLimit-Policy` and `RateLimit`: the limit, what is left of it, and for how many seconds. */
const RATE_LIMIT = /; *q=(\d+).*; *r=(\d+); *t=(\d+)/

const JSON_TYPE = "application/json"

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Where the requests of a client go. */
export interface Service {
  /** The base URL as messages show it: without user name and password, without a slash at the end. */
  readonly baseUrl: string
  /** With the user name and the password of the base URL, for a proxy that asks for them: `fetch` rejects them in a URL. */
  readonly headers: Readonly<Record<string, string>>
}

/** Throws an `InvalidBaseUrl` if the base URL is not http or https, or has a query or a fragment. */
export const serviceAt = (baseUrl: string | URL): Service => {
  try {
    const { hash, host, pathname, password, protocol, search, username } = new URL(baseUrl)
    // Throws for a `%` that encodes nothing.
    const credentials = utf8(decodeURIComponent(`${username}:${password}`))
    if (/^https?:$/.test(protocol) && !search && !hash)
      return {
        baseUrl: `${protocol}//${host}${pathname.replace(/\/+$/, "")}`,
        headers: {
          accept: JSON_TYPE,
          "content-type": JSON_TYPE,
          ...((username || password) && {
            authorization: `Basic ${btoa(String.fromCharCode(...credentials))}`
          })
        }
      }
  } catch {}
  // Without what may be a secret: user name, password, query, fragment.
  throw new InvalidBaseUrl({ baseUrl: `${baseUrl}`.replace(/^.*@|[?#].*/gs, "...") })
}

/** The result of each URL of a request, in order; undefined for a URL that is too long. */
export type Scans = ReadonlyArray<Scan | undefined>

/** A POST of JSON to the service. */
export interface ScoringRequest {
  /** After the base URL. */
  readonly path: string
  readonly body: string
  /** For each URL its index in the request; -1 if it is too long to be sent. */
  readonly places: ReadonlyArray<number>
  /** Reads the body of a response with status 200. Throws if it is outside the contract. */
  readonly read: (body: string, headers: Headers) => ReadonlyArray<Scan>
  /**
   * Only of a request with many URLs. Called with each answer. Reads the headers of the rate limit, which the answer of a proxy
   * may lack. Returns whether the URLs are to be sent again at once, in smaller requests.
   */
  readonly divide?: (status: number, headers: Headers) => boolean
}

/** Returns the request of the next attempt, or the result without one. */
export type NextAttempt = () => ScoringRequest | Scans | ScoringError

export const checkOf =
  (url: string): NextAttempt =>
  () => ({
    path: "/api/check?findings=true",
    body: JSON.stringify({ url }),
    places: [0],
    read: (body, headers) => [readOne(body, headers)]
  })

/**
 * Divides URLs into requests, by what the answers say about their size. Returns the request with those that begin with
 * `urls[from]`. `now` returns milliseconds since 1970.
 */
export const checksOf = (urls: ReadonlyArray<string>, now: () => number) => {
  let maxUrls = FIRST_MAX_URLS
  let maxBytes = MAX_CHECKS_BODY_BYTES
  // What the rate limit allows before `resetAt`, which is the time of the last answer if that did not say it.
  let left = 0
  let resetAt = 0
  const hasEmpty = urls.includes("")

  const room = (): number => (now() < resetAt ? Math.min(left, maxUrls) : maxUrls)

  return (from: number): ReturnType<NextAttempt> => {
    if (hasEmpty) return new BadRequest({})
    const max = room()
    /** As JSON. */
    const sent: Array<string> = []
    const places: Array<number> = []
    // Of the body: with a comma for each URL, which the last one does not have.
    let bytes = '{"urls":[]}'.length - 1
    for (const url of urls.slice(from, from + MAX_URLS)) {
      const text = JSON.stringify(url)
      const size = utf8(text).length
      if (size > MAX_URL_BYTES) places.push(-1)
      else if (sent.length < max && (!sent[0] || bytes + size < maxBytes)) {
        places.push(sent.push(text) - 1)
        bytes += size + 1
      } else break
    }
    if (!places.length) return new RateLimited({ retryAfterMillis: resetAt - now() })
    if (!sent[0]) return places.map(() => undefined)
    return {
      path: "/api/checks",
      body: `{"urls":[${sent}]}`,
      places,
      read: (body) => readMany(body, sent.length),
      divide: (status, headers) => {
        const [, quota = maxUrls, remaining = 0, seconds = 0] = (
          RATE_LIMIT.exec(`${headers.get("ratelimit-policy")} ${headers.get("ratelimit")}`) ?? []
        ).map(Number)
        maxUrls = Math.min(MAX_URLS, quota)
        left = remaining
        resetAt = now() + seconds * MILLIS_PER_SECOND
        if (status === 413 && sent[1]) maxBytes = bytes / 2
        const maxByStatus: Readonly<Record<number, number>> = { 400: maxUrls, 413: 1, 429: room() }
        return sent.length > (maxByStatus[status] ?? MAX_URLS)
      }
    }
  }
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Of a response with status 200. Others are not read: the status alone decides, because a proxy may have sent them. */
  readonly body: string
}

/** How an attempt ended. Undefined if the URLs are to be sent again at once, in smaller requests. */
export const outcomeOf = (
  { divide, places, read }: ScoringRequest,
  { body, headers, status }: Answer,
  now: number
): Scans | ScoringError | undefined => {
  const results = (scans: ReadonlyArray<Scan>) => places.map((place) => scans[place])
  if (divide?.(status, headers)) return undefined
  if (status === 200)
    try {
      return results(read(body, headers))
    } catch (cause) {
      return new UnexpectedAnswer({ status, cause })
    }
  if (status === 413) return results([])
  // `checkMany` sends no empty URL.
  if (status === 400 && !divide) return new BadRequest({})
  const retryAfter = { retryAfterMillis: retryAfterMillis(headers.get("retry-after"), now) ?? 0 }
  if (status === 429) return new RateLimited(retryAfter)
  if (status >= 500 || status === 408) return new ServerError({ status, ...retryAfter })
  return new UnexpectedAnswer({ status })
}

/** The shortest wait before a retry, in milliseconds; undefined if a retry does not help. */
export const retryAfterOf = (error: ScoringError): number | undefined => {
  if (error._tag === "Unreachable") return 0
  if (error._tag === "RateLimited") return error.retryAfterMillis
  const isRetryable = error._tag === "ServerError" && RETRYABLE_STATUSES.includes(error.status)
  return isRetryable ? error.retryAfterMillis : undefined
}
