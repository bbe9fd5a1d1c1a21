/**
 * What both clients do, without Effect and without `fetch`: what to send and when, how to read an answer, and which error it is.
 * A client only sends requests and waits.
 */

import { MAX_CHECKS_BODY_BYTES, MAX_URL_BYTES, MAX_URLS } from "../../src/Http/Api/Limits.ts"
import { retryAfterMillis } from "../../src/Layers/Outbound/Headers.ts"
import { FIRST_BACKOFF_MS, FIRST_MAX_URLS } from "./Defaults.ts"
import {
  BadRequest,
  InvalidBaseUrl,
  RateLimited,
  type ScoringError,
  ServerError,
  UnexpectedAnswer,
  Unreachable
} from "./Errors.ts"
import { type Header, readMany, readOne, type Scan } from "./Scan.ts"

/**
 * 408: the request did not arrive in time. 429: too many requests. The others: the service is busy, or a gateway cannot reach it
 * (https://www.rfc-editor.org/rfc/rfc9110#section-15).
 */
const RETRYABLE_STATUSES = [408, 429, 502, 503, 504]

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

/** Returns the error if the base URL is not http or https, or has a query or a fragment. */
export const serviceAt = (baseUrl: string | URL): Service | InvalidBaseUrl => {
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
  return new InvalidBaseUrl({ baseUrl: `${baseUrl}`.replace(/^.*@|[?#].*/gs, "...") })
}

/** A POST of JSON to the service. */
export interface Outgoing {
  /** After the base URL. */
  readonly path: string
  readonly body: string
}

export interface Answer {
  readonly status: number
  readonly header: Header
  /** Of a response with status 200. Others are not read: the status alone decides, because a proxy may have sent them. */
  readonly body: string
}

/** The result of each URL of a request, in order; undefined for a URL that is too long. */
export type Scans = ReadonlyArray<Scan | undefined>

interface ScoringRequest extends Outgoing {
  /** For each URL its index in the request; -1 if it is too long to be sent. */
  readonly places: ReadonlyArray<number>
  /** Reads the body of a response with status 200. Throws if it is outside the contract. */
  readonly read: (body: string, header: Header) => ReadonlyArray<Scan>
  /**
   * Only of a request with many URLs. Called with each answer. Reads the headers of the rate limit, which the answer of a proxy
   * may lack. Returns whether the URLs are to be sent again at once, in smaller requests.
   */
  readonly divide?: (status: number, header: Header) => boolean
}

/** Returns the request of the next attempt, or how the exchange ends without one. */
export type NextAttempt = () => ScoringRequest | Scans | ScoringError

export const checkOf =
  (url: string): NextAttempt =>
  () => ({
    path: "/api/check?findings=true",
    body: JSON.stringify({ url }),
    places: [0],
    read: (body, header) => [readOne(body, header)]
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
      divide: (status, header) => {
        const [, quota = maxUrls, remaining = 0, seconds = 0] = (
          RATE_LIMIT.exec(`${header("ratelimit-policy")} ${header("ratelimit")}`) ?? []
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

/** How an attempt ended. Undefined if the URLs are to be sent again at once, in smaller requests. */
const outcomeOf = (
  { divide, places, read }: ScoringRequest,
  answer: Answer | ScoringError,
  now: number
): Scans | ScoringError | undefined => {
  if ("_tag" in answer) return answer
  const { body, header, status } = answer
  const results = (scans: ReadonlyArray<Scan>) => places.map((place) => scans[place])
  if (divide?.(status, header)) return undefined
  if (status === 200)
    try {
      return results(read(body, header))
    } catch (cause) {
      return new UnexpectedAnswer({ status, cause })
    }
  if (status === 413) return results([])
  // `checkMany` sends no empty URL.
  if (status === 400 && !divide) return new BadRequest({})
  const retryAfter = { retryAfterMillis: retryAfterMillis(header("retry-after"), now) ?? 0 }
  if (status === 429) return new RateLimited(retryAfter)
  if (status >= 500 || status === 408) return new ServerError({ status, ...retryAfter })
  return new UnexpectedAnswer({ status })
}

/** What of an error decides about a retry. */
interface Retryable {
  readonly _tag: string
  readonly status?: number
  readonly retryAfterMillis?: number
}

/**
 * A request with its retries. Yields what the client has to do: send a request and pass its answer (or an `Unreachable`) to
 * `next`, or wait for a number of milliseconds. Returns the results, or the error; at once if the timeout would end before the
 * next retry. The client itself ends the exchange after the timeout.
 *
 * `now` returns milliseconds since 1970. `random`, from 0 to 1, varies the waits, so that clients which failed together do not
 * retry together.
 */
export function* exchange(
  nextAttempt: NextAttempt,
  retries: number,
  timeoutMillis: number,
  now: () => number,
  random: number
): Generator<Outgoing | number, Scans | ScoringError, Answer | ScoringError> {
  const deadline = now() + timeoutMillis
  const backoff = FIRST_BACKOFF_MS * (0.8 + 0.4 * random)
  for (let retry = 0; ; ) {
    const attempt = nextAttempt()
    const outcome = "read" in attempt ? outcomeOf(attempt, yield attempt, now()) : attempt
    if (!outcome) continue
    if (!("_tag" in outcome)) return outcome
    // An error that must not be retried has another status, or no wait.
    const { retryAfterMillis = outcome instanceof Unreachable ? 0 : undefined, status = 429 }: Retryable =
      outcome
    if (retryAfterMillis === undefined || !RETRYABLE_STATUSES.includes(status)) return outcome
    // No place for a request with many at the moment: that is not a failure, so it does not count as a retry.
    const isBusy = "divide" in attempt && status === 503 && retryAfterMillis > 0
    if (!isBusy && retry >= retries) return outcome
    const wait = Math.max(backoff * 2 ** (isBusy ? 0 : retry++), retryAfterMillis)
    if (now() + wait >= deadline) return outcome
    yield wait
  }
}
