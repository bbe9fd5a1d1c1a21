import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Array as Arr, Schema } from "effect"
import { body, int, text } from "./Api/Body.ts"
import { Degraded, Live, NotReady, Ready } from "./Api/Health.ts"
import { MAX_URLS } from "./Api/Limits.ts"
import { ChecksResult, ScanResult } from "./Api/ScanResult.ts"

export * from "./Api/Health.ts"
export * from "./Api/Limits.ts"
export * from "./Api/ScanResult.ts"

/**
 * The contract as data: no handler, no service. `description` and `examples` of a body are those of its response in the OpenAPI
 * document.
 */

export class CheckRequest extends Schema.Class<CheckRequest>("CheckRequest")(
  ...body(
    {
      url: Schema.String.pipe(
        Schema.minLength(1, {
          description:
            "The URL to score. The scheme is optional; text that is not a URL is scored as malformed"
        })
      )
    },
    {
      // Unknown fields are ignored.
      jsonSchema: { additionalProperties: true },
      examples: [{ url: "http://paypa1-secure.example/login" }, { url: "example.com" }]
    }
  )
) {}

export class ChecksRequest extends Schema.Class<ChecksRequest>("ChecksRequest")(
  ...body(
    {
      urls: Schema.Array(Schema.NonEmptyString).pipe(
        Schema.minItems(1),
        Schema.maxItems(MAX_URLS, {
          description:
            "The URLs to score, no more than `q` of the header `RateLimit-Policy`. Each counts, equal ones too"
        })
      )
    },
    { jsonSchema: { additionalProperties: true }, examples: [{ urls: ["http://example.com/"] }] }
  )
) {}

/** The arguments of a class for errors that are one text. */
const error = <A extends string>(
  status: number,
  error: Schema.Schema<A>,
  description: string,
  ...examples: Arr.NonEmptyArray<A>
) => body({ error }, { status, description, examples: Arr.map(examples, (error) => ({ error })) })

/** As `error`, of one that is always the same text. */
const fixedError = <A extends string>(status: number, text: A, description: string) =>
  error(status, Schema.Literal(text), description, text)

export class BadRequest extends Schema.Class<BadRequest>("BadRequest")(
  ...fixedError(
    400,
    "Missing 'url' in body",
    "The body is not JSON, or its `url` is missing, empty or not a string. Or the header `Content-Type` is not `application/json`; then the response has `Accept-Post`."
  )
) {}

export class BadChecksRequest extends Schema.Class<BadChecksRequest>("BadChecksRequest")(
  ...error(
    400,
    Schema.String.pipe(Schema.pattern(/^'urls' must be a list of 1 to \d+ strings$/)),
    "The body is not JSON, or its `urls` is not a list of strings that are not empty, or of too many. The message names the largest number: 500, or the rate limit if that is lower. Or the header `Content-Type` is not `application/json`; then the response has `Accept-Post`. Counts as one request.",
    "'urls' must be a list of 1 to 500 strings"
  )
) {}

export class PayloadTooLarge extends Schema.Class<PayloadTooLarge>("PayloadTooLarge")(
  ...error(413, Schema.String, "The body is larger than 64 KiB.", "The body is larger than 65536 bytes")
) {}

export class ChecksTooLarge extends Schema.Class<ChecksTooLarge>("ChecksTooLarge")(
  ...error(
    413,
    Schema.String,
    "The body is larger than 256 KiB, or one of its URLs is larger than 64 KiB, as a JSON string in UTF-8. Counts as one request.",
    "The body is larger than 262144 bytes",
    "A URL is larger than 65536 bytes"
  )
) {}

/** The body arrives too slowly. */
export class RequestTimeout extends Schema.Class<RequestTimeout>("RequestTimeout")(
  ...fixedError(
    408,
    "The body arrives too slowly",
    "The body took longer than 10 seconds, or arrived at less than 1 KiB a second after its first second. Or all 64 places for bodies were taken, and this body had made the least progress. The connection is closed. Counts as one request."
  )
) {}

/** The body is compressed. */
export class UnsupportedEncoding extends Schema.Class<UnsupportedEncoding>("UnsupportedEncoding")(
  ...fixedError(
    415,
    "Content-Encoding is not supported",
    "The body is compressed: the header `Content-Encoding` is not `identity`."
  )
) {}

export class TooManyRequests extends Schema.Class<TooManyRequests>("TooManyRequests")(
  ...body(
    {
      error: Schema.Literal("Too many requests from this IP, please try again later."),
      limit: int("Requests that the window allows"),
      current: int("Requests counted in the window, including this one")
    },
    {
      status: 429,
      description:
        "More requests from one IPv4 address, or one IPv6 /64, than the rate limit allows in a window.",
      examples: [
        { error: "Too many requests from this IP, please try again later.", limit: 100, current: 101 }
      ]
    }
  )
) {}

