import type { HttpClientError, HttpClientResponse } from "@effect/platform"
import { type Cause, Data, type Duration, Effect, Option, Schema, Stream } from "effect"
import * as RetryAfter from "../Outbound/RetryAfter.ts"

/** A response is short: the rest of a longer one is not read. */
const MAX_RESPONSE_CHARACTERS = 65_536

/** https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const retryableStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Why a batch of spans was not accepted. Omits the error itself, which contains the request with its headers. */
export class NotAccepted extends Data.TaggedError("NotAccepted")<{
  readonly reason: string
  readonly status: number | undefined
  readonly retryAfter: Option.Option<Duration.Duration>
  /** Whether the same spans may be sent again. */
  readonly isRetryable: boolean
}> {}

/** `now` in milliseconds since 1970, for a `Retry-After` with a date. */
export const notAccepted = (
  error: HttpClientError.HttpClientError | Cause.TimeoutException,
  now: number
): NotAccepted => {
  if (error._tag !== "ResponseError")
    return new NotAccepted({
      reason: error._tag === "RequestError" ? error.reason : "Timeout",
      status: undefined,
      retryAfter: Option.none(),
      isRetryable: true
    })
  const { status, headers } = error.response
  return new NotAccepted({
    reason: error.reason,
    status,
    retryAfter: RetryAfter.parse(headers["retry-after"], now),
    isRetryable: error.reason !== "StatusCode" || retryableStatuses.has(status)
  })
}

/** https://opentelemetry.io/docs/specs/otlp/#partial-success-1; int64 is a string in its JSON. */
const decodePartialSuccess = Schema.decodeUnknownOption(
  Schema.parseJson(
    Schema.Struct({
      partialSuccess: Schema.Struct({
        rejectedSpans: Schema.Union(Schema.NonNegativeInt, Schema.NumberFromString.pipe(Schema.nonNegative()))
      })
    })
  )
)

/** The number of spans that the response reports as rejected. */
export const rejectedSpansIn = (response: HttpClientResponse.HttpClientResponse) =>
  Stream.decodeText(response.stream).pipe(
    Stream.runFoldWhile(
      "",
      (text) => text.length < MAX_RESPONSE_CHARACTERS,
      (text, piece) => text + piece
    ),
    Effect.map((text) =>
      Option.match(decodePartialSuccess(text), {
        onNone: () => 0,
        onSome: ({ partialSuccess }) => partialSuccess.rejectedSpans
      })
    )
  )
