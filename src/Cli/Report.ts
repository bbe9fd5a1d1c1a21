import type { CheckerId, CheckerStatus } from "../Checkers/Checker/CheckerStatus.ts"
import type { Outcome } from "../Checkers/Checker.ts"
import * as Verdict from "../Checkers/Verdict.ts"
import { printableJson } from "./Printable.ts"

/** The report of one URL: the fields of the service's response, and the status of each checker. */
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

/** Returns one line of JSON, escaped for a terminal. */
export const jsonLine = (report: Report): string => `${printableJson(JSON.stringify(report))}\n`
