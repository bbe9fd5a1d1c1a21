import type { Duration, Effect } from "effect"
import { Schema } from "effect"
import { CheckerId, type CheckerStatus } from "./Checker/CheckerStatus.ts"
import type { Submission } from "./Submission.ts"
import type { Finding } from "./Verdict.ts"

export { CheckerId, CheckerStatus } from "./Checker/CheckerStatus.ts"

/**
 * Why a checker has no result. It never means "clean": `Checker-Status`, log and health report it, and it adds nothing to the
 * score.
 *
 * - `Timeout`: its budget ran out.
 * - `Unavailable`: the list is not loaded yet, or the remote service refused, rate-limited us or was not reached.
 * - `Malformed`: the remote's response cannot be read.
 * - `NotConfigured`: the operator set no key, or switched the slot off.
 */
export class CheckerError extends Schema.TaggedError<CheckerError>()("CheckerError", {
  checker: CheckerId,
  reason: Schema.Literal("Timeout", "Unavailable", "Malformed", "NotConfigured"),
  cause: Schema.optional(Schema.Defect)
}) {}

/** What a checker found. `stale`: its threat list is older than allowed; the findings count, and are reported as stale. */
export interface CheckerResult {
  readonly findings: ReadonlyArray<Finding>
  readonly stale: boolean
}

export const nothingFound: CheckerResult = { findings: [], stale: false }

/** A result that needs no waiting is best an Exit: it costs neither a fiber nor a timer. */
export type Check = Effect.Effect<CheckerResult, CheckerError>

/** One of the six checkers. */
export interface Checker {
  readonly id: CheckerId
  /** Its timeout: `check` is interrupted then and reported as `Timeout`. Infinite: it ends in time by itself. */
  readonly budget: Duration.Duration
  readonly check: (submission: Submission) => Check
  /** Begins a batch: of a checker that asks a third party, and can ask about many submissions together. */
  readonly batch?: () => CheckerBatch
}

/** Checks of many submissions by one checker. */
export interface CheckerBatch {
  /** Returns the check of a submission, to be run after `send`. Computes at once; asks nobody yet. */
  readonly add: (submission: Submission) => Check
  /** Sends what was added since the last time. Does not wait for the third party: the checks do, each within its own budget. */
  readonly send: Effect.Effect<void>
}

/** What one checker yielded for one submission: its result, or the reason why there is none. */
export interface Outcome {
  readonly checker: CheckerId
  readonly status: CheckerStatus
  readonly findings: ReadonlyArray<Finding>
  /** Milliseconds by the Clock, with three decimals. */
  readonly elapsed: number
}
