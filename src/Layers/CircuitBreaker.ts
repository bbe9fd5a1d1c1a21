/**
 * A circuit breaker as a pure state machine (https://martinfowler.com/bliki/CircuitBreaker.html): after failures no call is
 * made for a while, so that callers do not each wait for a timeout. Times are milliseconds of a monotonic clock.
 */

export interface Rules {
  /** Opens after this many failures in a row. */
  readonly maxFailuresInARow: number
  /** From the opening to the first probe, unless the service asks to wait longer. Doubles with each probe that fails. */
  readonly minPauseMs: number
  readonly maxPauseMs: number
}

export type CircuitBreaker =
  | {
      readonly _tag: "Closed"
      readonly failuresInARow: number
      /** The latest time until which one of these failures asks to wait; 0 without failures. */
      readonly waitUntil: number
    }
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
      /** How long the service asks to wait; 0 if it does not ask. The caller bounds it. */
      readonly retryAfterMs: number
    }
  /** Neither success nor failure: interrupted. */
  | { readonly _tag: "Ended"; readonly isProbe: boolean }

export const initial: CircuitBreaker = { _tag: "Closed", failuresInARow: 0, waitUntil: 0 }

/** What a caller may do now: make its call, make it as the only one, to find out whether the service is back, or make none. */
type Permission = "Call" | "Probe" | "None"

export const permission = (breaker: CircuitBreaker, now: number): Permission => {
  if (breaker._tag === "Closed") return "Call"
  return breaker._tag === "Open" && breaker.until <= now ? "Probe" : "None"
}

const succeeded = (breaker: CircuitBreaker, isProbe: boolean): CircuitBreaker => {
  if (breaker._tag === "Closed") return initial
  // The response to a call that was made before the outage does not end it.
  return breaker._tag === "HalfOpen" && isProbe ? initial : breaker
}

const failed = (
  rules: Rules,
  breaker: CircuitBreaker,
  { isProbe, retryAfterMs }: Extract<Event, { readonly _tag: "Failed" }>,
  now: number
): CircuitBreaker => {
  const waitUntil = now + retryAfterMs
  if (breaker._tag === "Closed") {
    const failuresInARow = breaker.failuresInARow + 1
    const latest = Math.max(breaker.waitUntil, waitUntil)
    if (failuresInARow < rules.maxFailuresInARow) return { _tag: "Closed", failuresInARow, waitUntil: latest }
    return { _tag: "Open", until: Math.max(latest, now + rules.minPauseMs), pauseMs: rules.minPauseMs }
  }
  if (breaker._tag === "HalfOpen" && isProbe) {
    const pauseMs = Math.min(2 * breaker.pauseMs, rules.maxPauseMs)
    return { _tag: "Open", until: Math.max(breaker.until, waitUntil, now + pauseMs), pauseMs }
  }
  // A call that was made before the outage. Of concurrent responses the longest wait counts.
  return retryAfterMs > 0 ? { ...breaker, until: Math.max(breaker.until, waitUntil) } : breaker
}

/** The breaker after an event. */
export const next = (rules: Rules, breaker: CircuitBreaker, event: Event, now: number): CircuitBreaker => {
  switch (event._tag) {
    case "ProbeStarted":
      return breaker._tag === "Open" ? { ...breaker, _tag: "HalfOpen" } : breaker
    case "Succeeded":
      return succeeded(breaker, event.isProbe)
    case "Failed":
      return failed(rules, breaker, event, now)
    case "Ended":
      return breaker._tag === "HalfOpen" && event.isProbe ? { ...breaker, _tag: "Open" } : breaker
  }
}
