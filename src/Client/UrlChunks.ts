import { readMany, type Scan } from "./Scan.ts"
import type { ScoringRequest } from "./ScoringRequest.ts"
import { textBytes } from "./TextBytes.ts"

/** Of a request, whatever the rate limit is. */
const MAX_URLS = 500

/** The service's default rate limit, until an answer names the real one. */
const FIRST_MAX_URLS = 100

/** Of a request body in UTF-8. */
const MAX_BODY_BYTES = 1_048_576

const MILLIS_PER_SECOND = 1_000

/** `RateLimit-Policy` and `RateLimit`: the limit, what is left of it, and for how many seconds. */
const RATE_LIMIT = /; *q=(\d+).*; *r=(\d+); *t=(\d+)/

/** A request with many URLs. */
export type UrlChunk = Required<ScoringRequest<Array<Scan>>>

/**
 * Divides URLs into requests, by what the answers say about their size. Without Effect: both clients use it. `now` returns
 * milliseconds since 1970.
 */
export const urlChunks = (urls: ReadonlyArray<string>, now: () => number) => {
  let maxUrls = FIRST_MAX_URLS
  let maxBytes = MAX_BODY_BYTES
  // What the rate limit allows before `resetAt`. Both are NaN if the last answer did not say it.
  let left = 0
  let resetAt = 0

  const room = (): number => (now() < resetAt ? Math.min(left, maxUrls) : maxUrls)

  /**
   * Returns the URLs that begin with `urls[from]` as a request. A URL that is too long for any request is sent alone. If the
   * rate limit allows none, returns how many milliseconds to wait.
   */
  return (from: number): UrlChunk | number => {
    for (let size = room(); size; size >>= 1) {
      const sent = urls.slice(from, from + size)
      const body = JSON.stringify({ urls: sent })
      if (size > 1 && textBytes(body).length > maxBytes) continue
      return {
        suffix: "s",
        body,
        read: (text) => readMany(text, sent.length),
        divide: (status, header) => {
          const [, quota = maxUrls, remaining, seconds] =
            RATE_LIMIT.exec(`${header("ratelimit-policy")} ${header("ratelimit")}`) ?? []
          maxUrls = Math.min(MAX_URLS, +quota)
          left = Number(remaining)
          resetAt = now() + Number(seconds) * MILLIS_PER_SECOND
          if (status === 413 && sent[1]) maxBytes = body.length / 2
          const maxByStatus: Readonly<Record<number, number>> = { 400: maxUrls, 413: 1, 429: room() }
          return sent.length > (maxByStatus[status] ?? MAX_URLS)
        }
      }
    }
    return resetAt - now()
  }
}
