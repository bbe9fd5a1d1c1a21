import { Effect, FiberRef, HashMap, LogLevel } from "effect"
import * as MonotonicTime from "../Layers/MonotonicTime.ts"
import { pathOf, paths } from "./ErrorBodies.ts"
import * as MetricsRoute from "./MetricsRoute.ts"
import { type Answered, type Asked, accessLog, CLIENT_CLOSED_REQUEST } from "./Watch/AccessLog.ts"
import * as RequestMetrics from "./Watch/RequestMetrics.ts"
import * as RequestSpan from "./Watch/RequestSpan.ts"

/** What a path that nothing is served at is called in metrics: strangers ask for any. */
const OTHER = "other"

/** What machines ask every few seconds, whose lines would bury the others. */
const PROBES: ReadonlySet<string> = new Set(["/health/live", "/health/ready", MetricsRoute.PATH])

const routeOf = (target: string): string => {
  if (paths.has(target)) return target
  const path = pathOf(target)
  return paths.has(path) ? path : OTHER
}

/**
 * Watches requests, each in a fiber of its own: its id is in every line that is logged meanwhile, its status and time are
 * counted, it gets its line in the log and, when traces are wanted, its span. The status of a request that nobody waited for
 * is 499.
 */
export const make = Effect.zipWith(
  RequestMetrics.make,
  RequestSpan.make,
  (measure, traced) =>
    <A extends Answered, E, R>(request: Asked, id: string, app: Effect.Effect<A, E, R>) =>
      Effect.clockWith((clock) =>
        Effect.withFiberRuntime<A, E, R>((fiber) => {
          const start = clock.unsafeCurrentTimeNanos()
          const route = routeOf(request.url ?? "")
          let status = CLIENT_CLOSED_REQUEST
          // An observer of the fiber, not of the effect: it is told of an interruption too.
          fiber.addObserver(() =>
            measure(route, status, MonotonicTime.seconds(start, clock.unsafeCurrentTimeNanos()))
          )
          const answered = Effect.map(app, (answer) => {
            status = answer.status
            return answer
          })
          return Effect.zipRight(
            FiberRef.update(FiberRef.currentLogAnnotations, HashMap.set<string, unknown>("requestId", id)),
            traced(
              request,
              route,
              accessLog(request, PROBES.has(route) ? LogLevel.Debug : LogLevel.Info, answered)
            )
          )
        })
      )
)
