import { Schema } from "effect"
import { checkerIds, checkerStatuses } from "./CheckerNames.ts"

/** The six checkers, in the order in which the wire shows them. */
export const CheckerId = Schema.Literal(...checkerIds)
export type CheckerId = typeof CheckerId.Type

/** Who made a finding: a checker, or the files `ALLOW_LIST` and `BLOCK_LIST`. */
export const FindingOrigin = Schema.Literal(...checkerIds, "operator_lists")
export type FindingOrigin = typeof FindingOrigin.Type

/** The outcome of one checker: see `checkerStatuses`. */
export const CheckerStatus = Schema.Literal(...checkerStatuses)
export type CheckerStatus = typeof CheckerStatus.Type
