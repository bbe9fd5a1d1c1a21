import { Clock, Data, Duration, Effect, Option, Schema } from "effect"
import type { TracingConfig } from "../AppConfig/TracingConfig.ts"
import type { ReceivedResponse } from "../Outbound/HttpExchange.ts"
import * as RetryAfter from "../Outbound/RetryAfter.ts"
import * as Program from "../Program.ts"
import * as BackgroundLoop from "../Time/BackgroundLoop.ts"
import { Metrics } from "./Metrics.ts"
import { attribute, type OtlpSpan } from "./OtlpTracer.ts"

/** Between two exports. */
const EXPORT_INTERVAL = Duration.seconds(1)

/** The bound on `Retry-After` and on the backoff. */
const MAX_PAUSE = Duration.seconds(30)

/** Of one request: about half a megabyte. */
const MAX_BATCH_SPANS = 1024

/** The size of the queue. Spans that do not fit are lost. */
export const MAX_QUEUED_SPANS = 8192

/** How long the shutdown waits for the last spans. */
const LAST_EXPORT_TIMEOUT = Duration.seconds(2)

/** https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const retryableStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Why a batch of spans was not accepted. */
class NotAccepted extends Data.TaggedError("NotAccepted")<{
  readonly reason: "StatusCode" | "Timeout" | "Transport"
  readonly status: number | undefined
  readonly retryAfter: Option.Option<Duration.Duration>
  /** Whether the same spans may be sent again. */
  readonly isRetryable: boolean
}> {}

const noResponse = (reason: "Timeout" | "Transport") => () =>
  new NotAccepted({ reason, status: undefined, retryAfter: Option.none(), isRetryable: true })

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
const rejectedSpansIn = ({ body, headers, status }: ReceivedResponse): Effect.Effect<number, NotAccepted> =>
  status >= 200 && status <= 299
    ? Effect.succeed(
        Option.match(decodePartialSuccess(Buffer.from(body).toString()), {
          onNone: () => 0,
          onSome: ({ partialSuccess }) => partialSuccess.rejectedSpans
        })
      )
    : Effect.flatMap(
        Clock.currentTimeMillis,
        (now) =>
          new NotAccepted({
            reason: "StatusCode",
            status,
            retryAfter: RetryAfter.parse(headers["retry-after"], now),
            isRetryable: retryableStatuses.has(status)
          })
      )

/**
 * Sends spans to an OTLP receiver as JSON, in a background fiber of the scope. `post` sends the body of one request, and follows
 * no redirect. Returns the function that queues a span. Spans of a request that may be retried return to the queue; others are
 * lost and counted. The first error and the recovery are logged, once each.
 */
export const make = (
  config: TracingConfig,
  post: (body: string) => Effect.Effect<ReceivedResponse, unknown>
) =>
  Effect.gen(function* () {
    const lost = (yield* Metrics).counter(
      "threat_scoring_trace_spans_lost_total",
      "Spans that the receiver of traces did not accept"
    )
    const resourceAttributes = new Map([
      ["service.name", config.serviceName],
      ["service.version", Program.version],
      ...config.resourceAttributes
    ])
    const resource = {
      attributes: Array.from(resourceAttributes, ([key, value]) => attribute(key, value))
    }
    let queue: Array<OtlpSpan> = []
    let isFailing = false

    const putBack = (batch: ReadonlyArray<OtlpSpan>) => {
      queue = [...batch, ...queue]
      lost.update(queue.splice(MAX_QUEUED_SPANS).length)
    }

    const failed = (details: Readonly<Record<string, unknown>>) => {
      const wasFailing = isFailing
      isFailing = true
      return wasFailing
        ? Effect.void
        : Effect.annotateLogs(Effect.logWarning("Traces could not be sent"), details)
    }

    const succeeded = Effect.suspend(() => {
      const wasFailing = isFailing
      isFailing = false
      return wasFailing ? Effect.logInfo("Traces are sent again") : Effect.void
    })

    const send = (spans: ReadonlyArray<OtlpSpan>) =>
      post(
        JSON.stringify({
          resourceSpans: [{ resource, scopeSpans: [{ scope: { name: Program.name }, spans }] }]
        })
      ).pipe(
        Effect.mapError(noResponse("Transport")),
        Effect.flatMap(rejectedSpansIn),
        Effect.timeoutFail({ duration: config.timeout, onTimeout: noResponse("Timeout") })
      )

    const sendBatch = Effect.suspend(() => {
      const batch = queue.splice(0, MAX_BATCH_SPANS)
      return send(batch).pipe(
        Effect.flatMap((reported) => {
          // The receiver's number may be wrong, and the counter cannot decrease.
          const rejected = Math.min(reported, batch.length)
          if (rejected === 0) return succeeded
          lost.update(rejected)
          return failed({ reason: "PartialSuccess", rejectedSpans: rejected })
        }),
        Effect.tapError(({ reason, status, isRetryable }) => {
          if (isRetryable) putBack(batch)
          else lost.update(batch.length)
          return failed({ reason, status })
        }),
        Effect.onInterrupt(() => Effect.sync(() => putBack(batch)))
      )
    })
    /** Sends the spans that are queued now. Later ones wait for the next export, which sends them in fewer requests. */
    const sendQueue = Effect.suspend(() =>
      Effect.replicateEffect(sendBatch, Math.ceil(queue.length / MAX_BATCH_SPANS), { discard: true })
    )

    yield* Effect.addFinalizer(() =>
      sendQueue.pipe(
        Effect.interruptible,
        Effect.ignore,
        Effect.timeoutOption(LAST_EXPORT_TIMEOUT),
        Effect.zipRight(
          Effect.suspend(() =>
            queue.length === 0
              ? Effect.void
              : Effect.annotateLogs(Effect.logWarning("The last traces are lost"), { spans: queue.length })
          )
        )
      )
    )

    let pause = EXPORT_INTERVAL
    const pauseAfter = ({ retryAfter }: NotAccepted) =>
      Duration.clamp(
        Option.getOrElse(retryAfter, () => Duration.times(pause, 2)),
        { minimum: EXPORT_INTERVAL, maximum: MAX_PAUSE }
      )
    const step = Effect.suspend(() => Effect.sleep(pause)).pipe(
      Effect.zipRight(Effect.match(sendQueue, { onSuccess: () => EXPORT_INTERVAL, onFailure: pauseAfter })),
      Effect.tap((next) =>
        Effect.sync(() => {
          pause = next
        })
      )
    )
    yield* BackgroundLoop.fork("trace exporter", step)

    return (span: OtlpSpan): void => {
      if (queue.length < MAX_QUEUED_SPANS) queue.push(span)
      else lost.update(1)
    }
  })
