export interface Rules {
  /** Opens after this many failures in a row. */
  readonly maxFailuresInARow: number
  /** From the opening to the first probe, unless the service asks to wait longer. Doubles with each probe that fails. */
  readonly minPauseMs: number
  readonly maxPauseMs: number
}

/** `open`: no call is made, or the next one is the probe. `half-open`: the probe is made. */
export type State = "closed" | "open" | "half-open"

/** A call that may be made: a probe is the only one, to find out whether the service is back. */
export type Call = "call" | "probe"

/** `retryAfterMs`: how long the service asks to wait; 0 if it does not ask. The caller bounds it. */
export type Outcome = "succeeded" | "interrupted" | { readonly retryAfterMs: number }

/**
 * A circuit breaker (https://martinfowler.com/bliki/CircuitBreaker.html): after failures in a row no call is made for a while,
 * so that callers do not each wait for a timeout; then a probe, until one succeeds. `now`: milliseconds of a monotonic clock.
 */
export const make = ({ maxFailuresInARow, maxPauseMs, minPauseMs }: Rules, now: () => number) => {
  let failuresInARow = 0
  let probeAt = 0
  let pauseMs = 0
  let isProbing = false
  const isClosed = () => failuresInARow < maxFailuresInARow

  const failed = (isProbe: boolean, retryAfterMs: number) => {
    const at = now()
    // Of concurrent responses, also to calls that were made before the outage, the longest wait counts.
    probeAt = Math.max(probeAt, at + retryAfterMs)
    if (isClosed()) failuresInARow++
    else if (!isProbe) return
    if (isClosed()) return
    pauseMs = Math.min(Math.max(2 * pauseMs, minPauseMs), maxPauseMs)
    probeAt = Math.max(probeAt, at + pauseMs)
  }

  return {
    state: (): State => (isClosed() ? "closed" : isProbing ? "half-open" : "open"),
    /** Undefined: no call may be made now. Else the caller makes it, and reports its end once. */
    start: (): Call | undefined => {
      if (isClosed()) return "call"
      if (isProbing || now() < probeAt) return undefined
      isProbing = true
      return "probe"
    },
    end: (call: Call, outcome: Outcome) => {
      const isProbe = call === "probe"
      if (isProbe) isProbing = false
      if (typeof outcome === "object") return failed(isProbe, outcome.retryAfterMs)
      // The response to a call that was made before the outage does not end it.
      if (outcome === "interrupted" || !(isProbe || isClosed())) return
      failuresInARow = 0
      probeAt = 0
      pauseMs = 0
    }
  }
}
