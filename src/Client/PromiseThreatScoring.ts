import * as BaseUrl from "./BaseUrl.ts"
import {
  DEFAULT_BULK_TIMEOUT_MS,
  DEFAULT_RETRIES,
  DEFAULT_TIMEOUT_MS,
  FIRST_BACKOFF_MS,
  minRetryWaitMillis,
  type Problem,
  problemOf
} from "./Problem.ts"
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
} from "./PromiseScoringError.ts"
import type { Header, Scan } from "./Scan.ts"
import { checkOf, type ScoringRequest } from "./ScoringRequest.ts"
import { urlChunks } from "./UrlChunks.ts"

export * from "./PromiseScoringError.ts"
export type { Scan, ScanFinding } from "./Scan.ts"

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

// This client has no Effect, so no Clock: it reads the time of the system.

/** Longer timers fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

const errors = { BadRequest, TooLarge, RateLimited, ServerError, UnexpectedAnswer }

const errorOf = <P extends Problem>(problem: P): Extract<ScoringError, { readonly _tag: P["_tag"] }> => {
  // A problem has the fields of the error with its tag: the compiler cannot see which of them.
  const TaggedError: new (fields: never) => ScoringError = errors[problem._tag]
  return new TaggedError(problem as never) as never
}

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

/** Varied by a fifth, so that clients which failed together do not retry together. */
const backoffMillis = (retry: number): number => FIRST_BACKOFF_MS * 2 ** retry * (0.8 + 0.4 * Math.random())

const JSON_TYPE = "application/json"

/** Never rejects. Undefined if the request is to be divided. */
const attempt = async <A>(
  { address, baseUrl, headers }: BaseUrl.Service,
  request: ScoringRequest<A>,
  signal: AbortSignal
): Promise<A | ScoringError | undefined> => {
  try {
    const response = await fetch(address + request.suffix, {
      method: "POST",
      headers: { ...headers, accept: JSON_TYPE, "content-type": JSON_TYPE },
      body: request.body,
      signal
    })
    const { status } = response
    const header: Header = (name) => response.headers.get(name)
    if (request.divide?.(status, header)) return
    const problem = problemOf(status, header, Date.now())
    if (problem) return errorOf(problem)
    const body = await response.text()
    try {
      return request.read(body, header)
    } catch (cause) {
      return new UnexpectedAnswer({ status, cause })
    }
  } catch (cause) {
    return new Unreachable({ baseUrl, cause })
  }
}

/** The client for programs without Effect. Needs only `fetch`, so it also works in browsers. */
export class ThreatScoring {
  readonly #service: BaseUrl.Service
  readonly #options: Omit<Options, "baseUrl">

  /** Throws an `InvalidBaseUrl`. */
  constructor({ baseUrl, ...options }: Options) {
    const service = BaseUrl.parse(baseUrl)
    if (!service) throw new InvalidBaseUrl({ baseUrl: BaseUrl.redacted(baseUrl) })
    this.#service = service
    this.#options = options
  }

  /**
   * Scores one URL without fetching it. Retries 429, 502, 503, 504 and connection errors with exponential backoff, and not
   * before `Retry-After` has passed. Rejects with a `ScoringError`, at once if the timeout would end before the next retry, or
   * with the signal's reason if it is aborted.
   */
  check(url: string, options?: CheckOptions): Promise<Scan> {
    return this.#retrying(DEFAULT_TIMEOUT_MS, options, (running) =>
      attempt(this.#service, checkOf(url), running)
    )
  }

  /**
   * Scores any number of URLs, and yields their results in order: a `TooLarge` for a URL that is too long, a `Scan` for each
   * other. Sends one request after the other, each when its results are asked for, with as many URLs as the service allows, at
   * most 500. Waits and retries like `check`, with a timeout for each request, and throws the same errors. Throws a
   * `BadRequest` before the first request if a URL is empty.
   */
  async *checkMany(
    urls: ReadonlyArray<string>,
    options?: CheckOptions
  ): AsyncGenerator<Scan | TooLarge, void, void> {
    if (urls.includes("")) throw new BadRequest({})
    const chunkFrom = urlChunks(urls, Date.now)
    for (let from = 0; from < urls.length; ) {
      const results = await this.#retrying(DEFAULT_BULK_TIMEOUT_MS, options, async (running) => {
        const chunk = chunkFrom(from)
        if (typeof chunk === "number") return new RateLimited({ retryAfterMillis: chunk })
        const answer = await attempt(this.#service, chunk, running)
        return answer instanceof TooLarge
          ? [answer]
          : answer instanceof BadRequest
            ? new UnexpectedAnswer({ status: 400 })
            : answer
      })
      from += results.length
      yield* results
    }
  }

  /**
   * Repeats `attempt`, which never rejects, until it returns no error, or one that must not be retried; at once if it returns
   * undefined.
   */
  async #retrying<A extends object>(
    defaultTimeoutMillis: number,
    { signal }: CheckOptions = {},
    attempt: (running: AbortSignal) => Promise<A | ScoringError | undefined>
  ): Promise<A> {
    signal?.throwIfAborted()
    const { retries = DEFAULT_RETRIES, timeout: timeoutMillis = defaultTimeoutMillis } = this.#options
    const deadline = performance.now() + timeoutMillis
    const running = new AbortController()
    signal?.addEventListener("abort", () => running.abort(signal.reason), { signal: running.signal })
    const timeout = timer(() => running.abort(new TimedOut({ timeoutMillis })), timeoutMillis)
    try {
      for (let retry = 0; ; ) {
        const answer = await attempt(running.signal)
        if (answer && !(answer instanceof Error)) return answer
        running.signal.throwIfAborted()
        if (answer) {
          const minWait = minRetryWaitMillis(answer)
          if (minWait === undefined || !(retry < retries)) throw answer
          const wait = Math.max(backoffMillis(retry++), minWait)
          if (performance.now() + wait >= deadline) throw answer
          await sleep(wait, running.signal)
        }
      }
    } finally {
      // Closes the connections of error responses, because their bodies are not read.
      running.abort()
      clearTimeout(timeout)
    }
  }
}
