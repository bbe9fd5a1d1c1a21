import { MAX_CHECKS_BODY_BYTES, MAX_URL_BYTES, MAX_URLS } from "../../src/Http/Api/Limits.ts"
import { retryAfterMillis } from "../../src/Layers/Outbound/Headers.ts"
import {
  BadRequest,
  InvalidBaseUrl,
  RateLimited,
  type ScoringError,
  ServerError,
  TimedOut,
  TooLarge,
  UnexpectedAnswer,
  Unreachable
} from "./Errors.ts"
import { readMany, readOne, type Scan } from "./Scan.ts"

export * from "./Errors.ts"
export type { FindingDetails, ReportedAddress, Scan, ScanFinding } from "./Scan.ts"

/** The service's slowest checker has 2 seconds: enough for that and two retries. */
const CHECK_TIMEOUT_MS = 10_000

/**
 * The service gives a request 10 s to arrive, 10 to wait for a place, 2 for its checkers and 10 for the response to be read:
 * enough for that and two retries.
 */
const CHECK_MANY_TIMEOUT_MS = 120_000

const DEFAULT_RETRIES = 2

/** Wait before the first retry; doubles with each further one, and is varied by a fifth. */
const FIRST_BACKOFF_MS = 250

export interface Options {
  /** Address of the service, such as `https://scoring.example`; may have a path. */
  readonly baseUrl: string | URL
  /**
   * Timeout of one check, or of each request of `checkMany`, in milliseconds, retries and waits included; by default 10,000,
   * and 120,000 for a request of `checkMany`.
   */
  readonly timeout?: number | undefined
  /** Maximum number of retries; 2 by default. */
  readonly retries?: number | undefined
}

interface CheckOptions {
  /** Ends the check when it is aborted. */
  readonly signal?: AbortSignal | undefined
}

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

