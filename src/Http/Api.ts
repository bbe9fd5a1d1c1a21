import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { CheckerId, CheckerStatus } from "../Checkers/Checker/CheckerStatus.ts"
import { unavailable } from "../Layers/Server/Unavailable.ts"
import { ChecksResult, ScanResult } from "./Api/ScanResult.ts"

export { CheckedUrl, ChecksResult, ScanFinding, ScanResult } from "./Api/ScanResult.ts"

/** The contract as data: no handler, no service. */

export class CheckRequest extends Schema.Class<CheckRequest>("CheckRequest")({
  url: Schema.String.pipe(
    Schema.minLength(1, {
      description: "The URL to score. The scheme is optional; text that is no URL is scored as malformed"
    })
  )
}) {}

/** Of a request with many, unless the rate limit is lower. */
export const MAX_URLS = 500

/** Of the body of a request with many. */
export const MAX_CHECKS_BODY_BYTES = 256 * 1024

/** Of one URL in a request with many: of its JSON string in UTF-8. */
export const MAX_URL_BYTES = 64 * 1024

export class ChecksRequest extends Schema.Class<ChecksRequest>("ChecksRequest")({
  urls: Schema.Array(Schema.NonEmptyString).pipe(
    Schema.minItems(1),
    Schema.maxItems(MAX_URLS, {
      description:
        "The URLs to score, no more than `q` of the header `RateLimit-Policy`. Each counts, equal ones too"
    })
  )
}) {}

export class BadChecksRequest extends Schema.Class<BadChecksRequest>("BadChecksRequest")(
  { error: Schema.String.pipe(Schema.pattern(/^'urls' must be a list of 1 to \d+ strings$/)) },
  HttpApiSchema.annotations({ status: 400 })
) {}

export class BadRequest extends Schema.Class<BadRequest>("BadRequest")(
  { error: Schema.Literal("Missing 'url' in body") },
  HttpApiSchema.annotations({ status: 400 })
) {}

export class PayloadTooLarge extends Schema.Class<PayloadTooLarge>("PayloadTooLarge")(
  { error: Schema.String },
  HttpApiSchema.annotations({ status: 413 })
) {}

/** The body arrives too slowly. */
export class RequestTimeout extends Schema.Class<RequestTimeout>("RequestTimeout")(
  { error: Schema.Literal("The body did not arrive within 10 seconds") },
  HttpApiSchema.annotations({ status: 408 })
) {}

/** The body is compressed. */
export class UnsupportedEncoding extends Schema.Class<UnsupportedEncoding>("UnsupportedEncoding")(
  { error: Schema.Literal("Content-Encoding is not supported") },
  HttpApiSchema.annotations({ status: 415 })
) {}

export class TooManyRequests extends Schema.Class<TooManyRequests>("TooManyRequests")(
  {
    error: Schema.Literal("Too many requests from this IP, please try again later."),
    limit: Schema.Int.annotations({ description: "Requests that the window allows" }),
    current: Schema.Int.annotations({ description: "Requests counted in the window, including this one" })
  },
  HttpApiSchema.annotations({ status: 429 })
) {}

export class ServerError extends Schema.Class<ServerError>("ServerError")(
  {
    error: Schema.Literal("Server error"),
    detail: Schema.String.annotations({ description: "The kind of error; nothing of the request" })
  },
  HttpApiSchema.annotations({ status: 500 })
) {}

export class NotFound extends Schema.Class<NotFound>("NotFound")(
  { error: Schema.Literal("Not found") },
  HttpApiSchema.annotations({ status: 404 })
) {}

export class MethodNotAllowed extends Schema.Class<MethodNotAllowed>("MethodNotAllowed")(
  { error: Schema.Literal("Method not allowed") },
  HttpApiSchema.annotations({ status: 405 })
) {}

export class Unavailable extends Schema.Class<Unavailable>("Unavailable")(
  { error: Schema.Literal(unavailable.error) },
  HttpApiSchema.annotations({ status: 503 })
) {}

export class Live extends Schema.Class<Live>("Live")({ status: Schema.Literal("live") }) {}

const LastError = Schema.Struct({
  message: Schema.String.annotations({ description: "The cause, without any address or key" }),
  at: Schema.DateTimeUtc
}).annotations({ identifier: "LastError" })

const Off = Schema.Struct({ enabled: Schema.Literal(false) })

