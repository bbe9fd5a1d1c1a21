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

/**
 * What became of one checker: `ok`, `stale` (an answer from an old list), or why it gave none. These are the tokens of
 * the `Checker-Status` header; none but `ok` and `stale` says anything about the URL.
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
