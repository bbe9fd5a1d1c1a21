import { CHECK_MANY_TIMEOUT_MS, CHECK_TIMEOUT_MS, DEFAULT_RETRIES } from "./Defaults.ts"
import { TimedOut, TooLarge, Unreachable } from "./Errors.ts"
import {
  type Answer,
  checkOf,
  checksOf,
  exchange,
  type NextAttempt,
  type Outgoing,
  type Scans,
  type Service,
  serviceAt
} from "./Protocol.ts"
import type { Scan } from "./Scan.ts"

export {
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
export type { FindingDetails, Scan, ScanFinding } from "./Scan.ts"

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

const timer = (callback: () => void, millis: number) => setTimeout(callback, Math.min(millis, MAX_TIMER_MS))

/** Ends early when the signal is aborted. */
const sleep = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const waiting = timer(resolve, millis)
    signal.addEventListener("abort", () => {
      clearTimeout(waiting)
      resolve()
    })
  })

/** Never rejects. */
const send = async (
  { baseUrl, headers }: Service,
  { body, path }: Outgoing,
  signal: AbortSignal
): Promise<Answer | Unreachable> => {
  try {
    const response = await fetch(baseUrl + path, {
      method: "POST",
      headers,
      body,
      signal
    })
    const { status } = response
    return {
      status,
      header: (name) => response.headers.get(name),
      body: status === 200 ? await response.text() : ""
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
    if ("_tag" in service) throw service
    this.#service = service
    this.#options = options
  }

  /**
   * Scores one URL without fetching it. Retries 408, 429, 502, 503, 504 and connection errors with exponential backoff, and
   * not before `Retry-After` has passed. Rejects with a `ScoringError`, at once if the timeout would end before the next retry, or
   * with the signal's reason if it is aborted.
   */
  async check(url: string, options?: CheckOptions): Promise<Scan> {
    const [scan] = await this.#run(checkOf(url), CHECK_TIMEOUT_MS, options)
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
    const attemptFrom = checksOf(urls, Date.now)
    for (let from = 0; from < urls.length; ) {
      const scans = await this.#run(() => attemptFrom(from), CHECK_MANY_TIMEOUT_MS, options)
      from += scans.length
      yield* scans.map((scan) => scan ?? new TooLarge({}))
    }
  }

  async #run(
    nextAttempt: NextAttempt,
    defaultTimeoutMillis: number,
    { signal }: CheckOptions = {}
  ): Promise<Scans> {
    signal?.throwIfAborted()
    const { retries = DEFAULT_RETRIES, timeout: timeoutMillis = defaultTimeoutMillis } = this.#options
    const controller = new AbortController()
    const running = controller.signal
    signal?.addEventListener("abort", () => controller.abort(signal.reason), { signal: running })
    const timeout = timer(() => controller.abort(new TimedOut({ timeoutMillis })), timeoutMillis)
    const steps = exchange(nextAttempt, retries, timeoutMillis, Date.now, Math.random())
    try {
      for (let step = steps.next(); ; ) {
        running.throwIfAborted()
        const { value } = step
        if (typeof value === "number") {
          await sleep(value, running)
          step = steps.next()
        } else if ("path" in value) {
          step = steps.next(await send(this.#service, value, running))
        } else if ("_tag" in value) throw value
        else return value
      }
    } finally {
      // Closes the connections of error responses, because their bodies are not read.
      controller.abort()
      clearTimeout(timeout)
    }
  }
}
