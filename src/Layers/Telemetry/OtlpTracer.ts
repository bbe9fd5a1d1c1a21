import { randomBytes } from "node:crypto"
import { Effect, type Exit, Option, Tracer } from "effect"
import type { TracingConfig } from "../AppConfig/TracingConfig.ts"
import * as OtlpExporter from "./OtlpExporter.ts"
import * as OtlpSpan from "./OtlpSpan.ts"

const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8

const RATIO_DIGITS = 8

/** Decides by the end of the trace id, which is random, so that services with the same ratio sample the same traces. */
const isWithin = (ratio: number, traceId: string): boolean =>
  Number.parseInt(traceId.slice(-RATIO_DIGITS), 16) < ratio * 16 ** RATIO_DIGITS

/** A parent span of this process decides; a remote one only if the sampler is parent-based. */
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
        // This service makes neither events nor links.
        event: () => undefined,
        addLinks: () => undefined
      }
      return span
    }
  })

/**
 * A tracer whose spans are sent to an OTLP receiver, by a background fiber of the scope.
 *
 * `@effect/opentelemetry` does not fit: its Effect-only exporter has no sampler, sends messages and stacks of errors and has
 * no bound on the queue; its peers are eight packages of OpenTelemetry's SDK. Spans, their context and `traceparent` are
 * Effect's.
 */
export const make = (config: TracingConfig) =>
  Effect.map(OtlpExporter.make(config), (send) => tracer(config, send))
