import { Context, Effect, FiberRef, HashMap, Layer, LogLevel, Option } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import { requestIdOf } from "../Layers/Server/RequestId.ts"
import type { HttpResponse, ResponseHead } from "../Layers/Server.ts"
import * as Server from "../Layers/Server.ts"
import { jsonOnly } from "../Layers/Telemetry/LogLine.ts"
import * as MonotonicTime from "../Layers/Time/MonotonicTime.ts"
import * as Health from "./Health.ts"
import * as Pages from "./Pages.ts"
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

const preflight = Effect.succeed<HttpResponse>({ status: 204, headers: CrossOrigin.preflight, body: "" })

/** The response to `OPTIONS` for paths that pages of other origins may not read. */
const options = Effect.succeed<HttpResponse>({
  status: 204,
  headers: { allow: "GET, HEAD, OPTIONS" },
  body: ""
})

const optionsResponse = (crossOrigin: CrossOrigin.Headers | undefined): Effect.Effect<HttpResponse> =>
  crossOrigin === undefined ? options : preflight

/** Returns the headers for the path and the `Origin` of a request; undefined: no page of another origin may read the response. */
type CrossOriginHeaders = (path: string, origin: string | undefined) => CrossOrigin.Headers | undefined

/** Adds the headers that every response has. */
const complete = <Head extends ResponseHead>(
  response: Head,
  crossOrigin: CrossOrigin.Headers | undefined,
  id: string
): Head => {
  const headers = { ...response.headers, ...crossOrigin, ...Server.commonHeaders, "x-request-id": id }
  const { vary } = response.headers
  return vary === undefined || crossOrigin?.vary === undefined
    ? { ...response, headers }
    : { ...response, headers: { ...headers, vary: `${vary}, ${crossOrigin.vary}` } }
}

/** The address of a port for people on this machine: `localhost` unless HOST names one of its addresses. */
const addressOf = (host: Option.Option<string>, port: number): string => {
  const name = Option.getOrElse(host, () => "localhost")
  if (name === "0.0.0.0" || name === "::") return `http://localhost:${port}`
  return name.includes(":") ? `http://[${name}]:${port}` : `http://${name}:${port}`
}

/** Says where the page, the API documentation and health are. */
const logListening = (host: Option.Option<string>, { adminPort, port }: Server.Ports) => {
  const main = `Listening on ${addressOf(host, port)} (page /, API docs /docs`
  return Option.match(adminPort, {
    onNone: () => Effect.logInfo(`${main}, health ${Health.READY})`, jsonOnly({ port })),
    onSome: (adminPort) =>
      Effect.logInfo(
        `${main}) and on ${addressOf(host, adminPort)} (state ${Pages.STATE}, health ${Health.READY})`,
        jsonOnly({ port, adminPort })
      )
  })
}

/** The service is listening. */
export class Listening extends Context.Tag("app/Http/Serve/Listening")<Listening, Server.Ports>() {}

/**
 * Serves all routes. Adds to every response: an id, which is in the log too, cross-origin headers (not for
 * `Routes.operatorPaths`), a 500 for a defect, a log line, metrics and, if tracing is on, a span. The status of a request
 * whose client closed the connection is 499.
 */
export const layer = Layer.scoped(
  Listening,
  Effect.gen(function* () {
    const { corsOrigins, host } = yield* AppConfig
    const routes = yield* Routes.make
    const headersByOrigin = CrossOrigin.headersByOrigin(corsOrigins)
    const countRefusal = yield* RefusalLog.make
    const measure = yield* RequestMetrics.make
    const traced = yield* RequestSpan.make

    const observed =
      ({ handle, paths }: Routes.RouteTable, crossOriginHeaders: CrossOriginHeaders): Server.Handler =>
      (request, stream) =>
        Effect.clockWith((clock) =>
          Effect.withFiberRuntime((fiber) => {
            const start = clock.unsafeCurrentTimeNanos()
            const id = requestIdOf(request.headers["x-request-id"])
            const path = pathOf(request.url ?? "")
            const route = paths.has(path) ? path : OTHER
            const crossOrigin = crossOriginHeaders(path, request.headers.origin)
            // Probes and scrapers send these every few seconds: at level info their lines would bury the others.
            const level = Routes.operatorPaths.has(route) ? LogLevel.Debug : LogLevel.Info
            let status = CLIENT_CLOSED_REQUEST
            // An observer of the fiber also sees an interruption.
            fiber.addObserver(() =>
              measure(route, status, MonotonicTime.seconds(start, clock.unsafeCurrentTimeNanos()))
            )
            const response =
              request.method === "OPTIONS"
                ? optionsResponse(crossOrigin)
                : catchDefects(
                    Effect.suspend(() =>
                      handle(request, (head, body) => stream(complete(head, crossOrigin, id), body))
                    )
                  )
            return Effect.zipRight(
              FiberRef.update(FiberRef.currentLogAnnotations, HashMap.set<string, unknown>("requestId", id)),
              Effect.map(
                // Again, for defects of the log and the tracer.
                catchDefects(traced(request, route, accessLog(request, level, response, countRefusal))),
                (response) => {
                  status = response.status
                  return complete(response, crossOrigin, id)
                }
              )
            )
          })
        )

    const onDefect = serverError(undefined)
    const ports = yield* Server.serve(
      {
        main: observed(routes.main, (path, origin) =>
          Routes.operatorPaths.has(path) ? undefined : headersByOrigin(origin)
        ),
        admin: observed(routes.admin, () => undefined)
      },
      { ...onDefect, headers: { ...onDefect.headers, ...Server.commonHeaders } }
    )
    yield* logListening(host, ports)
    return ports
  })
)
