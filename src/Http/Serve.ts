import { randomUUID } from "node:crypto"
import { Cause, Context, Effect, FiberRef, HashMap, Layer, LogLevel, Option } from "effect"
import { AppConfig, type AppConfigShape } from "../Layers/AppConfig.ts"
import { errorNameOf } from "../Layers/ErrorCode.ts"
import type { Exchange, HttpResponse } from "../Layers/Server.ts"
import * as Server from "../Layers/Server.ts"
import * as MonotonicTime from "../Layers/Time/MonotonicTime.ts"
import * as Slices from "../Layers/Time/Slices.ts"
import * as Check from "./Check.ts"
import * as Checks from "./Checks.ts"
import * as Health from "./Health.ts"
import * as MetricsRoute from "./MetricsRoute.ts"
import * as OpenApi from "./OpenApi.ts"
import * as Pages from "./Pages.ts"
import { mergedHeaders, refusal } from "./Response.ts"
import * as ResultTelemetry from "./ResultTelemetry.ts"
import type { RequestData, Route } from "./Route.ts"
import * as AccessLog from "./Serve/AccessLog.ts"
import * as Observation from "./Serve/Observation.ts"
import * as PostRequest from "./Serve/PostRequest.ts"

const byPath = (routes: ReadonlyArray<Route>): ReadonlyMap<string, Route> =>
  new Map(routes.map((route) => [route.path, route]))

/** All routes, by port and path. Without `ADMIN_PORT` the main port has all. */
const makeRoutes = Effect.fnUntraced(function* (slices: Slices.Slices) {
  const { adminPort } = yield* AppConfig
  const observe = yield* ResultTelemetry.make
  const routes: ReadonlyArray<Route> = [
    yield* Check.route(observe),
    yield* Checks.route(slices, observe),
    yield* OpenApi.route,
    ...(yield* Pages.routes),
    ...(yield* Health.routes),
    yield* MetricsRoute.route
  ]
  const forClients = routes.filter(({ audience }) => audience === "clients")
  const forOperators = routes.filter(({ audience }) => audience === "operators")
  return {
    main: byPath(Option.isSome(adminPort) ? forClients : routes),
    admin: byPath(forOperators),
    posts: routes.filter(({ method }) => method === "POST").map(({ path }) => path),
    /** On whichever port they are: pages of other origins must not read them. */
    operatorPaths: new Set(forOperators.map(({ path }) => path))
  }
})

/** The forms that proxies and tracers commonly send (UUID, hexadecimal, ULID, base64url). No character can end a log line. */
const WELL_FORMED = /^[\w.-]{1,128}$/

/**
 * The id of one request in the log and in the response: the value of `X-Request-Id` if it is well-formed, else a new UUID.
 * The client chooses it, so it must not be the key of anything.
 *
 * @example requestIdOf("8f1c-42") === "8f1c-42"
 */
export const requestIdOf = (header: string | ReadonlyArray<string> | undefined): string =>
  typeof header === "string" && WELL_FORMED.test(header) ? header : randomUUID()

const MILLIS_PER_SECOND = 1000

/** The route label in metrics of every path that serves nothing: clients may ask for any. */
const OTHER = "other"

const noQuery = new URLSearchParams()

/**
 * Path and query of a request target: `/a` and `b` of each of `"/a?b"`, `"/a?b#c"` and `"http://user@host/a?b"`. An empty path is
 * `/`: RFC 9110, 4.2.3.
 */
