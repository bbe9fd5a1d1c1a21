import { randomBytes } from "node:crypto"
import { Effect, type Exit, Option, Tracer } from "effect"
import type { TracingConfig } from "../AppConfig/TracingConfig.ts"
import * as OtlpExporter from "./OtlpExporter.ts"
import * as OtlpSpan from "./OtlpSpan.ts"

const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8

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
 * A tracer whose spans go to an OTLP receiver, in the background of the scope.
 *
 * Not `@effect/opentelemetry`, whose Effect-only exporter has no sampler, tells messages and stacks of errors, and keeps any
 * number of spans for a receiver that does not answer; npm also wants eight packages of OpenTelemetry's SDK beside it. What
 * is Effect's stays Effect's: spans, their context and `traceparent`.
 */
export const make = (config: TracingConfig) =>
  Effect.map(OtlpExporter.make(config), (send) => tracer(config, send))
