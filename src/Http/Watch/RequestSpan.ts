import { Headers, HttpTraceContext } from "@effect/platform"
import { Effect, Option } from "effect"
import { Tracing } from "../../Layers/Telemetry/Tracing.ts"
import type { Answered, Asked } from "./AccessLog.ts"

/** https://www.w3.org/TR/trace-context/#traceparent-header; it calls ids of zeros invalid. */
const parentOf = (traceparent: unknown) =>
  typeof traceparent === "string"
    ? Option.filter(
        HttpTraceContext.w3c(Headers.unsafeFromRecord({ traceparent: traceparent.toLowerCase() })),
        ({ traceId, spanId }) => /[^0]/.test(traceId) && /[^0]/.test(spanId)
      )
    : Option.none()

/**
 * Makes a span of a request at a route when traces are wanted, below the caller's if it sent a `traceparent`, and puts the
 * trace into each line that is logged meanwhile.
 */
export const make = Effect.map(
  Tracing,
  ({ isOn, span }) =>
    <A extends Answered, E, R>(
      { method = "", headers }: Asked,
      route: string,
      app: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E, R> => {
      if (!isOn) return app
      const parent = parentOf(headers.traceparent)
      return Effect.flatMap(Effect.orDie(Effect.currentSpan), ({ traceId }) =>
        app.pipe(
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
