import * as BaseUrl from "./BaseUrl.ts"
import {
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
import * as Scan from "./Scan.ts"

export * from "./PromiseScoringError.ts"
export type { Scan, ScanFinding } from "./Scan.ts"

export interface Options {
  /** Address of the service, such as `https://scoring.example`; may have a path. */
  readonly baseUrl: string | URL
  /** Timeout of one check in milliseconds, retries and waits included; 10,000 by default. */
  readonly timeout?: number | undefined
  /** Maximum number of retries; 2 by default. */
  readonly retries?: number | undefined
}

// This client has no Effect, so no Clock: it reads the time of the system.

/** Longer timers fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

const errors = { BadRequest, TooLarge, RateLimited, ServerError, UnexpectedAnswer }

const errorOf = (problem: Problem): ScoringError => {
  // A problem has the fields of the error with its tag: the compiler cannot see which of them.
  const TaggedError: new (fields: never) => ScoringError = errors[problem._tag]
  return new TaggedError(problem as never)
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

/** Never rejects. */
const attempt = async (
  { address, baseUrl, headers }: BaseUrl.Service,
  url: string,
  signal: AbortSignal
): Promise<Scan.Scan | ScoringError> => {
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { ...headers, accept: JSON_TYPE, "content-type": JSON_TYPE },
      body: JSON.stringify({ url }),
      signal
    })
    const { status } = response
    const header: Scan.Header = (name) => response.headers.get(name)
    const problem = problemOf(status, header, Date.now())
    if (problem !== undefined) return errorOf(problem)
    const body = await response.text()
    try {
      return Scan.read(body, header)
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
  readonly #timeout: number
  readonly #retries: number

  /** Throws an `InvalidBaseUrl`. */
  constructor({ baseUrl, timeout = DEFAULT_TIMEOUT_MS, retries = DEFAULT_RETRIES }: Options) {
    const service = BaseUrl.parse(baseUrl)
    if (service === undefined) throw new InvalidBaseUrl({ baseUrl: BaseUrl.redacted(baseUrl) })
    this.#service = service
    this.#timeout = timeout
    this.#retries = retries
  }

  /**
   * Scores one URL without fetching it. Retries 429, 502, 503, 504 and connection errors with exponential backoff, and not
   * before `Retry-After` has passed. Rejects with a `ScoringError`, at once if the timeout would end before the next retry, or
   * with the signal's reason if it is aborted.
   */
  async check(
    url: string,
    { signal }: { readonly signal?: AbortSignal | undefined } = {}
  ): Promise<Scan.Scan> {
    signal?.throwIfAborted()
    const timeoutMillis = this.#timeout
    const deadline = performance.now() + timeoutMillis
    const running = new AbortController()
    const abort = () => running.abort(signal?.reason)
    signal?.addEventListener("abort", abort)
    const timeout = timer(() => running.abort(new TimedOut({ timeoutMillis })), timeoutMillis)
    try {
      for (let retry = 0; ; retry++) {
        const answer = await attempt(this.#service, url, running.signal)
        if (!(answer instanceof Error)) return answer
        running.signal.throwIfAborted()
        const minWait = minRetryWaitMillis(answer)
        if (minWait === undefined || !(retry < this.#retries)) throw answer
        const wait = Math.max(backoffMillis(retry), minWait)
        if (performance.now() + wait >= deadline) throw answer
        await sleep(wait, running.signal)
      }
    } finally {
      // Closes the connections of error responses, because their bodies are not read.
      running.abort()
      clearTimeout(timeout)
      signal?.removeEventListener("abort", abort)
    }
  }
}
