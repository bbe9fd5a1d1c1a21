import { type ScoringError, TimedOut, TooLarge, Unreachable } from "./Errors.ts"
import {
  type Answer,
  checkOf,
  checksOf,
  type NextAttempt,
  outcomeOf,
  retryAfterOf,
  type Scans,
  type ScoringRequest,
  type Service,
  serviceAt
} from "./Protocol.ts"
import type { Scan } from "./Scan.ts"

export * from "./Errors.ts"
export type { FindingDetails, Scan, ScanFinding } from "./Scan.ts"

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

/** Never rejects. Returns undefined if the URLs are to be sent again at once, in smaller requests. */
const send = async (
  { baseUrl, headers }: Service,
  request: ScoringRequest,
  signal: AbortSignal
): Promise<Scans | ScoringError | undefined> => {
  let answer: Answer
  try {
    const { body, path } = request
    const response = await fetch(baseUrl + path, { method: "POST", headers, body, signal })
    const { status } = response
    answer = { status, headers: response.headers, body: status === 200 ? await response.text() : "" }
  } catch (cause) {
    return new Unreachable({ baseUrl, cause })
  }
  return outcomeOf(request, answer, Date.now())
}

/** The client for programs without Effect. Needs only `fetch`, so it also works in browsers. */
export class ThreatScoring {
  readonly #service: Service
  readonly #options: Omit<Options, "baseUrl">

  /** Throws an `InvalidBaseUrl`. */
  constructor({ baseUrl, ...options }: Options) {
    this.#service = serviceAt(baseUrl)
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

  /** One request with its retries. Rejects at once if the timeout would end before the next retry. */
  async #run(
    nextAttempt: NextAttempt,
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
        const attempt = nextAttempt()
        const outcome = "read" in attempt ? await send(this.#service, attempt, running) : attempt
        running.throwIfAborted()
        if (!outcome) continue
        if (!("_tag" in outcome)) return outcome
        const retryAfter = retryAfterOf(outcome)
        if (retryAfter === undefined) throw outcome
        // No place for a request with many at the moment: that is not a failure, so it does not count as a retry.
        const isBusy =
          "divide" in attempt && outcome._tag === "ServerError" && outcome.status === 503 && retryAfter > 0
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
