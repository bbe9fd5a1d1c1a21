import { Clock, Data, Duration, Effect, Option, Schema } from "effect"
import type { TracingConfig } from "../AppConfig/TracingConfig.ts"
import { retryAfterMillis } from "../Outbound/Headers.ts"
import type { ReceivedResponse } from "../Outbound/HttpExchange.ts"
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

/** Why a batch of spans was not accepted. Without a response it has no status. */
class NotAccepted extends Data.TaggedError("NotAccepted")<{
  readonly reason: "StatusCode" | "Timeout" | "Transport"
  readonly status?: number
  readonly retryAfterMs?: number | undefined
}> {
  /** Whether the same spans may be sent again. */
  get isRetryable(): boolean {
    return this.status === undefined || retryableStatuses.has(this.status)
  }
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
const rejectedSpansIn = ({ body, headers, status }: ReceivedResponse): Effect.Effect<number, NotAccepted> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (status < 200 || status > 299) {
      const retryAfterMs = retryAfterMillis(headers["retry-after"], now)
      return new NotAccepted({ reason: "StatusCode", status, retryAfterMs })
    }
    const report = Option.getOrUndefined(decodePartialSuccess(Buffer.from(body).toString()))
    return Effect.succeed(report?.partialSuccess.rejectedSpans ?? 0)
  })

/**
 * Sends spans to an OTLP receiver as JSON, in a background fiber of the scope. `post` sends the body of one request, and follows
 * no redirect. Returns the function that queues a span. Spans of a request that may be retried stay in the queue; others are
 * lost and counted. The first error and the recovery are logged, once each.
 */
export const make = (
  config: TracingConfig,
  post: (body: string) => Effect.Effect<ReceivedResponse, unknown>
) =>
  Effect.gen(function* () {
    const lost = (yield* Metrics).counter(
      "threat_scoring_trace_spans_lost_total",
      "Spans that could not be sent; missing without traces"
    )
    const resource = { attributes: Array.from(config.resource, ([key, value]) => attribute(key, value)) }
    /** A batch is removed when it is known that it will not be sent again. */
    const queue: Array<OtlpSpan> = []
    let isFailing = false

    /** Logs the first failure, and the recovery. */
    const report = (failure?: Readonly<Record<string, unknown>>) => {
      const wasFailing = isFailing
      isFailing = failure !== undefined
      if (isFailing === wasFailing) return Effect.void
      return failure === undefined
        ? Effect.logInfo("Traces are sent again")
        : Effect.annotateLogs(Effect.logWarning("Traces could not be sent"), failure)
    }

    const send = (spans: ReadonlyArray<OtlpSpan>) =>
      post(
        JSON.stringify({
          resourceSpans: [{ resource, scopeSpans: [{ scope: { name: Program.name }, spans }] }]
        })
      ).pipe(
        Effect.mapError(() => new NotAccepted({ reason: "Transport" })),
        Effect.flatMap(rejectedSpansIn),
        Effect.timeoutFail({
          duration: config.timeout,
          onTimeout: () => new NotAccepted({ reason: "Timeout" })
        })
      )

    const sendBatch = Effect.suspend(() => {
      const batch = queue.slice(0, MAX_BATCH_SPANS)
      return send(batch).pipe(
        Effect.flatMap((reported) => {
          queue.splice(0, batch.length)
          // The receiver's number may be wrong, and the counter cannot decrease.
          const rejected = Math.min(reported, batch.length)
          if (rejected === 0) return report()
          lost.update(rejected)
          return report({ reason: "PartialSuccess", rejectedSpans: rejected })
        }),
        Effect.tapError(({ reason, status, isRetryable }) => {
          if (!isRetryable) lost.update(queue.splice(0, batch.length).length)
          return report({ reason, status })
        })
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
    const step = Effect.suspend(() => Effect.delay(sendQueue, pause)).pipe(
      Effect.match({
        onSuccess: () => EXPORT_INTERVAL,
        onFailure: ({ retryAfterMs }) =>
          Duration.clamp(retryAfterMs ?? Duration.times(pause, 2), {
            minimum: EXPORT_INTERVAL,
            maximum: MAX_PAUSE
          })
      }),
      Effect.tap((next) => {
        pause = next
      })
    )
    yield* BackgroundLoop.fork("trace exporter", step)

    return (span: OtlpSpan): void => {
      if (queue.length < MAX_QUEUED_SPANS) queue.push(span)
      else lost.update(1)
    }
  })
