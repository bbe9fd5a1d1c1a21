import type { Duration, Effect, Either } from "effect"
import { Schema } from "effect"
import type { CanonicalUrl, InvalidUrl } from "./CanonicalUrl.ts"
import { CheckerId } from "./Checker/CheckerStatus.ts"
import type { Finding } from "./Verdict.ts"

export { CheckerId, CheckerStatus } from "./Checker/CheckerStatus.ts"

/**
 * Why a checker gave no answer. It never means "clean": the caller reports it (`Checker-Status`, log, health) and
 * adds nothing to the score.
 *
 * - `Timeout`: its budget ran out.
 * - `Unavailable`: nothing to ask: the list is not loaded yet, or the remote refused, limited us or was not reached.
 * - `Malformed`: the remote's answer cannot be read.
 * - `NotConfigured`: the operator gave no key or switched the slot off.
 */
export class CheckerError extends Schema.TaggedError<CheckerError>()("CheckerError", {
  checker: CheckerId,
  reason: Schema.Literal("Timeout", "Unavailable", "Malformed", "NotConfigured"),
  cause: Schema.optional(Schema.Defect)
}) {}

/** What all six checkers are asked about: parsed once for everybody. */
export interface Subject {
  /** Exactly as the caller sent it. */
  readonly submitted: string
  /** `Left`: there is no host to look up; only the heuristics have something to say about it. */
  readonly url: Either.Either<CanonicalUrl, InvalidUrl>
  /** By the Clock, in milliseconds since 1970: by it all of them judge how old what they hold is. */
  readonly askedAt: number
  /**
   * Present while the caller's count is still on its way, and completes when it is within the limit. Nothing is sent to a
   * third party before.
   */
  readonly admission?: Effect.Effect<void>
}

/** `stale`: the answer comes from a threat list older than its allowed age; it counts, and is reported as stale. */
export interface Answer {
  readonly findings: ReadonlyArray<Finding>
  readonly stale: boolean
}

/** The answer of a checker that found nothing. */
export const nothingFound: Answer = { findings: [], stale: false }

export interface Checker {
  readonly id: CheckerId
  /** That `check` looks into memory only and cannot be kept waiting: it then needs neither a fiber nor a timer. */
  readonly neverWaits?: true
  /** The time it may use; then it is interrupted and reported as `Timeout`. */
  readonly budget: Duration.Duration
  /** What is known at once is best given as an Exit: that needs no step of the runtime either. */
  readonly check: (subject: Subject) => Effect.Effect<Answer, CheckerError>
}
