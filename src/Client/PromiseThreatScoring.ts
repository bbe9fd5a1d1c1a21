import { retryAfterMillis } from "../Layers/Outbound/Headers.ts"
import {
  DEFAULT_BULK_TIMEOUT_MS,
  DEFAULT_RETRIES,
  DEFAULT_TIMEOUT_MS,
  FIRST_BACKOFF_MS,
  isBusy,
  minRetryWaitMillis
} from "./ErrorRules.ts"
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
import { checkOf, redacted, type ScoringRequest, type Service, serviceAt } from "./ScoringRequest.ts"
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

/**
 * The error of a response whose status is not 200. Only the status decides which it is: a proxy may have sent the response,
 * with a body of its own.
 */
const errorOf = (status: number, header: Header): ScoringError => {
  if (status === 400) return new BadRequest({})
  if (status === 413) return new TooLarge({})
  const retryAfter = { retryAfterMillis: retryAfterMillis(header("retry-after"), Date.now()) ?? 0 }
  if (status === 429) return new RateLimited(retryAfter)
  if (status >= 500 || status === 408) return new ServerError({ status, ...retryAfter })
  return new UnexpectedAnswer({ status })
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
  { baseUrl, headers }: Service,
  request: ScoringRequest<A>,
  signal: AbortSignal
): Promise<A | ScoringError | undefined> => {
  if (!request.body) return new TooLarge({})
  try {
    const response = await fetch(baseUrl + request.path, {
      method: "POST",
      headers: { ...headers, accept: JSON_TYPE, "content-type": JSON_TYPE },
      body: request.body,
      signal
    })
    const { status } = response
    const header: Header = (name) => response.headers.get(name)
    if (request.divide?.(status, header)) return
    if (status !== 200) return errorOf(status, header)
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
  readonly #service: Service
  readonly #options: Omit<Options, "baseUrl">

  /** Throws an `InvalidBaseUrl`. */
  constructor({ baseUrl, ...options }: Options) {
    const service = serviceAt(baseUrl)
    if (!service) throw new InvalidBaseUrl({ baseUrl: redacted(baseUrl) })
    this.#service = service
    this.#options = options
  }

  /**
   * Scores one URL without fetching it. Retries 408, 429, 502, 503, 504 and connection errors with exponential backoff, and
   * not before `Retry-After` has passed. Rejects with a `ScoringError`, at once if the timeout would end before the next retry, or
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
   * most 500. Waits and retries like `check`, with a timeout for each request, and throws the same errors; a 503 with
   * `Retry-After` does not count as a retry. Throws a `BadRequest` before the first request if a URL is empty.
   */
  async *checkMany(
    urls: ReadonlyArray<string>,
    options?: CheckOptions
  ): AsyncGenerator<Scan | TooLarge, void, void> {
    if (urls.includes("")) throw new BadRequest({})
    const chunkFrom = urlChunks(urls, Date.now)
    for (let from = 0; from < urls.length; ) {
      const scans = await this.#retrying(
        DEFAULT_BULK_TIMEOUT_MS,
        options,
        async (running) => {
          const chunk = chunkFrom(from)
          if (typeof chunk === "number") return new RateLimited({ retryAfterMillis: chunk })
          const answer = await attempt(this.#service, chunk, running)
          if (answer instanceof TooLarge) return chunk.tooLarge
          return answer instanceof BadRequest ? new UnexpectedAnswer({ status: 400 }) : answer
        },
        isBusy
      )
      from += scans.length
      yield* scans.map((scan) => scan ?? new TooLarge({}))
    }
  }

  /**
   * Repeats `attempt`, which never rejects, until it returns no error, or one that must not be retried; at once if it returns
   * undefined. An error for which `isBusy` is true does not count as a retry.
   */
  async #retrying<A extends object>(
    defaultTimeoutMillis: number,
    { signal }: CheckOptions = {},
    attempt: (running: AbortSignal) => Promise<A | ScoringError | undefined>,
    isBusy?: (error: ScoringError) => boolean
  ): Promise<A> {
    signal?.throwIfAborted()
    const { retries = DEFAULT_RETRIES, timeout: timeoutMillis = defaultTimeoutMillis } = this.#options
    const deadline = performance.now() + timeoutMillis
    const controller = new AbortController()
    const running = controller.signal
    signal?.addEventListener("abort", () => controller.abort(signal.reason), { signal: running })
    const timeout = timer(() => controller.abort(new TimedOut({ timeoutMillis })), timeoutMillis)
    try {
      for (let retry = 0; ; ) {
        const answer = await attempt(running)
        if (answer instanceof Error) {
          running.throwIfAborted()
          const minWait = minRetryWaitMillis(answer)
          const waits = isBusy?.(answer)
          if (minWait === undefined || !(waits || retry < retries)) throw answer
          const wait = Math.max(backoffMillis(waits ? 0 : retry++), minWait)
          if (performance.now() + wait >= deadline) throw answer
          await sleep(wait, running)
        } else if (answer) return answer
      }
    } finally {
      // Closes the connections of error responses, because their bodies are not read.
      controller.abort()
      clearTimeout(timeout)
    }
  }
}
