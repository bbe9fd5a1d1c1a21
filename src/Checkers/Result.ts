import { completeStatuses, type Override, type Verdict } from "./Checker/CheckerNames.ts"
import type { CheckerId, CheckerStatus } from "./Checker.ts"
import type { Checked } from "./Checkers.ts"
import { judge, type ReportedFinding, reported, resultOverride } from "./Verdict.ts"

/** The result of one URL: the fields of the service's responses. */
export interface Result {
  /** Exactly as submitted. */
  readonly url: string
  readonly score: number
  readonly verdict: Verdict
  readonly reasons: ReadonlyArray<string>
  /** For each reason, in the same order, what it is. */
  readonly findings: ReadonlyArray<ReportedFinding>
  /** In the order of the checkers, as `checkers`. */
  readonly executionTimeMs: Readonly<Partial<Record<CheckerId, number>>>
  readonly checkers: Readonly<Partial<Record<CheckerId, CheckerStatus>>>
  /** Each checker that is switched on has answered with fresh data. */
  readonly complete: boolean
  /** What the lists of ALLOW_LIST and BLOCK_LIST decided, if they did. */
  readonly override?: Override
}

export const resultOf = (url: string, { decisions, outcomes }: Checked): Result => {
  const { findings, score, verdict } = judge(
    outcomes.flatMap(({ findings }) => findings),
    decisions
  )
  const executionTimeMs: Partial<Record<CheckerId, number>> = {}
  const checkers: Partial<Record<CheckerId, CheckerStatus>> = {}
  const override = resultOverride(decisions)
  for (const { checker, elapsed, status } of outcomes) {
    executionTimeMs[checker] = elapsed
    checkers[checker] = status
  }
  return {
    url,
    score,
    verdict,
    reasons: findings.map(({ reason }) => reason),
    executionTimeMs,
    findings: findings.map(reported),
    checkers,
    complete: outcomes.every(({ status }) => completeStatuses.includes(status)),
    ...(override !== undefined && { override })
  }
}
