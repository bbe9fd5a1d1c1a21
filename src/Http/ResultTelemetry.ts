import { Duration, Effect } from "effect"
import { verdicts } from "../Checkers/Checker/CheckerNames.ts"
import { kindNames } from "../Checkers/Kinds/KindNames.ts"
import type { Result } from "../Checkers/Result.ts"
import { Metrics } from "../Layers/Telemetry/Metrics.ts"
import * as BackgroundLoop from "../Layers/Time/BackgroundLoop.ts"

/** The highest score of each bucket: 39 and 69 are the last ones of `safe` and `suspicious`. */
const SCORE_BOUNDS = [0, 9, 19, 29, 39, 49, 59, 69, 79, 89, 100]

const SUMMARY_INTERVAL = Duration.hours(1)

/** Counts a result, by the route that asked for it. */
export type Observe = (result: Result) => void

const none = { checked: 0, suspicious: 0, phishing: 0, incomplete: 0 }

/**
 * Returns a function that counts the results of a route. Logs once an hour, and at the end, how many URLs were checked since the
 * line before, and how many of them were suspicious, phishing or incomplete: nothing of the URLs.
 */
export const make = Effect.gen(function* () {
  const { counter, histogram } = yield* Metrics
  const scores = histogram(
    "threat_scoring_score",
    "Scores of checked URLs. Equal URLs of a request count once",
    SCORE_BOUNDS
  )
  const findings = new Map(
    kindNames.map((kind) => [
      kind,
      counter(
        "threat_scoring_findings_total",
        "Findings that were returned, at most six a check, by their kind",
        { kind }
      )
    ])
  )
  let counted = { ...none }
  const logSummary = Effect.suspend(() => {
    const summary = counted
    counted = { ...none }
    return Effect.annotateLogs(Effect.logInfo("checks summarized"), summary)
  })
  yield* Effect.addFinalizer(() => Effect.when(logSummary, () => counted.checked > 0))
  yield* BackgroundLoop.fork("summary of checks", Effect.delay(logSummary, SUMMARY_INTERVAL))

  return (route: string): Observe => {
    const checks = new Map(
      [true, false].flatMap((complete) =>
        verdicts.map((verdict) => [
          `${verdict} ${complete}`,
          counter(
            "threat_scoring_checks_total",
            "Checked URLs by the route, the verdict, and whether each checker that is switched on has answered with fresh data. Equal URLs of a request count once",
            { route, verdict, complete: String(complete) }
          )
        ])
      )
    )
    return ({ complete, findings: found, score, verdict }) => {
      checks.get(`${verdict} ${complete}`)?.update(1)
      scores.update(score)
      for (const { kind } of found) findings.get(kind)?.update(1)
      counted.checked++
      if (verdict !== "safe") counted[verdict]++
      if (!complete) counted.incomplete++
    }
  }
})