/** Of a feed's list, and of the ranking. */
const downloadedList = {
  enabled: Schema.Literal(true),
  source: Schema.String.annotations({ description: "The publisher of the list" }),
  entries: Schema.Int.annotations({
    description: "Distinct URLs and hosts on the list; 0 without a list"
  }),
  ignored: Schema.Int.annotations({
    description: "Rows that name a whole shared host; they are not used"
  }),
  skipped: Schema.Int.annotations({
    description: "Rows that could not be read, or that name no URL and no host"
  }),
  fetchedAt: Schema.NullOr(Schema.DateTimeUtc).annotations({
    description: "When the publisher last served this list; null without a list"
  }),
  stale: Schema.Boolean.annotations({ description: "Older than three refresh intervals" }),
  lastError: Schema.NullOr(LastError).annotations({ description: "Why the last refresh failed" }),
  saveError: Schema.NullOr(LastError).annotations({
    description: "Why the list could not be saved: a restart would begin without it"
  }),
  nextAttemptAt: Schema.NullOr(Schema.DateTimeUtc).annotations({
    description: "When the list is refreshed next; null during a refresh"
  })
}

const Feed = Schema.Union(
  Off,
  Schema.Struct({
    ...downloadedList,
    unconfirmed: Schema.NullOr(Schema.Int).annotations({
      description:
        "Rows that name a whole popular site or a directory of it; alone they count little. Null if there was no ranking of popular sites when the rows were read"
    })
  })
).annotations({ identifier: "Feed" })

const Popular = Schema.Union(Off, Schema.Struct(downloadedList)).annotations({
  identifier: "Popular",
  description: "The ranking of popular sites. The service is ready without it"
})

const OperatorList = Schema.Union(
  Off,
  Schema.Struct({
    enabled: Schema.Literal(true),
    entries: Schema.Int.annotations({ description: "Distinct URLs, directories and hosts in the file" }),
    skipped: Schema.Int.annotations({ description: "Lines that are no entry; the log has their numbers" }),
    readAt: Schema.DateTimeUtc.annotations({ description: "When the file was last read" }),
    lastError: Schema.NullOr(LastError).annotations({
      description: "Why the file could not be read again; the entries stay in use"
    })
  })
).annotations({ identifier: "OperatorList" })

const LocalList = Schema.Struct({
  name: Schema.String.annotations({ description: "Google's name of the list" }),
  entries: Schema.Int.annotations({ description: "Hashes on the list; 0 without a list" }),
  fetchedAt: Schema.NullOr(Schema.DateTimeUtc).annotations({
    description: "When Google last answered about this list; null without a list"
  }),
  stale: Schema.Boolean.annotations({ description: "Older than twice the time that Google asked to wait" }),
  nextUpdate: Schema.DateTimeUtc.annotations({ description: "The next update begins no sooner" }),
  lastError: Schema.NullOr(LastError).annotations({ description: "Why the last update failed" })
}).annotations({ identifier: "LocalList" })

const ReputationLookup = Schema.Union(
  Off,
  Schema.Struct({
    enabled: Schema.Literal(true),
    mode: Schema.Literal("real-time", "local-list", "no-storage").annotations({
      description: "When Google is asked about a URL: docs/reputation.md"
    }),
    lists: Schema.Array(LocalList).annotations({
      description: "The local lists of Safe Browsing; none with no-storage"
    }),
    saveError: Schema.NullOr(LastError).annotations({
      description: "Why the lists could not be saved: a restart would begin without them"
    }),
    search: Schema.Struct({
      breaker: Schema.Literal("closed", "open", "half-open").annotations({
        description:
          "closed: searches are sent. open: none is, because the last ones failed. half-open: one is under way to find out whether Google answers again"
      }),
      lastError: Schema.NullOr(LastError).annotations({
        description: "Why the last search failed; null after one that succeeded"
      })
    })
  })
).annotations({
  identifier: "ReputationLookup",
  description: "The service is ready without the lists"
})

const missing = Schema.Array(Schema.Literal("feed_a", "feed_b", "feed_c", "feed_d")).annotations({
  description: "The enabled feeds without a list"
})

