import { readMany, type Scan } from "./Scan.ts"
import { type ScoringRequest, textBytes } from "./ScoringRequest.ts"

/** Of a request, whatever the rate limit is. */
const MAX_URLS = 500

/** The service's default rate limit, until an answer names the real one. */
const FIRST_MAX_URLS = 100

/** Of a request body in UTF-8. */
const MAX_BODY_BYTES = 262_144

/** Of one URL as a JSON string in UTF-8, quotes included. */
const MAX_URL_BYTES = 65_536

const MILLIS_PER_SECOND = 1_000

/** `RateLimit-Policy` and `RateLimit`: the limit, what is left of it, and for how many seconds. */
const RATE_LIMIT = /; *q=(\d+).*; *r=(\d+); *t=(\d+)/

/** A request with many URLs. The result of a URL that is too long is undefined. */
export interface UrlChunk extends Required<ScoringRequest<Array<Scan | undefined>>> {
  /** The results after a `TooLarge`, which is about all URLs of the chunk. */
  readonly tooLarge: Array<Scan | undefined>
}

/**
 * Divides URLs into requests, by what the answers say about their size. Without Effect: both clients use it. `now` returns
 * milliseconds since 1970.
 */
export const urlChunks = (urls: ReadonlyArray<string>, now: () => number) => {
  let maxUrls = FIRST_MAX_URLS
  let maxBytes = MAX_BODY_BYTES
  // What the rate limit allows before `resetAt`, which is the time of the last answer if that did not say it.
  let left = 0
  let resetAt = 0

  const room = (): number => (now() < resetAt ? Math.min(left, maxUrls) : maxUrls)

  /**
   * Returns the URLs that begin with `urls[from]` as a request. If the rate limit allows none, returns how many milliseconds
   * to wait.
   */
  return (from: number): UrlChunk | number => {
    const max = room()
    /** As JSON. */
    const sent: Array<string> = []
    /** For each URL of the chunk its index in `sent`, -1 if it is too long. */
    const places: Array<number> = []
    // Of the body: with a comma for each URL, which the last one does not have.
    let bytes = '{"urls":[]}'.length - 1
    for (const url of urls.slice(from, from + MAX_URLS)) {
      const text = JSON.stringify(url)
      const size = textBytes(text).length
      if (size > MAX_URL_BYTES) places.push(-1)
      else if (sent.length < max && (!sent[0] || bytes + size < maxBytes)) {
        places.push(sent.push(text) - 1)
        bytes += size + 1
      } else break
    }
    if (!places.length) return resetAt - now()
    const results = (scans: ReadonlyArray<Scan>) => places.map((place) => scans[place])
    return {
      path: "/api/checks",
      body: sent[0] ? `{"urls":[${sent}]}` : "",
      tooLarge: results([]),
      read: (text) => results(readMany(text, sent.length)),
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