const targetOf = (target: string): { readonly path: string; readonly query: URLSearchParams } => {
  const withoutOrigin = target.replace(/^https?:\/\/[^/?#]*/i, "").replace(/#.*$/s, "")
  const queryAt = withoutOrigin.indexOf("?")
  const path = queryAt === -1 ? withoutOrigin : withoutOrigin.slice(0, queryAt)
  return {
    path: path === "" ? "/" : path,
    query: queryAt === -1 ? noQuery : new URLSearchParams(withoutOrigin.slice(queryAt + 1))
  }
}

const methodsOf = ({ method }: Route): string =>
  method === "GET" ? "GET, HEAD, OPTIONS" : `${method}, OPTIONS`

/** Compares entity tags as in RFC 9110, 13.1.2, weak ones too: proxies that compress make them weak. `*` is any tag. */
const hasTag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.trim() === "*" ||
  (ifNoneMatch ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)

const NOT_MODIFIED = 304

/** 304 if the client has this representation. */
const unlessModified = (response: HttpResponse, ifNoneMatch: string | undefined): HttpResponse => {
  const { etag } = response.headers
  if (etag === undefined || !hasTag(ifNoneMatch, etag)) return response
  const { "content-type": _type, "content-encoding": _encoding, ...headers } = response.headers
  return { status: NOT_MODIFIED, headers, body: "" }
}

/** Two hours, the longest that any browser caches a preflight. */
const PREFLIGHT_MAX_AGE_SECONDS = 7200

const exposed = {
  "access-control-expose-headers":
    "checker-status,list-override,retry-after,ratelimit,ratelimit-policy,x-request-id"
}

/** What a page of another origin may send. Tracers of browsers add the last three to every request. */
const ALLOWED_HEADERS = "content-type, traceparent, tracestate, b3"

/** The response to a preflight (https://fetch.spec.whatwg.org/#http-cors-protocol). */
const preflight: HttpResponse = {
  status: 204,
  headers: {
    "access-control-allow-methods": "GET, HEAD, POST",
    "access-control-allow-headers": ALLOWED_HEADERS,
    "access-control-max-age": String(PREFLIGHT_MAX_AGE_SECONDS)
  },
  body: ""
}

/** The response to `OPTIONS` for paths that pages of other origins may not read. */
const options: HttpResponse = { status: 204, headers: { allow: "GET, HEAD, OPTIONS" }, body: "" }

/**
 * The headers that let a page of another origin read a response, by the `Origin` of the request. `Vary: Origin` is always
 * sent, unless all origins are allowed: else a shared cache would serve the response for one origin to another.
 */
const crossOriginHeadersBy = (
  corsOrigins: AppConfigShape["corsOrigins"]
): ((origin: string | undefined) => HttpResponse["headers"]) => {
  if (corsOrigins === "*") {
    const everyOrigin = { "access-control-allow-origin": "*", ...exposed }
    return () => everyOrigin
  }
  const allowed = new Set(corsOrigins)
  const others = { vary: "Origin", ...exposed }
  return (origin) =>
    origin !== undefined && allowed.has(origin)
      ? { "access-control-allow-origin": origin, ...others }
      : others
}

/** Adds the headers that every response has. */
const complete = (
  response: HttpResponse,
  crossOrigin: HttpResponse["headers"] | undefined,
  id: string
): HttpResponse => {
  const { vary } = response.headers
  const headers = mergedHeaders(response.headers, crossOrigin)
  // Browsers must not guess a type from the body.
  headers["x-content-type-options"] = "nosniff"
  headers["x-request-id"] = id
  if (vary !== undefined && crossOrigin?.vary !== undefined) headers.vary = `${vary}, ${crossOrigin.vary}`
  // No body has a length of its own: 204 and 304.
  if (headers["content-type"] !== undefined)
    headers["content-length"] = String(Buffer.byteLength(response.body))
  return { ...response, headers }
}

/** Turns a defect, or an interruption that the handler caused itself, into 500, and logs it. */
const catchDefects = (response: Effect.Effect<HttpResponse>): Effect.Effect<HttpResponse> =>
  Effect.catchAllCause(response, (cause) =>
    Effect.as(
      Effect.logError("A request failed", cause),
      refusal("Defect", errorNameOf(Cause.squash(cause))).response
    )
  )

/** Whether other machines can connect to every address of this one. */
const isEverywhere = (host: Option.Option<string>): boolean =>
  Option.match(host, { onNone: () => true, onSome: (name) => name === "0.0.0.0" || name === "::" })

/** The address of a port for people on this machine: `localhost` unless HOST names one of its addresses. */
const addressOf = (host: Option.Option<string>, port: number): string => {
  const name = Option.getOrElse(host, () => "localhost")
  if (isEverywhere(host)) return `http://localhost:${port}`
  return name.includes(":") ? `http://[${name}]:${port}` : `http://${name}:${port}`
}

/** Says where the page, the API documentation and health are. */
const logListening = (host: Option.Option<string>, { adminPort, port }: Server.Ports) => {
  const where = isEverywhere(host) ? "all interfaces; " : ""
  const main = `Listening on ${addressOf(host, port)} (${where}page /, API docs /docs`
  return Option.match(adminPort, {
    onNone: () => Effect.logInfo(`${main}, health ${Health.READY})`, { port }),
    onSome: (adminPort) =>
      Effect.logInfo(`${main}) and on ${addressOf(host, adminPort)} (health ${Health.READY})`, {
        port,
        adminPort
      })
  })
}

/** The service is listening. */
export class Listening extends Context.Tag("app/Http/Serve/Listening")<Listening, Server.Ports>() {}

/**
 * Serves all routes, each request by the same steps: id, shutdown, overload, rate limit, body, handler, log line, headers, metrics
 * and, if tracing is on, a span. The status of a request whose client closed the connection is 499.
 */
export const layer = Layer.scoped(
  Listening,
  Effect.gen(function* () {
    const { corsOrigins, host } = yield* AppConfig
    const clock = yield* Effect.clock
    const slices = yield* Slices.make
    const routes = yield* makeRoutes(slices)
    const respondToPost = yield* PostRequest.make(slices)
    const crossOriginHeaders = crossOriginHeadersBy(corsOrigins)
    const log = yield* AccessLog.make
    const measure = yield* Observation.measure(routes.posts)
    const traced = yield* Observation.traced

    const responseTo = (
      route: Route | undefined,
      exchange: Exchange,
      request: RequestData,
      isCrossOrigin: boolean
    ): Effect.Effect<HttpResponse> => {
      const { method } = exchange.request
      if (exchange.isClosing) return Effect.succeed(refusal("Unavailable").response)
      if (method === "OPTIONS") return Effect.succeed(isCrossOrigin ? preflight : options)
      if (route === undefined) return Effect.succeed(refusal("NotFound").response)
      if (route.method === "POST" && method === "POST") return respondToPost(route, exchange, request)
      if (route.method === "GET" && (method === "GET" || method === "HEAD"))
        return Effect.map(route.handle(request), (response) =>
          unlessModified(response, request.headers["if-none-match"])
        )
      return Effect.succeed(refusal("MethodNotAllowed", methodsOf(route)).response)
    }

    /** `byPath` is what the port serves. */
    const handler =
      (byPath: ReadonlyMap<string, Route>, mayBeCrossOrigin: boolean): Server.Handler =>
      (exchange) =>
        Effect.withFiberRuntime((fiber) => {
          const { headers, method, url = "" } = exchange.request
          const start = clock.unsafeCurrentTimeNanos()
          const id = requestIdOf(headers["x-request-id"])
          const { path, query } = targetOf(url)
          const route = byPath.get(path)
          const label = route?.path ?? OTHER
          const isCrossOrigin = mayBeCrossOrigin && !routes.operatorPaths.has(path)
          // Probes, scrapers and the files of a page: at level info their lines would bury the others.
          const isMinor =
            route?.audience === "operators" || (route?.method === "GET" && route.isAsset === true)
          const level = isMinor ? LogLevel.Debug : LogLevel.Info
          let status = AccessLog.CLIENT_CLOSED_REQUEST
          let secondsToResponse: number | undefined
          const seconds = () => MonotonicTime.seconds(start, clock.unsafeCurrentTimeNanos())
          // An observer of the fiber also sees an interruption.
          fiber.addObserver(() => measure(label, status, secondsToResponse ?? seconds()))
          const response = catchDefects(
            Effect.suspend(() => responseTo(route, exchange, { headers, query }, isCrossOrigin))
          )
          // A check that is refused before it is counted gets 503, which has no line either.
          const isCounted = route?.method === "POST" && method === "POST"
          const logged = log({ level, isCounted }, response, () => {
            const milliseconds = Math.round(seconds() * MILLIS_PER_SECOND)
            return { method, path, milliseconds }
          })
          return Effect.zipRight(
            FiberRef.update(FiberRef.currentLogAnnotations, HashMap.set<string, unknown>("requestId", id)),
            // Again, for defects of the log and the tracer.
            Effect.map(catchDefects(traced(exchange.request, label, logged)), (response) => {
              status = response.status
              // The fiber may go on to wait until the client has read it.
              secondsToResponse = seconds()
              return complete(response, isCrossOrigin ? crossOriginHeaders(headers.origin) : undefined, id)
            })
          )
        })

    const ports = yield* Server.serve({
      main: handler(routes.main, true),
      admin: handler(routes.admin, false)
    })
    yield* logListening(host, ports)
    return ports
  })
)
