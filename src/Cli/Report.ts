import type { CheckerId, CheckerStatus } from "../Checkers/Checker/CheckerStatus.ts"
import type { Checked } from "../Checkers/Checkers.ts"
import * as Verdict from "../Checkers/Verdict.ts"
import { printableJson } from "./Printable.ts"

/** The report of one URL: the fields of the service's response, the status of each checker, and what overruled them. */
export interface Report {
  /** Exactly as submitted. */
  readonly url: string
  readonly score: number
  readonly verdict: Verdict.Verdict
  readonly reasons: ReadonlyArray<string>
  /** For each reason, in the same order, what it is. */
  readonly findings: ReadonlyArray<Verdict.ReportedFinding>
  readonly executionTimeMs: Readonly<Partial<Record<CheckerId, number>>>
  readonly checkers: Readonly<Partial<Record<CheckerId, CheckerStatus>>>
  /** The lists of ALLOW_LIST and BLOCK_LIST decided. Missing if they did not. */
  readonly listOverride?: Verdict.Override
}

export const make = (url: string, { decisions, outcomes }: Checked): Report => {
  const { findings, score, verdict } = Verdict.judge(
    outcomes.flatMap(({ findings }) => findings),
    decisions
  )
  const listOverride = Verdict.resultOverride(decisions)
  return {
    url,
    score,
    verdict,
    reasons: findings.map(({ reason }) => reason),
    findings: findings.map(Verdict.reported),
    executionTimeMs: Object.fromEntries(outcomes.map(({ checker, elapsed }) => [checker, elapsed])),
    checkers: Object.fromEntries(outcomes.map(({ checker, status }) => [checker, status])),
    ...(listOverride !== undefined && { listOverride })
  }
}

/** Returns one line of JSON, escaped for a terminal. */
export const jsonLine = (report: Report): string => `${printableJson(JSON.stringify(report))}\n`