/** Where the requests of a client go. Throws an `InvalidBaseUrl` if that is not http or https, or has a query or a fragment. */
const serviceAt = (baseUrl: string | URL) => {
  try {
    const { hash, host, pathname, password, protocol, search, username } = new URL(baseUrl)
    // Throws for a `%` that encodes nothing.
    const credentials = utf8(decodeURIComponent(`${username}:${password}`))
    if (/^https?:$/.test(protocol) && !search && !hash)
      return {
        /** As messages show it: without user name and password, without a slash at the end. */
        baseUrl: `${protocol}//${host}${pathname.replace(/\/+$/, "")}`,
        headers: {
          accept: JSON_TYPE,
          "content-type": JSON_TYPE,
          // For a proxy that asks for them: `fetch` rejects them in a URL.
          ...((username || password) && {
            authorization: `Basic ${btoa(String.fromCharCode(...credentials))}`
          })
        }
      }
  } catch {}
  // Without what may be a secret: user name, password, query, fragment.
  throw new InvalidBaseUrl({ baseUrl: `${baseUrl}`.replace(/^.*@|[?#].*/gs, "...") })
}

/** Longer timers fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

const timer = (callback: () => void, millis: number) => setTimeout(callback, Math.min(millis, MAX_TIMER_MS))

/** Rejects with the signal's reason when it is aborted. */
const sleep = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const waiting = timer(resolve, millis)
    signal.addEventListener("abort", () => {
      clearTimeout(waiting)
      reject(signal.reason)
    })
  })

/** The result of each URL of a request, in order; undefined for one that is too long. */
type Scans = ReadonlyArray<Scan | undefined>

/** A POST of JSON to the service. */
interface ScoringRequest {
  /** After the base URL. */
  readonly path: string
  readonly body: string
  /** Reads the body of a response with status 200. Throws if it is outside the contract. */
  readonly read: (body: string) => Scans
  /**
   * Only of a request with many URLs. Called with each answer. Reads the headers of the rate limit, which the answer of a proxy
   * may lack. Returns whether the URLs are to be sent again at once, in smaller requests.
   */
  readonly divide?: (status: number, headers: Headers) => boolean
}

/** Few are long enough for it: of one UTF-16 unit at most 6 bytes are sent. */
const isTooLong = (url: string): boolean =>
  6 * url.length + 2 > MAX_URL_BYTES && utf8(JSON.stringify(url)).length > MAX_URL_BYTES

/**
 * Divides URLs into requests, by what the answers say about their size. Returns the request with those that begin with
 * `urls[from]`, or an error if the rate limit allows none.
 */
const checksOf = (urls: ReadonlyArray<string>) => {
  let maxUrls = FIRST_MAX_URLS
  let maxBytes = MAX_CHECKS_BODY_BYTES
  // What the rate limit allows before `resetAt`, which is the time of the last answer if that did not say it.
  let left = 0
  let resetAt = 0

  const room = (): number => (Date.now() < resetAt ? Math.min(left, maxUrls) : maxUrls)

  return (from: number): ScoringRequest | RateLimited => {
    /** As JSON. */
    const sent: Array<string> = []
    // Of the body: with a comma for each URL, which the last one does not have.
    let bytes = '{"urls":[]}'.length - 1
    for (const url of urls.slice(from, from + room())) {
      const text = JSON.stringify(url)
      const size = utf8(text).length
      if (sent[0] && bytes + size >= maxBytes) break
      sent.push(text)
      bytes += size + 1
    }
    if (!sent[0]) return new RateLimited({ retryAfterMillis: resetAt - Date.now() })
    return {
      path: "/api/checks",
      body: `{"urls":[${sent}]}`,
      read: (body) => readMany(body, sent.length),
      divide: (status, headers) => {
        const [, quota = maxUrls, remaining = 0, seconds = 0] = (
          RATE_LIMIT.exec(`${headers.get("ratelimit-policy")} ${headers.get("ratelimit")}`) ?? []
        ).map(Number)
        maxUrls = Math.min(MAX_URLS, quota)
        left = remaining
        resetAt = Date.now() + seconds * MILLIS_PER_SECOND
        if (status === 413 && sent[1]) maxBytes = bytes / 2
        const maxByStatus: Readonly<Record<number, number>> = { 400: maxUrls, 413: 1, 429: room() }
        return sent.length > (maxByStatus[status] ?? MAX_URLS)
      }
    }
  }
}

/** Never rejects. Returns undefined if the URLs are to be sent again at once, in smaller requests. */
const send = async (
  { baseUrl, headers }: ReturnType<typeof serviceAt>,
  { body, divide, path, read }: ScoringRequest,
  signal: AbortSignal
): Promise<Scans | ScoringError | undefined> => {
  let answer: Response
  let text = ""
  try {
    answer = await fetch(baseUrl + path, { method: "POST", headers, body, signal })
    // Of another status nothing is read: it alone decides, because a proxy may have sent the body.
    if (answer.status === 200) text = await answer.text()
  } catch (cause) {
    return new Unreachable({ baseUrl, cause })
  }
  const { status } = answer
  if (divide?.(status, answer.headers)) return undefined
  if (status === 200)
    try {
      return read(text)
    } catch (cause) {
      return new UnexpectedAnswer({ status, cause })
    }
  if (status === 413) return [undefined]
  const retryAfter = {
    retryAfterMillis: retryAfterMillis(answer.headers.get("retry-after"), Date.now()) ?? 0
  }
  if (status === 429) return new RateLimited(retryAfter)
  if (status >= 500 || status === 408) return new ServerError({ status, ...retryAfter })
  return new UnexpectedAnswer({ status })
}

/** The shortest wait before a retry, in milliseconds; undefined if a retry does not help. */
const retryAfterOf = (error: ScoringError): number | undefined => {
  if (error._tag === "Unreachable") return 0
  if (error._tag === "RateLimited") return error.retryAfterMillis
  const isRetryable = error._tag === "ServerError" && RETRYABLE_STATUSES.includes(error.status)
  return isRetryable ? error.retryAfterMillis : undefined
}

/** The client for programs without Effect. Needs only `fetch`, so it also works in browsers. */
export class ThreatScoring {
  readonly #service: ReturnType<typeof serviceAt>
  readonly #options: Omit<Options, "baseUrl">

  /** Throws an `InvalidBaseUrl`. */
  constructor({ baseUrl, ...options }: Options) {
    this.#service = serviceAt(baseUrl)
    this.#options = options
  }

  /**
   * Scores one URL without fetching it. Retries 408, 429, 502, 503, 504 and connection errors with exponential backoff, and
   * not before `Retry-After` has passed. Rejects with a `ScoringError`, at once if the timeout would end before the next retry, or
   * with the signal's reason if it is aborted. An empty URL is a `BadRequest` before anything is sent.
   */
  async check(url: string, options?: CheckOptions): Promise<Scan> {
    if (!url) throw new BadRequest({})
    const request: ScoringRequest = {
      path: "/api/check?findings=true",
      body: JSON.stringify({ url }),
      read: (body) => [readOne(body)]
    }
    const [scan] = await this.#run(() => request, CHECK_TIMEOUT_MS, options)
    if (!scan) throw new TooLarge({})
    return scan
  }

  /**
   * Scores any number of URLs, and yields their results in order: a `TooLarge` for a URL that is too long, a `Scan` for each
   * other. Sends one request after the other, each when its results are asked for, with as many URLs as the service allows, at
   * most 500. Waits and retries like `check`, with a timeout for each request, and throws the same errors; a 503 with
   * `Retry-After` does not count as a retry. Throws a `BadRequest` before the first request if a URL is empty.
   */
  async *checkMany(
    urls: ReadonlyArray<string>,
    options?: CheckOptions
  ): AsyncGenerator<Scan | TooLarge, void, void> {
    if (urls.includes("")) throw new BadRequest({})
    // A caller may add URLs while it reads results.
    for (let from = 0; from < urls.length; ) {
      const next = urls.slice(from)
      from += next.length
      const scans = this.#scans(
        next.filter((url) => !isTooLong(url)),
        options
      )
      for (const url of next) {
        const scan = isTooLong(url) ? undefined : (await scans.next()).value
        yield scan ?? new TooLarge({})
      }
    }
  }

  async *#scans(urls: ReadonlyArray<string>, options?: CheckOptions): AsyncGenerator<Scan | undefined, void> {
    const requestFrom = checksOf(urls)
    for (let from = 0; from < urls.length; ) {
      const scans = await this.#run(() => requestFrom(from), CHECK_MANY_TIMEOUT_MS, options)
      from += scans.length
      yield* scans
    }
  }

  /** One request with its retries. Rejects at once if the timeout would end before the next retry. */
  async #run(
    nextRequest: () => ScoringRequest | RateLimited,
    defaultTimeoutMillis: number,
    { signal }: CheckOptions = {}
  ): Promise<Scans> {
    signal?.throwIfAborted()
    const { retries = DEFAULT_RETRIES, timeout: timeoutMillis = defaultTimeoutMillis } = this.#options
    const deadline = Date.now() + timeoutMillis
    // Varied, so that clients that failed together do not retry together.
    const backoff = FIRST_BACKOFF_MS * (0.8 + 0.4 * Math.random())
    const controller = new AbortController()
    const running = controller.signal
    signal?.addEventListener("abort", () => controller.abort(signal.reason), { signal: running })
    const timeout = timer(() => controller.abort(new TimedOut({ timeoutMillis })), timeoutMillis)
    try {
      for (let retry = 0; ; ) {
        const request = nextRequest()
        const outcome = "read" in request ? await send(this.#service, request, running) : request
        running.throwIfAborted()
        if (!outcome) continue
        if (!("_tag" in outcome)) return outcome
        const retryAfter = retryAfterOf(outcome)
        if (retryAfter === undefined) throw outcome
        // No place for a request with many at the moment: that is not a failure, so it does not count as a retry.
        const isBusy =
          "divide" in request && outcome._tag === "ServerError" && outcome.status === 503 && retryAfter > 0
        if (!isBusy && retry >= retries) throw outcome
        const wait = Math.max(backoff * 2 ** (isBusy ? 0 : retry++), retryAfter)
        if (Date.now() + wait >= deadline) throw outcome
        await sleep(wait, running)
      }
    } finally {
      // Closes the connections of error responses, because their bodies are not read.
      controller.abort()
      clearTimeout(timeout)
    }
  }
}
