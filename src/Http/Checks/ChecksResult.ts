import { Schema } from "effect"
import { CheckerId, CheckerStatus } from "../../Checkers/Checker/CheckerStatus.ts"
import { ScanFinding, ScanResult } from "../ScanResult.ts"

/** The result of one URL of a request with many. Loads no server, as `ScanResult`. */
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

const index = Schema.Int.annotations({ description: "The place in `urls`, from 0" })

/** A line of the answer as `application/x-ndjson`. */
export const CheckedLine = Schema.Union(
  Schema.Struct({ index, ...CheckedUrl.fields }),
  Schema.Struct({
    index,
    error: Schema.Literal("Server error").annotations({
      description: "A defect of the service at this URL; its log has the details"
    })
  })
).annotations({ identifier: "CheckedLine" })
