import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Duration, Effect, Option, Redacted } from "effect"
import type { TracingConfig } from "../AppConfig/TracingConfig.ts"
import * as Program from "../Program.ts"
import { Metrics } from "./Metrics.ts"
import * as OtlpAnswer from "./OtlpAnswer.ts"
import * as OtlpSpan from "./OtlpSpan.ts"

/** How long spans wait, at most, for others to be sent with. */
const GATHERING = Duration.seconds(1)

/** A receiver that wants a pause gets no longer one, nor does our own doubling of pauses go beyond. */
const LONGEST_PAUSE = Duration.seconds(30)

/** How many are sent at once: about half a megabyte. */
const MOST_IN_A_BATCH = 1024

/** How many wait while the receiver is slow or away; those that come then are lost, or memory would be. */
export const MOST_WAITING = 8192

/** What the end of the process waits for its last spans. */
const LAST_EXPORT_TIMEOUT = Duration.seconds(2)

/**
 * Sends spans to an OTLP receiver, as JSON over HTTP, in the background of the scope. Nothing waits for it. What the receiver
 * may take another time is kept for a while; the beginning and the end of its troubles are each said once, and what is lost
 * is counted.
 */
export const make = (config: TracingConfig) =>
  Effect.gen(function* () {
    const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
    const lost = (yield* Metrics).counter(
      "threat_scoring_trace_spans_lost_total",
      "Spans that the receiver of traces did not take"
    )
    const own = new Map([
      ["service.name", config.serviceName],
      ["service.version", Program.version],
      ...config.resourceAttributes
    ])
    const resource = { attributes: Array.from(own, ([key, value]) => OtlpSpan.attribute(key, value)) }
    let waiting: Array<OtlpSpan.OtlpSpan> = []
    let isFailing = false

    const putBack = (batch: ReadonlyArray<OtlpSpan.OtlpSpan>) => {
      waiting = [...batch, ...waiting]
      lost.update(waiting.splice(MOST_WAITING).length)
    }

    const failed = (trouble: Readonly<Record<string, unknown>>) => {
      const wasFailing = isFailing
      isFailing = true
      return wasFailing
        ? Effect.void
        : Effect.annotateLogs(Effect.logWarning("Traces could not be sent"), trouble)
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
        Effect.flatMap(OtlpAnswer.rejected),
        Effect.timeout(config.timeout),
        Effect.mapError(OtlpAnswer.notTaken)
      )

    const sendBatch = Effect.suspend(() => {
      const batch = waiting.splice(0, MOST_IN_A_BATCH)
      return post(batch).pipe(
        Effect.flatMap((said) => {
          // The receiver's word, and what is counted once stays.
          const rejected = Math.min(said, batch.length)
          if (rejected === 0) return succeeded
          lost.update(rejected)
          return failed({ reason: "PartialSuccess", rejectedSpans: rejected })
        }),
        Effect.tapError(({ reason, status, isPassing }) => {
          if (isPassing) putBack(batch)
          else lost.update(batch.length)
          return failed({ reason, status })
        }),
        Effect.onInterrupt(() => Effect.sync(() => putBack(batch)))
      )
    })
    /** What comes meanwhile waits for the next time, or busy times would be told in many small requests. */
    const sendWaiting = Effect.suspend(() => {
      let batches = Math.ceil(waiting.length / MOST_IN_A_BATCH)
      return Effect.whileLoop({
        while: () => batches-- > 0,
        body: () => sendBatch,
        step: () => undefined
      })
    }).pipe(Effect.withTracerEnabled(false))

    yield* Effect.addFinalizer(() =>
      sendWaiting.pipe(
        Effect.interruptible,
        Effect.ignore,
        Effect.timeoutOption(LAST_EXPORT_TIMEOUT),
        Effect.zipRight(
          Effect.suspend(() =>
            waiting.length === 0
              ? Effect.void
              : Effect.annotateLogs(Effect.logWarning("The last traces are lost"), { spans: waiting.length })
          )
        )
      )
    )

    let pause = GATHERING
    const afterTrouble = ({ retryAfter }: OtlpAnswer.NotTaken) =>
      Duration.clamp(
        Option.getOrElse(retryAfter, () => Duration.times(pause, 2)),
        { minimum: GATHERING, maximum: LONGEST_PAUSE }
      )
    const round = Effect.suspend(() => Effect.sleep(pause)).pipe(
      Effect.zipRight(Effect.match(sendWaiting, { onSuccess: () => GATHERING, onFailure: afterTrouble })),
      Effect.tap((next) =>
        Effect.sync(() => {
          pause = next
        })
      )
    )
    yield* Effect.forkScoped(Effect.forever(round))

    return (span: OtlpSpan.OtlpSpan): void => {
      if (waiting.length < MOST_WAITING) waiting.push(span)
      else lost.update(1)
    }
  })
