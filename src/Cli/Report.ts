import type { CheckerId, CheckerStatus } from "../Checkers/Checker/CheckerStatus.ts"
import type { Outcome } from "../Checkers/Checker.ts"
import * as Verdict from "../Checkers/Verdict.ts"
import { printableJson } from "./Printable.ts"

/** What the checkers say about one URL: the fields of the wire, and what became of each checker. */
export interface Report {
  /** Exactly as submitted. */
  readonly url: string
  readonly score: number
  readonly verdict: Verdict.Verdict
  readonly reasons: ReadonlyArray<string>
  readonly executionTimeMs: Readonly<Partial<Record<CheckerId, number>>>
  readonly checkers: Readonly<Partial<Record<CheckerId, CheckerStatus>>>
}

export const make = (url: string, outcomes: ReadonlyArray<Outcome>): Report => ({
  url,
  ...Verdict.judge(outcomes.flatMap(({ findings }) => findings)),
  executionTimeMs: Object.fromEntries(outcomes.map(({ checker, elapsed }) => [checker, elapsed])),
  checkers: Object.fromEntries(outcomes.map(({ checker, status }) => [checker, status]))
})

/** One line of JSON. A terminal shows it as it is: what it could act on is escaped. */
export const jsonLine = (report: Report): string => `${printableJson(JSON.stringify(report))}\n`
