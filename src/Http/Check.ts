import { Effect, Either, Schema } from "effect"
import type { Outcome } from "../Checkers/Checker.ts"
import { type Checked, Checkers } from "../Checkers/Checkers.ts"
import { type Decision, judge, reported, resultOverride } from "../Checkers/Verdict.ts"
import { CheckRequest, checkEndpoint, type ScanResult } from "./Api.ts"
import { json, refusal } from "./Response.ts"
import type { PostRoute } from "./Route.ts"

/** Far above any URL that a browser takes, and small enough to buffer for every open connection. */
export const MAX_BODY_BYTES = 64 * 1024

/** Built from the fields, because `Schema.is(CheckRequest)` rejects plain objects. */
const isCheckRequest = Schema.is(Schema.Struct(CheckRequest.fields))

/** `heuristics=ok, feed_a=stale, ...`: an RFC 9651 dictionary of tokens, in the order of `executionTimeMs`. */
const checkerStatus = (outcomes: ReadonlyArray<Outcome>): string =>
  outcomes.map(({ checker, status }) => `${checker}=${status}`).join(", ")

/** The header `List-Override`, if the operator's lists decided. */
const listOverride = (decisions: ReadonlyArray<Decision>) => {
  const override = resultOverride(decisions)
  return override === undefined ? undefined : { "list-override": override }
}

/** An object with a field for each checker, in order. */
export const byChecker = <A>(outcomes: ReadonlyArray<Outcome>, pick: (outcome: Outcome) => A) => {
  const fields: Record<string, A> = {}
  for (const outcome of outcomes) fields[outcome.checker] = pick(outcome)
  return fields
}

/** The score, the verdict and the reasons of one submitted string. */
export const scanResult = (url: string, { decisions, outcomes }: Checked, withFindings: boolean) => {
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

/** POST /api/check: runs the six checkers on one URL, and scores. */
export const route = Effect.map(
  Checkers,
  (checkers): PostRoute => ({
    path: checkEndpoint.path,
    method: checkEndpoint.method,
    audience: "clients",
    body: { maxBytes: MAX_BODY_BYTES, cost: "one" },
    handle: (body, { query }) => {
      if (!isCheckRequest(body)) return Either.left(refusal("MissingUrl", {}))
      const { url } = body
      const respond = Effect.map(checkers.checkAll(url), (checked) =>
        json(200, scanResult(url, checked, query.get("findings") === "true"), {
          "checker-status": checkerStatus(checked.outcomes),
          ...listOverride(checked.decisions)
        })
      )
      return Either.right({ cost: 1, respond })
    }
  })
)
