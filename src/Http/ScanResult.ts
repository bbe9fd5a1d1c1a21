import { Schema } from "effect"
import { CheckerId } from "../Checkers/Checker/CheckerStatus.ts"

const ElapsedMillis = Schema.Number.pipe(Schema.finite(), Schema.nonNegative({ description: "Milliseconds" }))

/** The answer to a check. In a file of its own, so that a client in a browser loads no server. */
export class ScanResult extends Schema.Class<ScanResult>("ScanResult")({
  url: Schema.String.annotations({ description: "Exactly as submitted" }),
  score: Schema.Number.pipe(
    Schema.between(0, 100, {
      description: "What the findings contribute together, at most 100: the higher, the greater the risk"
    })
  ),
  verdict: Schema.Literal("safe", "suspicious", "phishing").annotations({
    description: "`safe` for a score below 40, `suspicious` from 40 to 69, `phishing` from 70"
  }),
  reasons: Schema.Array(Schema.String).annotations({
    description: "Why, in sentences for people, first what counts most; empty for a clean URL"
  }),
  executionTimeMs: Schema.Record({ key: CheckerId, value: ElapsedMillis }).annotations({
    description: "How long each of the six checkers took"
  })
}) {}
