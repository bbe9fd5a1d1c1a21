import { Cause, Effect, Exit, Option, Tracer } from "effect"
import type { TracingConfig } from "../AppConfig/TracingConfig.ts"
import { errorNameOf } from "../ErrorCode.ts"

/** https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const

const ERROR = 2

/**
 * The attributes that are exported. Those that Effect or a library adds contain addresses, headers and stacks, and so what
 * callers submitted.
 */
const exportedAttributes: ReadonlySet<string> = new Set([
  "http.request.method",
  "http.route",
  "http.response.status_code",
  "server.address",
  "checker",
  "checker.outcome",
  "source"
])

/** An attribute in the JSON form of OTLP. */
export const attribute = (key: string, value: unknown) => ({
  key,
  value:
    typeof value === "number"
      ? { intValue: value }
      : typeof value === "boolean"
        ? { boolValue: value }
        : { stringValue: String(value) }
})

/** https://opentelemetry.io/docs/specs/semconv/http/http-spans/#status */
const MIN_SERVER_ERROR = 500

const outcomeOf = ({ kind, attributes }: Tracer.Span, exit: Exit.Exit<unknown, unknown>) => {
  if (Exit.isSuccess(exit)) {
    const statusCode = Number(attributes.get("http.response.status_code"))
    return kind === "server" && statusCode >= MIN_SERVER_ERROR
      ? { attributes: [attribute("error.type", String(statusCode))], status: { code: ERROR } }
      : { attributes: [], status: {} }
  }
  if (Cause.isInterruptedOnly(exit.cause)) return { attributes: [attribute("interrupted", true)], status: {} }
  return {
    attributes: [attribute("error.type", errorNameOf(Cause.squash(exit.cause)) ?? "Unknown")],
    status: { code: ERROR }
  }
}

/** An ended span in the JSON form of OTLP. */
const encode = (span: Tracer.Span, startTime: bigint, endTime: bigint, exit: Exit.Exit<unknown, unknown>) => {
  const { attributes, status } = outcomeOf(span, exit)
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...Option.match(span.parent, { onNone: () => ({}), onSome: ({ spanId }) => ({ parentSpanId: spanId }) }),
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: String(startTime),
    endTimeUnixNano: String(endTime),
    attributes: [
      ...Array.from(span.attributes)
        .filter(([key]) => exportedAttributes.has(key))
        .map(([key, value]) => attribute(key, value)),
      ...attributes
    ],
    status
  }
}

export type OtlpSpan = ReturnType<typeof encode>

const RATIO_DIGITS = 8

/** Decides by the end of the trace id, which is random, so that services with the same ratio sample the same traces. */
const isWithin = (ratio: number, traceId: string): boolean =>
  Number.parseInt(traceId.slice(-RATIO_DIGITS), 16) < ratio * 16 ** RATIO_DIGITS

/** A parent span of this process decides; a remote one only if the sampler is parent-based. */
const isSampled = ({ sampler }: TracingConfig, traceId: string, parent: Option.Option<Tracer.AnySpan>) =>
  Option.isSome(parent) && (parent.value._tag === "Span" || sampler.isParentBased)
    ? parent.value.sampled
    : isWithin(sampler.ratio, traceId)

/**
 * A tracer that makes Effect's own spans, and passes each sampled one to `send` when it ends.
 *
 * `@effect/opentelemetry` (0.64) does not fit. Its `OtlpTracer` samples all spans, sends all attributes, and messages and stacks
 * of errors; its exporter is not public, has no timeout and no bound on the queue, drops spans uncounted for
 * a minute after an error, and needs an `HttpClient`. Its peers are eight packages of OpenTelemetry's SDK.
 */
export const make = (config: TracingConfig, send: (span: OtlpSpan) => void): Effect.Effect<Tracer.Tracer> =>
  Effect.map(Effect.tracer, (tracer) =>
    Tracer.make({
      context: (run) => run(),
      span: (name, parent, context, links, startTime, kind) => {
        const span = tracer.span(name, parent, context, links, startTime, kind)
        const end = span.end.bind(span)
        return Object.assign(span, {
          sampled: isSampled(config, span.traceId, parent),
          end: (endTime: bigint, exit: Exit.Exit<unknown, unknown>) => {
            end(endTime, exit)
            if (span.sampled) send(encode(span, startTime, endTime, exit))
          }
        })
      }
    })
  )
