import type { IncomingMessage } from "node:http"
import { Context, Effect, FiberRef, HashMap, Layer, LogLevel } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import * as MonotonicTime from "../Layers/MonotonicTime.ts"
import { requestIdOf } from "../Layers/Server/RequestId.ts"
import type { HttpResponse } from "../Layers/Server.ts"
import * as Server from "../Layers/Server.ts"
import * as MetricsRoute from "./MetricsRoute.ts"
import { pathOf } from "./Route.ts"
import * as Routes from "./Routes.ts"
import { accessLog, CLIENT_CLOSED_REQUEST } from "./Serve/AccessLog.ts"
import * as CrossOrigin from "./Serve/CrossOrigin.ts"
import * as RefusalLog from "./Serve/RefusalLog.ts"
import * as RequestMetrics from "./Serve/RequestMetrics.ts"
import * as RequestSpan from "./Serve/RequestSpan.ts"
import { catchDefects, serverError } from "./Serve/ServerError.ts"

/** The route label in metrics of every path that serves nothing: clients may ask for any. */
const OTHER = "other"

/** Paths that machines request every few seconds: at level info their lines would bury the others. */
const PROBES: ReadonlySet<string> = new Set(["/health/live", "/health/ready", MetricsRoute.PATH])

const preflight = Effect.succeed<HttpResponse>({ status: 204, headers: CrossOrigin.preflight, body: "" })

/** The service is listening. */
export class Listening extends Context.Tag("app/Http/Serve/Listening")<
  Listening,
  { readonly port: number }
>() {}

/**
 * Serves all routes. Adds to every response: an id, which is in the log too, cross-origin headers,
 * a 500 for a defect, a log line, metrics and, if tracing is on, a span. The status of a request whose client closed the
 * connection is 499.
 */
export const layer = Layer.scoped(
  Listening,
  Effect.gen(function* () {
    const { corsOrigins } = yield* AppConfig
    const { handle, paths } = yield* Routes.make
    const crossOrigin = CrossOrigin.headersByOrigin(corsOrigins)
    const countRefusal = yield* RefusalLog.make
    const measure = yield* RequestMetrics.make
    const traced = yield* RequestSpan.make

    const respond = (request: IncomingMessage): Effect.Effect<HttpResponse> =>
      request.method === "OPTIONS" ? preflight : catchDefects(Effect.suspend(() => handle(request)))

    const observed = (request: IncomingMessage): Effect.Effect<HttpResponse> =>
      Effect.clockWith((clock) =>
        Effect.withFiberRuntime((fiber) => {
          const start = clock.unsafeCurrentTimeNanos()
          const id = requestIdOf(request.headers["x-request-id"])
          const path = pathOf(request.url ?? "")
          const route = paths.has(path) ? path : OTHER
          const level = PROBES.has(route) ? LogLevel.Debug : LogLevel.Info
          let status = CLIENT_CLOSED_REQUEST
          // An observer of the fiber also sees an interruption.
          fiber.addObserver(() =>
            measure(route, status, MonotonicTime.seconds(start, clock.unsafeCurrentTimeNanos()))
          )
          return Effect.zipRight(
            FiberRef.update(FiberRef.currentLogAnnotations, HashMap.set<string, unknown>("requestId", id)),
            Effect.map(
              // Again, for defects of the log and the tracer.
              catchDefects(traced(request, route, accessLog(request, level, respond(request), countRefusal))),
              (response) => {
                status = response.status
                const headers = { ...crossOrigin(request.headers.origin), "x-request-id": id }
                return { ...response, headers: { ...response.headers, ...headers } }
              }
            )
          )
        })
      )

    return { port: yield* Server.serve(observed, serverError(undefined)) }
  })
)
