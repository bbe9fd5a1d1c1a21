import { Schema } from "effect"
import { CheckerId, CheckerStatus, FindingOrigin } from "../../Checkers/Checker/CheckerStatus.ts"
import { contributions, type FindingKind } from "../../Checkers/Verdict.ts"

const ElapsedMillis = Schema.Number.pipe(Schema.finite(), Schema.nonNegative({ description: "Milliseconds" }))

const knownKinds = Object.keys(contributions) as ReadonlyArray<FindingKind>

/** One reason in a form for programs. */
export class ScanFinding extends Schema.Class<ScanFinding>("ScanFinding")({
  checker: FindingOrigin.annotations({
    description: "The checker that found it, or `operator_lists`: the operator's own lists"
  }),
  kind: Schema.Union(Schema.Literal(...knownKinds), Schema.String).annotations({
    description:
      "What was found. Kinds keep their name and meaning; later versions may add others, so this can be any string. `docs/reasons.md` explains each"
  }),
  points: Schema.Int.pipe(
    Schema.between(0, 100, {
      description:
        "What this kind contributes. The score is not the sum: of findings that say the same only the largest counts"
    })
  ),
  source: Schema.optional(
    Schema.String.annotations({ description: "The publisher of the list that it rests on" })
  ),
  reason: Schema.String.annotations({ description: "The same sentence as in `reasons`" })
}) {}

/** The response to a check. In a file of its own, so that a client in a browser loads no server. */
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
  }),
  findings: Schema.optional(
    Schema.Array(ScanFinding).annotations({
      description: "With `?findings=true` only: for each of `reasons`, in the same order, what it is"
    })
  )
}) {}

/** The result of one URL of a request with many. */
export class CheckedUrl extends Schema.Class<CheckedUrl>("CheckedUrl")({
  ...ScanResult.fields,
  findings: Schema.Array(ScanFinding).annotations({
    description: "For each of `reasons`, in the same order, what it is"
  }),
  checkers: Schema.Record({ key: CheckerId, value: CheckerStatus }).annotations({
    description: "Which of the six checkers answered, as the header `Checker-Status` of a single check"
  })
}) {}

export class ChecksResult extends Schema.Class<ChecksResult>("ChecksResult")({
  results: Schema.Array(CheckedUrl).annotations({
    description: "One for each of `urls`, in the same order, equal ones too"
  })
}) {}
