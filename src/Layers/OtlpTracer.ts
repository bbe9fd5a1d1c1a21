import { randomBytes } from "node:crypto"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { Duration, Effect, type Exit, Option, Redacted, Tracer } from "effect"
import * as OtlpSpan from "./OtlpSpan.ts"
import * as Program from "./Program.ts"
import type { TracingConfig } from "./TracingConfig.ts"

const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8

/** How long spans wait, at most, for others to be sent with. */
const GATHERING = Duration.seconds(1)

/** How many are sent at once: about half a megabyte. */
const MOST_IN_A_BATCH = 1024

/** How many wait while the receiver is slow or away; those that come then are lost, or memory would be. */
const MOST_WAITING = 8192

/** OpenTelemetry's own for one export. */
const EXPORT_TIMEOUT = Duration.seconds(10)

/** What the end of the process waits for its last spans. */
const LAST_EXPORT_TIMEOUT = Duration.seconds(2)

const RATIO_DIGITS = 8

/** The same traces at every service with the same ratio: the end of a trace id is random. */
const isWithin = (ratio: number, traceId: string): boolean =>
  Number.parseInt(traceId.slice(-RATIO_DIGITS), 16) < ratio * 16 ** RATIO_DIGITS

/** A remote parent's decision counts if the sampler is parent-based; one of this process always. */
const isSampled = ({ sampler }: TracingConfig, traceId: string, parent: Option.Option<Tracer.AnySpan>) =>
  Option.isSome(parent) && (parent.value._tag === "Span" || sampler.isParentBased)
    ? parent.value.sampled
    : isWithin(sampler.ratio, traceId)

const tracer = (config: TracingConfig, send: (span: OtlpSpan.OtlpSpan) => void) =>
  Tracer.make({
    context: (run) => run(),
    span: (name, parent, context, links, startTime, kind) => {
      const traceId = Option.match(parent, {
        onNone: () => randomBytes(TRACE_ID_BYTES).toString("hex"),
        onSome: (parent) => parent.traceId
      })
      const attributes = new Map<string, unknown>()
      let status: Tracer.SpanStatus = { _tag: "Started", startTime }
      const span: Tracer.Span = {
        _tag: "Span",
        name,
        traceId,
        spanId: randomBytes(SPAN_ID_BYTES).toString("hex"),
        parent,
        context,
        get status() {
          return status
        },
        attributes,
        links,
        sampled: isSampled(config, traceId, parent),
        kind,
        end: (endTime: bigint, exit: Exit.Exit<unknown, unknown>) => {
          status = { _tag: "Ended", startTime, endTime, exit }
          if (span.sampled) send(OtlpSpan.encode(span, startTime, endTime, exit))
        },
        attribute: (key, value) => void attributes.set(key, value),
        // Nobody of us makes either.
        event: () => undefined,
        addLinks: () => undefined
      }
      return span
    }
  })

/**
 * A tracer that sends spans to an OTLP receiver, as JSON over HTTP, in the background of the scope. Nothing waits for it;
 * what cannot be sent is lost and said once.
 *
 * Not `@effect/opentelemetry`, whose Effect-only exporter has no sampler, tells messages and stacks of errors, and keeps any
 * number of spans for a receiver that does not answer; it also wants eight packages of OpenTelemetry's SDK beside it. What
 * is Effect's stays Effect's: spans, their context and `traceparent`.
 */
export const make = (config: TracingConfig) =>
  Effect.gen(function* () {
    const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
    const resource = {
      attributes: [
        ["service.name", config.serviceName],
        ["service.version", Program.version],
        ...config.resourceAttributes
      ].map(([key = "", value]) => OtlpSpan.attribute(key, value))
    }
    let isFailing = false

    const post = (spans: ReadonlyArray<OtlpSpan.OtlpSpan>) =>
      HttpClientRequest.post(config.url, { headers: Redacted.value(config.headers) }).pipe(
        HttpClientRequest.setHeader("user-agent", Program.nameAndVersion),
        HttpClientRequest.bodyUnsafeJson({
          resourceSpans: [{ resource, scopeSpans: [{ scope: { name: Program.name }, spans }] }]
        }),
        client.execute,
        Effect.flatMap((response) => response.arrayBuffer),
        Effect.timeout(EXPORT_TIMEOUT),
        Effect.matchEffect({
          onSuccess: () =>
            Effect.sync(() => {
              isFailing = false
            }),
          // Nothing else of the error: it holds the request, and the request holds the headers.
          onFailure: (error) => {
            const wasFailing = isFailing
            isFailing = true
            return wasFailing
              ? Effect.void
              : Effect.annotateLogs(Effect.logWarning("Traces could not be sent"), {
                  reason: "reason" in error ? error.reason : error._tag
                })
          }
        })
      )

    let waiting: Array<OtlpSpan.OtlpSpan> = []
    /** What an end of the process cuts off is sent once more, by the last of these. */
    const sendWaiting = Effect.whileLoop({
      while: () => waiting.length > 0,
      body: () => {
        const batch = waiting.splice(0, MOST_IN_A_BATCH)
        return Effect.onInterrupt(post(batch), () =>
          Effect.sync(() => {
            waiting = [...batch, ...waiting]
          })
        )
      },
      step: () => undefined
    }).pipe(Effect.withTracerEnabled(false))
    yield* Effect.addFinalizer(() =>
      sendWaiting.pipe(Effect.interruptible, Effect.timeoutOption(LAST_EXPORT_TIMEOUT))
    )
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.sleep(GATHERING), sendWaiting)))
    return tracer(config, (span) => {
      if (waiting.length < MOST_WAITING) waiting.push(span)
    })
  }).pipe(Effect.provide(FetchHttpClient.layer))
