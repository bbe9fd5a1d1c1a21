import { Schema } from "effect"

/** The six checkers, in the order in which the wire shows them. */
export const CheckerId = Schema.Literal(
  "heuristics",
  "feed_a",
  "reputation_lookup",
  "feed_b",
  "feed_c",
  "feed_d"
)
export type CheckerId = typeof CheckerId.Type

/** Who made a finding: a checker, or the files `ALLOW_LIST` and `BLOCK_LIST`. */
export const FindingOrigin = Schema.Literal(...CheckerId.literals, "operator_lists")
export type FindingOrigin = typeof FindingOrigin.Type

/**
 * The outcome of one checker: `ok`, `stale` (a result from an old list, or from a list in place of a search that failed), or
 * why there is no result. These are the tokens of the `Checker-Status` header. Only `ok` and `stale` say something about the
 * URL.
 */
export const CheckerStatus = Schema.Literal(
  "ok",
  "stale",
  "timeout",
  "unavailable",
  "malformed",
  "not-configured",
  "failed"
)
export type CheckerStatus = typeof CheckerStatus.Type
