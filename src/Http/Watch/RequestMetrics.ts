import { Effect } from "effect"
import { Metrics } from "../../Layers/Telemetry/Metrics.ts"

/** Seconds: a check takes well under a millisecond, one that asks others up to the budget of two seconds. */
const BOUNDS = [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Notes the status and the time of an answer at a route, which must be one of a closed set: see `Metrics`. */
export const make = Effect.map(Metrics, ({ counter, histogram }) => {
  const seriesOf = (route: string) => ({
    seconds: histogram(
      "threat_scoring_http_request_duration_seconds",
      "Time from the whole head of a request to its answer",
      BOUNDS,
      { route }
    ),
    answers: new Map<number, ReturnType<typeof counter>>()
  })
  const routes = new Map<string, ReturnType<typeof seriesOf>>()
  return (route: string, status: number, seconds: number): void => {
    const series = routes.get(route) ?? seriesOf(route)
    routes.set(route, series)
    series.seconds.update(seconds)
    const answers =
      series.answers.get(status) ??
      counter("threat_scoring_http_requests_total", "Requests by the status of their answer", {
        route,
        status: String(status)
      })
    series.answers.set(status, answers)
    answers.update(1)
  }
})
