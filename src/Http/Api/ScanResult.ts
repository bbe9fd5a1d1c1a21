import { Schema } from "effect"
import { checkerIds, checkerStatuses, overrides, verdicts } from "../../Checkers/Checker/CheckerNames.ts"
import { kindNames } from "../../Checkers/Kinds/KindNames.ts"
import { body, flag, text } from "./Body.ts"
import { FindingDetails, factsForTools, hasItsFacts } from "./FindingDetails.ts"

export const CheckerId = Schema.Literal(...checkerIds)

export const CheckerStatus = Schema.Literal(...checkerStatuses)

const ElapsedMillis = Schema.Number.pipe(Schema.finite(), Schema.nonNegative({ description: "Milliseconds" }))

const timesExample = {
  heuristics: 0.112,
  feed_a: 0.021,
  reputation_lookup: 48.503,
  feed_b: 0.018,
  feed_c: 0.017,
  feed_d: 0.019
}

const findingExample = {
  checker: "heuristics",
  kind: "notHttps",
  points: 10,
  reason: "URL is not HTTPS",
  details: {}
} as const

const folderReason =
  "The page on files.example is in a folder that is listed by PhishTank as phishing (list of 2026-11-21 09:00 UTC)"

const listedExample = {
  url: "http://files.example/dir/a.html",
  score: 80,
  verdict: "phishing",
  reasons: [folderReason, findingExample.reason],
  executionTimeMs: timesExample,
  findings: [
    {
      checker: "feed_c",
      kind: "listedDirectory",
      points: 80,
      source: "PhishTank",
      reason: folderReason,
      details: {
        isOtherSpelling: false,
        host: "files.example",
        list: { publisher: "PhishTank", category: "phishing", date: "2026-11-21 09:00 UTC" }
      }
    },
    findingExample
  ]
} as const

/** One reason in a form for programs. */
export const ScanFinding = Schema.Struct({
  checker: Schema.Literal(...checkerIds, "operator_lists").annotations({
    description: "The checker that found it, or `operator_lists`: the operator's own lists"
  }),
  kind: Schema.Union(Schema.Literal(...kindNames), Schema.String).annotations({
    description:
      "What was found. Kinds keep their name and meaning; later versions may add others, so this can be any string. `docs/reasons.md` explains each"
  }),
  points: Schema.Int.pipe(
    Schema.between(0, 100, {
      description:
        "The score that the finding gives by itself; 0 if it only explains others. The score of the URL is that of the strongest finding"
    })
  ),
  source: Schema.optional(text("The publisher of the list that it is based on")),
  reason: text("The same sentence as in `reasons`"),
  details: FindingDetails
}).pipe(
  Schema.filter(hasItsFacts, {
    identifier: "ScanFinding",
    message: () => "a finding without the details of its kind",
    jsonSchema: { allOf: factsForTools }
  })
)
export type ScanFinding = typeof ScanFinding.Type

const ReportedAddress = Schema.Struct({
  relation: Schema.Literal("submitted", "destination", "carried").annotations({
    description:
      "`submitted`: of the URL itself. `destination`: a known redirector leads there. `carried`: the URL contains it, perhaps only as a parameter"
  }),
  host: text("In ASCII, lower case"),
  domain: Schema.optional(text("The registrable domain: who owns the site. Absent for an IP address")),
  unicode: Schema.optional(text("The host in its own letters, if it has other letters than ASCII"))
}).annotations({ identifier: "ReportedAddress" })

/** What a check returns in addition on demand, and each result of a request with many. */
const details = {
  findings: Schema.Array(ScanFinding).annotations({
    description: "For each of `reasons`, in the same order, what it is"
  }),
  checkers: Schema.Record({ key: CheckerId, value: CheckerStatus }).annotations({
    description: "Which of the six checkers answered, as the header `Checker-Status` of a single check"
  }),
  complete: flag(
    "Whether each checker that is switched on has answered with fresh data: all `checkers` are `ok` or `not-configured`. If not, something may have been missed: `docs/api.md` says what to do"
  ),
  addresses: Schema.optional(
    Schema.Array(ReportedAddress).annotations({
      description: "The address of the URL, then those inside it. Absent if the text is not a URL"
    })
  ),
  override: Schema.optional(
    Schema.Literal(...overrides).annotations({
      description:
        "Only if the operator's own lists decided: they `allow` or `block` the URL, as the header `List-Override` of a single check"
    })
  )
}

/** The response to a check. In a file of its own, so that a client in a browser loads no server. */
export class ScanResult extends Schema.Class<ScanResult>("ScanResult")(
  ...body(
    {
      url: text("Exactly as submitted"),
      score: Schema.Number.pipe(
        Schema.between(0, 100, {
          description:
            "The score of the strongest finding: the higher, the greater the risk. `docs/reasons.md` says which share of harmless URLs has it"
        })
      ),
      verdict: Schema.Literal(...verdicts).annotations({
        description: "`safe` for a score below 40, `suspicious` from 40 to 69, `phishing` from 70"
      }),
      reasons: Schema.Array(Schema.String).annotations({
        description:
          "Why, in at most six sentences for people, first what people understand best; empty for a clean URL"
      }),
      executionTimeMs: Schema.Record({ key: CheckerId, value: ElapsedMillis }).annotations({
        description: "How long each of the six checkers took"
      }),
      findings: Schema.optional(details.findings),
      checkers: Schema.optional(details.checkers),
      complete: Schema.optional(details.complete),
      addresses: details.addresses,
      override: details.override
    },
    {
      description:
        "The score, the verdict and the reasons. With `?findings=true` also `findings`, `checkers`, `complete`, `addresses` and, if the operator's lists decided, `override`.",
      examples: [
        {
          url: "http://paypa1-secure.example/login",
          score: 80,
          verdict: "phishing",
          reasons: [
            'The address paypa1-secure.example uses the name PayPal with words that ask for a login or money ("secure"); the real one is paypal.com',
            "URL is not HTTPS",
            'The address of the page has a word that phishing often uses ("login")',
            'Parts of the address are typical of reported phishing ("paypa1-secure", "login")'
          ],
          executionTimeMs: timesExample
        },
        listedExample
      ]
    }
  )
) {}

/** The result of one URL of a request with many. */
export class CheckedUrl extends Schema.Class<CheckedUrl>("CheckedUrl")({
  ...ScanResult.fields,
  ...details
}) {}

export class ChecksResult extends Schema.Class<ChecksResult>("ChecksResult")(
  ...body(
    {
      results: Schema.Array(CheckedUrl).annotations({
        description: "One for each of `urls`, in the same order, equal ones too"
      })
    },
    {
      description:
        "All results in order. The connection is closed if the client has not read them 10 seconds after they were computed.",
      examples: [
        {
          results: [
            {
              ...listedExample,
              checkers: {
                heuristics: "ok",
                feed_a: "ok",
                reputation_lookup: "ok",
                feed_b: "stale",
                feed_c: "ok",
                feed_d: "not-configured"
              },
              complete: false
            }
          ]
        }
      ]
    }
  )
) {}
