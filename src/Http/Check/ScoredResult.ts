import type { Outcome } from "../../Checkers/Checker.ts"
import { type Decision, judge, reported } from "../../Checkers/Verdict.ts"
import type { ScanResult } from "../Api/ScanResult.ts"

/** An object with a field for each checker, in order. */
export const byChecker = <A>(outcomes: ReadonlyArray<Outcome>, pick: (outcome: Outcome) => A) => {
  const fields: Record<string, A> = {}
  for (const outcome of outcomes) fields[outcome.checker] = pick(outcome)
  return fields
}

/** The score, the verdict and the reasons of one submitted string. `decisions` are those of the operator's lists. */
export const scanResult = (
  url: string,
  outcomes: ReadonlyArray<Outcome>,
  decisions: ReadonlyArray<Decision>,
  withFindings: boolean
) => {
  const { findings, score, verdict } = judge(
    outcomes.flatMap(({ findings }) => findings),
    decisions
  )
  const judged = { url, score, verdict, reasons: findings.map(({ reason }) => reason) }
  return {
    ...(judged satisfies Omit<typeof ScanResult.Encoded, "executionTimeMs" | "findings">),
    executionTimeMs: byChecker(outcomes, ({ elapsed }) => elapsed),
    ...(withFindings && {
      findings: findings.map(reported) satisfies (typeof ScanResult.Encoded)["findings"]
    })
  }
}
