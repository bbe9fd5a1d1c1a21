/**
 * The circuit breaker of searches, as a pure state machine. Times are milliseconds of a monotonic clock.
 *
 * Not `Layers/Database/CircuitBreaker`: that opens at the first failure, pauses for a fixed time and lets a caller wait for the
 * probe, because a cache database is missed less than a search.
 */

/** So many failures in a row open it. */
const MAX_FAILURES_IN_A_ROW = 3

/** So do failures of half the searches in WINDOW_SECONDS, if they are at least this many. */
const MIN_SEARCHES_IN_WINDOW = 10
const WINDOW_SECONDS = 10

/** From the begin of an outage to the first probe. It doubles with each probe that fails. */
const MIN_PAUSE_MS = 5000
const MAX_PAUSE_MS = 120_000

/** The bound on `Retry-After`: a wait of days would switch the lookup off unnoticed. */
const MAX_RETRY_AFTER_MS = 3_600_000

/** The searches that ended within one second of the clock. */
interface Second {
  readonly second: number
  readonly searches: number
  readonly failures: number
}

export type SearchBreaker =
  | {
      readonly _tag: "Closed"
      readonly failuresInARow: number
      /** Ascending; the last WINDOW_SECONDS at most. */
      readonly seconds: ReadonlyArray<Second>
    }
  | {
      readonly _tag: "Open"
      /** The next search from this time on is the probe. */
      readonly until: number
      readonly pauseMs: number
    }
  | { readonly _tag: "HalfOpen"; readonly until: number; readonly pauseMs: number }

export type Event =
  /** `permission` was "Probe", and the probe is sent now. */
  | { readonly _tag: "ProbeStarted" }
  | { readonly _tag: "Succeeded"; readonly isProbe: boolean }
  | {
      readonly _tag: "Failed"
      readonly isProbe: boolean
      readonly isKeyRefused: boolean
      /** How long the service asks to wait; 0 if it does not. */
      readonly retryAfterMs: number
    }
  /** Neither success nor failure: interrupted. */
  | { readonly _tag: "Ended"; readonly isProbe: boolean }

export const initial: SearchBreaker = { _tag: "Closed", failuresInARow: 0, seconds: [] }

/** What a search may do now: be sent, be sent as the only one to find out whether the service is back, or nothing. */
export type Permission = "Send" | "Probe" | "None"

export const permission = (breaker: SearchBreaker, now: number): Permission => {
  if (breaker._tag === "Closed") return "Send"
  return breaker._tag === "Open" && breaker.until <= now ? "Probe" : "None"
}

const MILLIS_PER_SECOND = 1000

const counted = (seconds: ReadonlyArray<Second>, now: number, failures: 0 | 1): ReadonlyArray<Second> => {
  const second = Math.floor(now / MILLIS_PER_SECOND)
  const earlier = seconds.filter((each) => each.second > second - WINDOW_SECONDS && each.second < second)
  const same = seconds.findLast((each) => each.second === second)
  return [
    ...earlier,
    { second, searches: (same?.searches ?? 0) + 1, failures: (same?.failures ?? 0) + failures }
  ]
}

const sum = (seconds: ReadonlyArray<Second>, count: (second: Second) => number): number =>
  seconds.reduce((total, second) => total + count(second), 0)

const hasTooManyFailures = (failuresInARow: number, seconds: ReadonlyArray<Second>): boolean => {
  const searches = sum(seconds, ({ searches }) => searches)
  const failures = sum(seconds, ({ failures }) => failures)
  return (
    failuresInARow >= MAX_FAILURES_IN_A_ROW ||
    (searches >= MIN_SEARCHES_IN_WINDOW && 2 * failures >= searches)
  )
}

const succeeded = (breaker: SearchBreaker, isProbe: boolean, now: number): SearchBreaker => {
  if (breaker._tag === "Closed")
    return { _tag: "Closed", failuresInARow: 0, seconds: counted(breaker.seconds, now, 0) }
  // The response to a search that was sent before the outage does not end it.
  return breaker._tag === "HalfOpen" && isProbe ? initial : breaker
}

const failed = (
  breaker: SearchBreaker,
  { isProbe, isKeyRefused, retryAfterMs }: Extract<Event, { readonly _tag: "Failed" }>,
  now: number
): SearchBreaker => {
  const hasWait = retryAfterMs > 0
  const waitUntil = hasWait ? now + Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) : 0
  if (breaker._tag === "Closed") {
    const failuresInARow = breaker.failuresInARow + 1
    const seconds = counted(breaker.seconds, now, 1)
    if (!hasWait && !isKeyRefused && !hasTooManyFailures(failuresInARow, seconds))
      return { _tag: "Closed", failuresInARow, seconds }
    return { _tag: "Open", until: hasWait ? waitUntil : now + MIN_PAUSE_MS, pauseMs: MIN_PAUSE_MS }
  }
  if (breaker._tag === "HalfOpen" && isProbe) {
    const pauseMs = Math.min(2 * breaker.pauseMs, MAX_PAUSE_MS)
    return { _tag: "Open", until: Math.max(breaker.until, waitUntil, now + pauseMs), pauseMs }
  }
  // A search that was sent before the outage. Of concurrent responses the longest wait counts.
  return { ...breaker, until: Math.max(breaker.until, waitUntil) }
}

/** The breaker after an event. */
export const next = (breaker: SearchBreaker, event: Event, now: number): SearchBreaker => {
  switch (event._tag) {
    case "ProbeStarted":
      return breaker._tag === "Open" ? { ...breaker, _tag: "HalfOpen" } : breaker
    case "Succeeded":
      return succeeded(breaker, event.isProbe, now)
    case "Failed":
      return failed(breaker, event, now)
    case "Ended":
      return breaker._tag === "HalfOpen" && event.isProbe ? { ...breaker, _tag: "Open" } : breaker
  }
}
