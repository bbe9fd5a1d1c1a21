import { Duration, Option } from "effect"
import type { Event, Rules } from "../../../Layers/CircuitBreaker.ts"
import type { SearchError } from "./SearchError.ts"

/** When searches are paused, and for how long: 5 s doubling to 2 minutes. */
export const RULES: Rules = {
  maxFailuresInARow: 3,
  minPauseMs: 5000,
  maxPauseMs: 120_000
}

/** The bound on `Retry-After`: a wait of days would switch the lookup off unnoticed. */
const MAX_RETRY_AFTER_MS = 3_600_000

/** A search that failed. A refused key opens the breaker at once, and so does `Retry-After`. */
export const failure = ({ reason, wait }: SearchError, isProbe: boolean): Event => ({
  _tag: "Failed",
  isProbe,
  opensAtOnce: reason === "KeyRefused",
  retryAfterMs: Option.match(wait, {
    onNone: () => 0,
    onSome: (wait) => Math.min(Duration.toMillis(wait), MAX_RETRY_AFTER_MS)
  })
})
