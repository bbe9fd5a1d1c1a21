import type { HttpClientError, HttpClientResponse } from "@effect/platform"
import { type Cause, Data, Duration, Effect, Option, Schema, Stream } from "effect"

/** Of an answer, which is a few words, no more is read. */
const MOST_ANSWER_CHARACTERS = 65_536

/** https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Nothing of the error itself: it holds the request, and the request holds the headers. */
export class NotTaken extends Data.TaggedError("NotTaken")<{
  readonly reason: string
  readonly status: number | undefined
  /** How long the receiver asks to be left alone; in seconds, as collectors do. */
  readonly retryAfter: Option.Option<Duration.Duration>
  /** That the same spans may be taken another time. */
  readonly isPassing: boolean
}> {}

export const notTaken = (error: HttpClientError.HttpClientError | Cause.TimeoutException): NotTaken => {
  if (error._tag !== "ResponseError")
    return new NotTaken({
      reason: error._tag === "RequestError" ? error.reason : "Timeout",
      status: undefined,
      retryAfter: Option.none(),
      isPassing: true
    })
  const { status, headers } = error.response
  const seconds = headers["retry-after"] ?? ""
  return new NotTaken({
    reason: error.reason,
    status,
    retryAfter: /^\d{1,9}$/.test(seconds) ? Option.some(Duration.seconds(Number(seconds))) : Option.none(),
    isPassing: error.reason !== "StatusCode" || passing.has(status)
  })
}

/** https://opentelemetry.io/docs/specs/otlp/#partial-success-1; int64 is a string in its JSON. */
const rejectedSpans = Schema.decodeUnknownOption(
  Schema.parseJson(
    Schema.Struct({
      partialSuccess: Schema.Struct({
        rejectedSpans: Schema.Union(Schema.NonNegativeInt, Schema.NumberFromString.pipe(Schema.nonNegative()))
      })
    })
  )
)

/** How many of the spans the receiver says it did not take. */
export const rejected = (response: HttpClientResponse.HttpClientResponse) =>
  Stream.decodeText(response.stream).pipe(
    Stream.runFoldWhile(
      "",
      (text) => text.length < MOST_ANSWER_CHARACTERS,
      (text, piece) => text + piece
    ),
    Effect.map((text) =>
      Option.match(rejectedSpans(text), {
        onNone: () => 0,
        onSome: ({ partialSuccess }) => partialSuccess.rejectedSpans
      })
    )
  )
