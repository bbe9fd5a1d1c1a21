import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Clock, Duration, Effect, Option, Redacted } from "effect"
import type { TracingConfig } from "../AppConfig/TracingConfig.ts"
import * as BackgroundLoop from "../BackgroundLoop.ts"
import * as Program from "../Program.ts"
import { Metrics } from "./Metrics.ts"
import * as OtlpResponse from "./OtlpResponse.ts"
import * as OtlpSpan from "./OtlpSpan.ts"

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

/**
 * Sends spans to an OTLP receiver as JSON over HTTP, in a background fiber of the scope. Returns the function that queues a
 * span. Spans of a request that may be retried return to the queue; others are lost and counted. The first error and the
 * recovery are logged, once each.
 */
export const make = (config: TracingConfig) =>
  Effect.gen(function* () {
    const client = (yield* HttpClient.HttpClient).pipe(
      HttpClient.filterStatusOk,
      HttpClient.withScope // closing the scope aborts a body that is not read to its end
    )
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
      attributes: Array.from(resourceAttributes, ([key, value]) => OtlpSpan.attribute(key, value))
    }
    let queue: Array<OtlpSpan.OtlpSpan> = []
    let isFailing = false

    const putBack = (batch: ReadonlyArray<OtlpSpan.OtlpSpan>) => {
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

    const post = (spans: ReadonlyArray<OtlpSpan.OtlpSpan>) =>
      HttpClientRequest.post(config.url, { headers: Redacted.value(config.headers) }).pipe(
        HttpClientRequest.setHeader("user-agent", Program.nameAndVersion),
        HttpClientRequest.bodyUnsafeJson({
          resourceSpans: [{ resource, scopeSpans: [{ scope: { name: Program.name }, spans }] }]
        }),
        client.execute,
        Effect.flatMap(OtlpResponse.rejectedSpansIn),
        Effect.scoped,
        Effect.timeout(config.timeout),
        Effect.catchAll((error) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => OtlpResponse.notAccepted(error, now))
        )
      )

    const sendBatch = Effect.suspend(() => {
      const batch = queue.splice(0, MAX_BATCH_SPANS)
      return post(batch).pipe(
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
    const sendQueue = Effect.suspend(() => {
      let batches = Math.ceil(queue.length / MAX_BATCH_SPANS)
      return Effect.whileLoop({
        while: () => batches-- > 0,
        body: () => sendBatch,
        step: () => undefined
      })
    }).pipe(Effect.withTracerEnabled(false))

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
    const pauseAfter = ({ retryAfter }: OtlpResponse.NotAccepted) =>
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

    return (span: OtlpSpan.OtlpSpan): void => {
      if (queue.length < MAX_QUEUED_SPANS) queue.push(span)
      else lost.update(1)
    }
  })
