import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { CheckerId } from "../Checkers/Checker.ts"

/** The contract as data: no handler, no service. */

export class CheckRequest extends Schema.Class<CheckRequest>("CheckRequest")({
  url: Schema.NonEmptyString
}) {}

const ElapsedMillis = Schema.Number.pipe(Schema.finite(), Schema.nonNegative())

export class ScanResult extends Schema.Class<ScanResult>("ScanResult")({
  url: Schema.String.annotations({ description: "Exactly as submitted" }),
  score: Schema.Number.pipe(Schema.between(0, 100)),
  verdict: Schema.Literal("safe", "suspicious", "phishing"),
  reasons: Schema.Array(Schema.String),
  executionTimeMs: Schema.Record({ key: CheckerId, value: ElapsedMillis })
}) {}

export class BadRequest extends Schema.Class<BadRequest>("BadRequest")(
  { error: Schema.Literal("Missing 'url' in body") },
  HttpApiSchema.annotations({ status: 400 })
) {}

export class PayloadTooLarge extends Schema.Class<PayloadTooLarge>("PayloadTooLarge")(
  { error: Schema.String },
  HttpApiSchema.annotations({ status: 413 })
) {}

export class TooManyRequests extends Schema.Class<TooManyRequests>("TooManyRequests")(
  {
    error: Schema.Literal("Too many requests from this IP, please try again later."),
    limit: Schema.Int,
    current: Schema.Int
  },
  HttpApiSchema.annotations({ status: 429 })
) {}

export class ServerError extends Schema.Class<ServerError>("ServerError")(
  { error: Schema.Literal("Server error"), detail: Schema.String },
  HttpApiSchema.annotations({ status: 500 })
) {}

export class Live extends Schema.Class<Live>("Live")({ status: Schema.Literal("live") }) {}

export class Api extends HttpApi.make("url-threat-scoring")
  .add(
    HttpApiGroup.make("check", { topLevel: true }).add(
      HttpApiEndpoint.post("check", "/api/check")
        .setPayload(CheckRequest)
        .addSuccess(ScanResult)
        .addError(BadRequest)
        .addError(PayloadTooLarge)
        .addError(TooManyRequests)
        .addError(ServerError)
        .annotate(OpenApi.Summary, "Scores one URL")
    )
  )
  .add(
    HttpApiGroup.make("health", { topLevel: true }).add(
      HttpApiEndpoint.get("live", "/health/live").addSuccess(Live)
    )
  ) {}
