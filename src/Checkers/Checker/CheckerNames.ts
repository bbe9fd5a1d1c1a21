/** The names that the contract uses. Without Effect: the promise client and its types load this file. */

/** The six checkers, in the order in which the wire shows them. */
export const checkerIds = ["heuristics", "feed_a", "reputation_lookup", "feed_b", "feed_c", "feed_d"] as const
export type CheckerId = (typeof checkerIds)[number]

/** Who made a finding: a checker, or the files `ALLOW_LIST` and `BLOCK_LIST`. */
export type FindingOrigin = CheckerId | "operator_lists"

/**
 * The outcome of one checker: `ok`, `stale` (a result from an old list, from a list in place of a search that failed, or without
 * the list of new domains), or why there is no result. These are the tokens of the `Checker-Status` header. Only `ok` and `stale`
 * say something about the URL.
 */
export const checkerStatuses = [
  "ok",
  "stale",
  "timeout",
  "unavailable",
  "malformed",
  "not-configured",
  "failed"
] as const
export type CheckerStatus = (typeof checkerStatuses)[number]

/** A check is complete if each checker has one of these: it answered with fresh data, or is switched off. */
export const completeStatuses: ReadonlyArray<CheckerStatus> = ["ok", "not-configured"]

/** `safe` for a score below 40, `suspicious` from 40 to 69, `phishing` from 70. */
export const verdicts = ["safe", "suspicious", "phishing"] as const
export type Verdict = (typeof verdicts)[number]

/** How a list of the operator overrules the checkers. */
export const overrides = ["allow", "block"] as const
export type Override = (typeof overrides)[number]
