import { Effect } from "effect"
import { Metrics } from "../../Layers/Telemetry/Metrics.ts"

/** Seconds: a check in memory takes less than a millisecond, one with remote calls up to the budget of two seconds. */
const BOUNDS = [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Counts responses by route and status, and measures their time. Routes must be of a closed set: see `Metrics`. */
export const make = Effect.map(Metrics, ({ counter, histogram }) => {
  const seriesOf = (route: string) => ({
    seconds: histogram(
      "threat_scoring_http_request_duration_seconds",
      "Time from the complete head of a request to its response",
      BOUNDS,
      { route }
    ),
    byStatus: new Map<number, ReturnType<typeof counter>>()
  })
  const routes = new Map<string, ReturnType<typeof seriesOf>>()
  return (route: string, status: number, seconds: number): void => {
    const series = routes.get(route) ?? seriesOf(route)
    routes.set(route, series)
    series.seconds.update(seconds)
    const responses =
      series.byStatus.get(status) ??
      counter("threat_scoring_http_requests_total", "Requests by the status of their response", {
        route,
        status: String(status)
      })
    series.byStatus.set(status, responses)
    responses.update(1)
  }
})
