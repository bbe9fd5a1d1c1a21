import type { IncomingMessage } from "node:http"
import { Headers, HttpTraceContext } from "@effect/platform"
import { Effect, Option } from "effect"
import { Tracing } from "../../Layers/Telemetry/Tracing.ts"
import type { ResponseData } from "../Response.ts"

/** https://www.w3.org/TR/trace-context/#traceparent-header, which calls ids of zeros invalid. */
const parentOf = (traceparent: unknown) =>
  typeof traceparent === "string"
    ? Option.filter(
        HttpTraceContext.w3c(Headers.unsafeFromRecord({ traceparent: traceparent.toLowerCase() })),
        ({ traceId, spanId }) => /[^0]/.test(traceId) && /[^0]/.test(spanId)
      )
    : Option.none()

/**
 * Runs the response in a span if tracing is on, below the client's span if it sent a `traceparent`, and adds the trace id to
 * every log line of the request.
 */
export const make = Effect.map(
  Tracing,
  ({ isOn, span }) =>
    (
      { method = "", headers }: IncomingMessage,
      route: string,
      response: Effect.Effect<ResponseData>
    ): Effect.Effect<ResponseData> => {
      if (!isOn) return response
      const parent = parentOf(headers.traceparent)
      return Effect.flatMap(Effect.orDie(Effect.currentSpan), ({ traceId }) =>
        response.pipe(
          Effect.tap(({ status }) => Effect.annotateCurrentSpan("http.response.status_code", status)),
          Effect.annotateLogs("traceId", traceId)
        )
      ).pipe(
        span(`${method} ${route}`, {
          kind: "server",
          ...Option.match(parent, { onNone: () => ({ root: true }), onSome: (parent) => ({ parent }) }),
          attributes: { "http.request.method": method, "http.route": route }
        })
      )
    }
)
