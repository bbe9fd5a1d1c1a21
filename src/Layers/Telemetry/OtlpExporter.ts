import { Duration, Effect, identity } from "effect"
import type { TracingConfig } from "../AppConfig/TracingConfig.ts"
import * as Program from "../Program.ts"
import * as BackgroundLoop from "../Time/BackgroundLoop.ts"
import { Metrics } from "./Metrics.ts"
import { attribute, type OtlpSpan } from "./OtlpTracer.ts"

/** Between two exports. */
const EXPORT_INTERVAL = Duration.seconds(1)

/** The bound on the backoff. */
const MAX_PAUSE = Duration.seconds(30)

/** Of one request: about half a megabyte. */
const MAX_BATCH_SPANS = 1024

/** The size of the queue. Spans that do not fit are lost. */
export const MAX_QUEUED_SPANS = 8192

/** How long the shutdown waits for the last spans. */
const LAST_EXPORT_TIMEOUT = Duration.seconds(2)

/** https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const retryableStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504])

/**
 * Sends spans to an OTLP receiver as JSON, in a background fiber of the scope. `post` sends the body of one request, and follows
 * no redirect; it yields the status of the response. Returns the function that queues a span. Spans of a request that may be
 * retried stay in the queue; others are lost and counted. The first error and the recovery are logged, once each.
 */
export const make = (config: TracingConfig, post: (body: string) => Effect.Effect<number, unknown>) =>
  Effect.gen(function* () {
    const lost = (yield* Metrics).counter(
      "threat_scoring_trace_spans_lost_total",
      "Spans that could not be sent; missing without traces"
    )
    const resource = { attributes: Array.from(config.resource, ([key, value]) => attribute(key, value)) }
    /** A batch is removed when it is known that it will not be sent again. */
    const queue: Array<OtlpSpan> = []
    let isFailing = false
    let pause = EXPORT_INTERVAL

    /** Yields the status of the response, or why there is none. */
    const send = (spans: ReadonlyArray<OtlpSpan>): Effect.Effect<number | "Timeout" | "Transport"> =>
      post(
        JSON.stringify({
          resourceSpans: [{ resource, scopeSpans: [{ scope: { name: Program.name }, spans }] }]
        })
      ).pipe(
        Effect.orElseSucceed(() => "Transport" as const),
        Effect.timeoutTo({
          duration: config.timeout,
          onSuccess: identity,
          onTimeout: () => "Timeout" as const
        })
      )

    /** Sends the spans that are queued now, until a batch fails. Later ones wait for the next export, in fewer requests. */
    const sendQueue = Effect.gen(function* () {
      for (let batches = Math.ceil(queue.length / MAX_BATCH_SPANS); batches > 0; batches--) {
        const batch = queue.slice(0, MAX_BATCH_SPANS)
        const answer = yield* send(batch)
        const isAccepted = typeof answer === "number" && answer >= 200 && answer <= 299
        const mayRetry = typeof answer === "string" || retryableStatuses.has(answer)
        if (!mayRetry) queue.splice(0, batch.length)
        if (!mayRetry && !isAccepted) lost.update(batch.length)
        if (isAccepted === isFailing)
          yield* isAccepted
            ? Effect.logInfo("Traces are sent again")
            : Effect.annotateLogs(Effect.logWarning("Traces could not be sent"), { reason: answer })
        isFailing = !isAccepted
        pause = isAccepted ? EXPORT_INTERVAL : Duration.min(Duration.times(pause, 2), MAX_PAUSE)
        if (isFailing) return
      }
    })

    yield* Effect.addFinalizer(() =>
      sendQueue.pipe(Effect.interruptible, Effect.timeoutOption(LAST_EXPORT_TIMEOUT))
    )
    yield* BackgroundLoop.fork(
      "trace exporter",
      Effect.suspend(() => Effect.delay(sendQueue, pause))
    )

    return (span: OtlpSpan): void => {
      if (queue.length < MAX_QUEUED_SPANS) queue.push(span)
      else lost.update(1)
    }
  })
