import { Cause, Exit, Option, type Tracer } from "effect"
import { errorNameOf } from "../ErrorName.ts"

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
export const encode = (
  span: Tracer.Span,
  startTime: bigint,
  endTime: bigint,
  exit: Exit.Exit<unknown, unknown>
) => {
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