export class ServerError extends Schema.Class<ServerError>("ServerError")(
  ...body(
    {
      error: Schema.Literal("Server error"),
      detail: text("The kind of error; nothing of the request")
    },
    {
      status: 500,
      description: "A defect of the service. Its log has the details.",
      examples: [{ error: "Server error", detail: "TypeError while answering; the log tells more" }]
    }
  )
) {}

export class NotFound extends Schema.Class<NotFound>("NotFound")(
  ...fixedError(404, "Not found", "There is no such path: the base address is probably wrong.")
) {}

export class MethodNotAllowed extends Schema.Class<MethodNotAllowed>("MethodNotAllowed")(
  ...fixedError(405, "Method not allowed", "The path does not have this method.")
) {}

/** Of every endpoint. */
export const AnyError = Schema.Union(NotFound, MethodNotAllowed, ServerError)

const shutdown = "The service is shutting down; another replica may answer."

export class Unavailable extends Schema.Class<Unavailable>("Unavailable")(
  ...fixedError(503, "The service is not available at the moment", shutdown)
) {}

/** Scores one URL. */
export const checkEndpoint = HttpApiEndpoint.post("check", "/api/check")
  .setUrlParams(
    Schema.Struct({
      findings: Schema.optional(
        Schema.Literal("true", "1", "").annotations({
          description:
            "With `true`, `1` or without a value: adds `findings`, `checkers`, `complete`, `addresses` and, if the operator's lists decided, `override` to the response. Any other value does not"
        })
      )
    })
  )
  .setPayload(CheckRequest)
  .addSuccess(ScanResult)
  .addError(BadRequest)
  .addError(PayloadTooLarge)
  .addError(UnsupportedEncoding)
  .addError(TooManyRequests)
  .addError(
    Unavailable.annotations({
      description: `The service is overloaded. A request that is rejected before its body is read does not count against the rate limit. Or: ${shutdown}`
    })
  )
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
  .addError(ChecksTooLarge)
  .addError(UnsupportedEncoding)
  .addError(
    TooManyRequests.annotations({
      description:
        "With these URLs, more than the rate limit allows in a window: none is checked, and only one request is counted. A request with the number of URLs that `RateLimit` says are left (`r`) need not wait. If the window allows no request at all, the body is not read."
    })
  )
  .addError(
    Unavailable.annotations({
      description: `The service is overloaded: the address sends 8 other bodies already, all 64 places for bodies are taken, of which it has more than others, or no place for the checks was free within 10 seconds. Does not count against the rate limit. Or: ${shutdown}`
    })
  )
  .annotate(OpenApi.Summary, "Scores up to 500 URLs")
  .annotate(
    OpenApi.Description,
    "The request needs the header `Content-Type: application/json`, and a body of at most 256 KiB that is not compressed. Each URL has at most 64 KiB, as a JSON string in UTF-8, and counts as one request against the rate limit: all are checked, or none. One address may send 8 bodies at once."
  )

export class Api extends HttpApi.make("url-threat-scoring")
  .add(
    HttpApiGroup.make("check", { topLevel: true })
      .add(checkEndpoint)
      .add(checksEndpoint)
      .annotate(OpenApi.Description, "Scoring")
  )
  .add(
    HttpApiGroup.make("health", { topLevel: true })
      .add(
        HttpApiEndpoint.get("live", "/health/live")
          .addSuccess(Live)
          .addError(Unavailable)
          .annotate(OpenApi.Summary, "200 while the process serves requests")
      )
      .add(
        HttpApiEndpoint.get("ready", "/health/ready")
          .setUrlParams(
            Schema.Struct({
              strict: Schema.optional(text("With or without a value: 503 instead of `degraded`"))
            })
          )
          .addSuccess(Schema.Union(Ready, Degraded))
          .addError(NotReady)
          .addError(Unavailable)
          .annotate(
            OpenApi.Summary,
            "200 once every enabled feed has a list, or has failed while another has one"
          )
      )
      .annotate(
        OpenApi.Description,
        "For operators of the service. With `ADMIN_PORT` they are served on that port only"
      )
  )
  .add(
    HttpApiGroup.make("contract", { topLevel: true })
      .add(
        HttpApiEndpoint.get("openapi", "/openapi.json")
          .addSuccess(
            Schema.Struct(
              { openapi: Schema.String },
              { key: Schema.String, value: Schema.Unknown }
            ).annotations({
              identifier: "OpenApiDocument",
              description: "An OpenAPI 3.1 document.",
              examples: [{ openapi: "3.1.0" }]
            })
          )
          .addError(Unavailable)
          .annotate(OpenApi.Summary, "This document")
      )
      .annotate(OpenApi.Description, "This document")
  )
  .addError(AnyError) {}
