import type { IncomingMessage } from "node:http"
import { Headers, HttpTraceContext } from "@effect/platform"
import { Effect, Option } from "effect"
import type { HttpResponse } from "../../Layers/Server.ts"
import { Metrics } from "../../Layers/Telemetry/Metrics.ts"
import { Tracing } from "../../Layers/Tracing.ts"

/** Seconds: a check in memory takes less than a millisecond, one with remote calls up to the budget of two seconds. */
const BOUNDS = [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Of refusals by the rate limit and for overload. */
const REFUSED = [429, 503]

/**
 * Counts responses by route and status, and measures their time. Routes must be of a closed set: see `Metrics`. The refusals of the
 * routes given here are counted from 0: `increase` of Prometheus does not see a series begin with 1.
 */
export const measure = (refusing: ReadonlyArray<string>) =>
  Effect.map(Metrics, ({ counter, histogram }) => {
    const responsesOf = (route: string, status: number) =>
      counter(
        "threat_scoring_http_requests_total",
        "Requests by the status of their response. 499: the client closed the connection first, or its body was too slow. 503: overload or shutdown. Unknown paths have the route other. Not counted: headers that are malformed, too slow or too large",
        { route, status: String(status) }
      )
    const seriesOf = (route: string, statuses: ReadonlyArray<number>) => ({
      seconds: histogram(
        "threat_scoring_http_request_duration_seconds",
        "Time from the end of the request headers until the response is made: without the time in which the client reads it",
        BOUNDS,
        { route }
      ),
      byStatus: new Map(statuses.map((status) => [status, responsesOf(route, status)]))
    })
    const routes = new Map(refusing.map((route) => [route, seriesOf(route, REFUSED)]))
    return (route: string, status: number, seconds: number): void => {
      const series = routes.get(route) ?? seriesOf(route, [])
      routes.set(route, series)
      series.seconds.update(seconds)
      const responses = series.byStatus.get(status) ?? responsesOf(route, status)
      series.byStatus.set(status, responses)
      responses.update(1)
    }
  })

/** https://www.w3.org/TR/trace-context/#traceparent-header, which calls ids of zeros invalid. */
const parentOf = (traceparent: unknown) =>
  Option.filter(
    HttpTraceContext.w3c(Headers.unsafeFromRecord({ traceparent: String(traceparent).toLowerCase() })),
    ({ traceId, spanId }) => /[^0]/.test(traceId) && /[^0]/.test(spanId)
  )

/**
 * Runs the response in a span if tracing is on, below the client's span if it sent a `traceparent`, and adds the trace id to
 * every log line of the request.
 */
export const traced = Effect.map(
  Tracing,
  ({ isOn, span }) =>
    (
      { method = "", headers }: IncomingMessage,
      route: string,
      response: Effect.Effect<HttpResponse>
    ): Effect.Effect<HttpResponse> => {
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
