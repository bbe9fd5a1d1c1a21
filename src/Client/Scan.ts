import { Option, Schema } from "effect"
import { CheckerId, CheckerStatus } from "../Checkers/Checker/CheckerStatus.ts"
import type { Override } from "../Checkers/Verdict.ts"
import type { ScanResult } from "../Http/ScanResult.ts"

/** The status of each checker. A checker is missing if the response has no status for it that this client knows. */
type CheckerStatuses = { readonly [Checker in CheckerId]?: CheckerStatus }

/**
 * The result of one check. The verdict `safe` only means that no checker found anything: a caller that must be sure also
 * requires that all `checkers` are `ok`.
 */
export interface Scan extends Pick<ScanResult, keyof ScanResult> {
  readonly checkers: CheckerStatuses
  /** The lists of the service's operator decided. Missing if they did not. */
  readonly listOverride?: Override
}

const decodeId = Schema.decodeUnknownOption(CheckerId)
const decodeStatus = Schema.decodeUnknownOption(CheckerStatus)

/** Parses the header `List-Override`. Undefined also for a value that this version does not know. */
export const listOverride = (header: string | undefined): Override | undefined =>
  header === "allow" || header === "block" ? header : undefined

/**
 * Parses the header `Checker-Status`. Omits checkers and statuses that this version does not know.
 *
 * `checkerStatuses("heuristics=ok, feed_a=asleep")` is `{ heuristics: "ok" }`.
 */
export const checkerStatuses = (header: string | undefined): CheckerStatuses =>
  Object.fromEntries(
    (header ?? "").split(",").flatMap((item) => {
      const [id, status] = item.trim().split("=")
      return Option.toArray(Option.all([decodeId(id), decodeStatus(status)]))
    })
  )
