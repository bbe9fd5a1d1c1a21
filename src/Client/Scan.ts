import { Option, Schema } from "effect"
import { CheckerId, CheckerStatus } from "../Checkers/Checker/CheckerStatus.ts"
import type { ScanResult } from "../Http/ScanResult.ts"

/** What became of each checker; nothing of those of which the answer said nothing that this client knows. */
export type CheckerStatuses = { readonly [Checker in CheckerId]?: CheckerStatus }

/**
 * What the service found. `safe` means that nothing was found, not that nothing is there: a caller who must be sure sees
 * in `checkers` that all of them are `ok`.
 */
export interface Scan extends Pick<ScanResult, keyof ScanResult> {
  readonly checkers: CheckerStatuses
}

const decodeId = Schema.decodeUnknownOption(CheckerId)
const decodeStatus = Schema.decodeUnknownOption(CheckerStatus)

/**
 * Reads the header `Checker-Status`. A later service may know more checkers and states; they are left out.
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
