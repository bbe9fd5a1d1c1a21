/**
 * A circuit breaker as a pure state machine (https://martinfowler.com/bliki/CircuitBreaker.html): after failures no call is
 * made for a while, so that callers do not each wait for a timeout. Times are milliseconds of a monotonic clock.
 */

export interface Rules {
  /** Opens after this many failures in a row. */
  readonly maxFailuresInARow: number
  /** From the opening to the first probe, unless the service asks to wait. Doubles with each probe that fails. */
  readonly minPauseMs: number
  readonly maxPauseMs: number
}

export type CircuitBreaker =
  | { readonly _tag: "Closed"; readonly failuresInARow: number }
  | {
      readonly _tag: "Open"
      /** The next call from this time on is the probe. */
      readonly until: number
      readonly pauseMs: number
    }
  | { readonly _tag: "HalfOpen"; readonly until: number; readonly pauseMs: number }

export type Event =
  /** `permission` was "Probe", and the probe is made now. */
  | { readonly _tag: "ProbeStarted" }
  | { readonly _tag: "Succeeded"; readonly isProbe: boolean }
  | {
      readonly _tag: "Failed"
      readonly isProbe: boolean
      /** Opens the breaker at once, whatever the rules say. */
      readonly opensAtOnce: boolean
      /** How long the service asks to wait, which also opens the breaker at once; 0 if it does not ask. The caller bounds it. */
      readonly retryAfterMs: number
    }
  /** Neither success nor failure: interrupted. */
  | { readonly _tag: "Ended"; readonly isProbe: boolean }

export const initial: CircuitBreaker = { _tag: "Closed", failuresInARow: 0 }

/** What a caller may do now: make its call, make it as the only one, to find out whether the service is back, or make none. */
type Permission = "Call" | "Probe" | "None"

export const permission = (breaker: CircuitBreaker, now: number): Permission => {
  if (breaker._tag === "Closed") return "Call"
  return breaker._tag === "Open" && breaker.until <= now ? "Probe" : "None"
}

const failed = (
  rules: Rules,
  breaker: CircuitBreaker,
  { opensAtOnce, isProbe, retryAfterMs }: Extract<Event, { readonly _tag: "Failed" }>,
  now: number
): CircuitBreaker => {
  const waitUntil = retryAfterMs > 0 ? now + retryAfterMs : 0
  if (breaker._tag === "Closed") {
    const failuresInARow = breaker.failuresInARow + 1
    if (waitUntil === 0 && !opensAtOnce && failuresInARow < rules.maxFailuresInARow)
      return { _tag: "Closed", failuresInARow }
    return { _tag: "Open", until: waitUntil || now + rules.minPauseMs, pauseMs: rules.minPauseMs }
  }
  if (breaker._tag === "HalfOpen" && isProbe) {
    const pauseMs = Math.min(2 * breaker.pauseMs, rules.maxPauseMs)
    return { _tag: "Open", until: Math.max(breaker.until, waitUntil, now + pauseMs), pauseMs }
  }
  // A call that was made before the outage. Of concurrent responses the longest wait counts.
  return { ...breaker, until: Math.max(breaker.until, waitUntil) }
}

/** The breaker after an event. */
export const next = (rules: Rules, breaker: CircuitBreaker, event: Event, now: number): CircuitBreaker => {
  switch (event._tag) {
    case "ProbeStarted":
      return breaker._tag === "Open" ? { ...breaker, _tag: "HalfOpen" } : breaker
    case "Succeeded":
      // The response to a call that was made before the outage does not end it.
      return breaker._tag === "Closed" || (breaker._tag === "HalfOpen" && event.isProbe) ? initial : breaker
    case "Failed":
      return failed(rules, breaker, event, now)
    case "Ended":
      return breaker._tag === "HalfOpen" && event.isProbe ? { ...breaker, _tag: "Open" } : breaker
  }
}