const health = {
  feeds: Schema.Struct({ feed_a: Feed, feed_b: Feed, feed_c: Feed, feed_d: Feed }),
  popular: Popular,
  overrides: Schema.Struct({ allow: OperatorList, block: OperatorList }).annotations({
    description: "The operator's lists, ALLOW_LIST and BLOCK_LIST"
  }),
  heuristics: Schema.Struct({
    learnedUpTo: Schema.String.pipe(
      Schema.pattern(/^\d{4}-\d{2}-\d{2}$/, {
        description: "The newest day of phishing that the weights of the heuristics learned from",
        jsonSchema: { format: "date" }
      })
    )
  }),
  cache: Schema.Literal("in-process", "shared", "shared (unreachable, in-process meanwhile)"),
  reputationLookup: ReputationLookup,
  checkers: Schema.partial(Schema.Record({ key: CheckerId, value: CheckerStatus })).annotations({
    description: "The last status of each checker"
  })
}

export class Ready extends Schema.Class<Ready>("Ready")({ status: Schema.Literal("ready"), ...health }) {}

/** Some feeds have no list, and each of these has failed at least once. */
export class Degraded extends Schema.Class<Degraded>("Degraded")({
  status: Schema.Literal("degraded"),
  missing,
  ...health
}) {}

export class NotReady extends Schema.Class<NotReady>("NotReady")(
  { status: Schema.Literal("not-ready"), missing, ...health },
  HttpApiSchema.annotations({ status: 503 })
) {}

/** The body of `/health/ready`. */
export type Readiness = typeof Ready.Encoded | typeof Degraded.Encoded | typeof NotReady.Encoded

/** Scores one URL. */
export const checkEndpoint = HttpApiEndpoint.post("check", "/api/check")
  .setUrlParams(
    Schema.Struct({
      findings: Schema.optional(
        Schema.Literal("true").annotations({ description: "Adds `findings` to the response" })
      )
    })
  )
  .setPayload(CheckRequest)
  .addSuccess(ScanResult)
  .addError(BadRequest)
  .addError(PayloadTooLarge)
  .addError(UnsupportedEncoding)
  .addError(TooManyRequests)
  .annotate(OpenApi.Summary, "Scores one URL")
  .annotate(
    OpenApi.Description,
    "The request needs the header `Content-Type: application/json`, and a body that is not compressed."
  )

/** Scores many URLs. */
export const checksEndpoint = HttpApiEndpoint.post("checks", "/api/checks")
  .setPayload(ChecksRequest)
  .addSuccess(ChecksResult)
  .addError(BadChecksRequest)
  .addError(RequestTimeout)
  .addError(PayloadTooLarge)
  .addError(UnsupportedEncoding)
  .addError(TooManyRequests)
  .annotate(OpenApi.Summary, "Scores up to 500 URLs")
  .annotate(
    OpenApi.Description,
    "The request needs the header `Content-Type: application/json`, and a body of at most 256 KiB that is not compressed. Each URL has at most 64 KiB, as a JSON string in UTF-8, and counts as one request against the rate limit: all are checked, or none. One address may send 8 bodies at once."
  )

export class Api extends HttpApi.make("url-threat-scoring")
  .add(HttpApiGroup.make("check", { topLevel: true }).add(checkEndpoint).add(checksEndpoint))
  .add(
    HttpApiGroup.make("health", { topLevel: true })
      .add(
        HttpApiEndpoint.get("live", "/health/live")
          .addSuccess(Live)
          .annotate(OpenApi.Summary, "200 while the process serves requests")
      )
      .add(
        HttpApiEndpoint.get("ready", "/health/ready")
          .setUrlParams(
            Schema.Struct({
              strict: Schema.optional(
                Schema.String.annotations({
                  description: "With or without a value: 503 instead of `degraded`"
                })
              )
            })
          )
          .addSuccess(Schema.Union(Ready, Degraded))
          .addError(NotReady)
          .annotate(
            OpenApi.Summary,
            "200 once every enabled feed has a list, or has failed while another has one"
          )
      )
  )
  .add(
    HttpApiGroup.make("contract", { topLevel: true }).add(
      HttpApiEndpoint.get("openapi", "/openapi.json")
        .addSuccess(Schema.Struct({ openapi: Schema.String }, { key: Schema.String, value: Schema.Unknown }))
        .annotate(OpenApi.Summary, "This document")
    )
  )
  .addError(NotFound)
  .addError(MethodNotAllowed)
  .addError(ServerError)
  .addError(Unavailable) {}
