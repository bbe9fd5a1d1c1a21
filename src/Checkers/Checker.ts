import type { Duration, Effect, Exit } from "effect"
import { Data } from "effect"
import type { Address, Submission } from "../Url/Submission.ts"
import type { CheckerId, CheckerStatus, FindingOrigin } from "./Checker/CheckerNames.ts"
import { type Details, type FindingKind, inReason } from "./Kinds.ts"

/**
 * Why a checker has no result. It never means "clean": `Checker-Status`, log and health report it, and it adds nothing to the
 * score.
 *
 * - `Timeout`: its budget ran out.
 * - `Unavailable`: the list is not loaded yet, or the remote service refused, rate-limited us or was not reached.
 * - `Malformed`: the remote's response cannot be read.
 * - `NotConfigured`: the operator set no key, or switched the slot off.
 */
export class CheckerError extends Data.TaggedError("CheckerError")<{
  readonly checker: CheckerId
  readonly reason: "Timeout" | "Unavailable" | "Malformed" | "NotConfigured"
  readonly cause?: string | undefined
}> {}

/** One piece of evidence. */
export interface Finding {
  readonly checker: FindingOrigin
  readonly kind: FindingKind
  /** The score that it gives by itself, at most 100; 0 if it only explains others. */
  readonly points: number
  /** A sentence for people, which contains nothing secret. */
  readonly reason: string
  /** What the sentence shows, by name. */
  readonly details: Details
  /** The publisher of the list that it is based on. Absent for the heuristics. */
  readonly source?: string
  /** The address that it is about, as an index of `Submission.addresses`; the submitted one if absent. */
  readonly addressIndex?: number
  /** Set for the row of a threat list that names a whole popular site (see `PopularSites`). */
  readonly needsSecondPublisher?: true
  /** Its publisher says that the entry was taken from another one, so that it does not confirm the entry of another. */
  readonly isCopied?: true
  /** Set if the threat list is older than allowed. It confirms nothing then. */
  readonly isStale?: true
}

/** Which address a finding is about, unless it is the submitted one. */
export const innerHost = ({ relation, url }: Address): Pick<Details, "innerHost"> =>
  relation === "submitted" ? {} : { innerHost: url.host }

/** The finding with its sentence about an address inside the submitted URL, which that of a `carriedListing` is by itself. */
export const about = (address: Address, finding: Finding): Finding =>
  address.relation === "submitted" || finding.kind === "carriedListing"
    ? finding
    : {
        ...finding,
        reason: inReason(address, finding.reason),
        details: { ...finding.details, ...innerHost(address) }
      }

/** What a checker found. `stale`: its threat list is older than allowed; the findings count, and are reported as stale. */
export interface CheckerResult {
  readonly findings: ReadonlyArray<Finding>
  readonly stale: boolean
}

export const nothingFound: CheckerResult = { findings: [], stale: false }

/** The end of a check. */
export type CheckExit = Exit.Exit<CheckerResult, CheckerError>

/** A result that needs no waiting is best an Exit: it costs neither a fiber nor a timer. */
export type Check = Effect.Effect<CheckerResult, CheckerError>

/** A checker that asks no third party. */
export interface Checker {
  readonly id: CheckerId
  /** Its timeout: `check` is interrupted then and reported as `Timeout`. */
  readonly budget: Duration.Duration
  readonly check: (submission: Submission) => Check
}

/** Decides about a lookup that was asked about, by what is known then. Call it once for each. */
export type Decide<Lookup> = (lookup: Lookup) => CheckExit

/** A checker that asks a third party, about one submission or many together, and then decides about each. */
export interface AskingChecker<Lookup> {
  readonly id: CheckerId
  /** Reads what is in memory: the end of the check, or the lookup to ask about. Asks nobody yet. */
  readonly prepare: (submission: Submission) => CheckExit | Lookup
  /**
   * Asks about all of these lookups together, and ends when everything is answered or has failed, or with the checker's budget.
   * A lookup that has no answer then has timed out.
   */
  readonly ask: (lookups: ReadonlyArray<Lookup>) => Effect.Effect<Decide<Lookup>>
}

/** What one checker yielded for one submission: its result, or the reason why there is none. */
export interface Outcome {
  readonly checker: CheckerId
  readonly status: CheckerStatus
  readonly findings: ReadonlyArray<Finding>
  /** Milliseconds by the Clock, with three decimals. */
  readonly elapsed: number
}
