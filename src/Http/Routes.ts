import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import type { HttpResponse } from "../Layers/Server.ts"
import type { MethodNotAllowed, NotFound } from "./Api.ts"
import * as Check from "./Check.ts"
import * as Health from "./Health.ts"
import { json } from "./JsonResponse.ts"
import * as MetricsRoute from "./MetricsRoute.ts"
import * as OpenApi from "./OpenApi.ts"
import * as Pages from "./Pages.ts"
import { pathOf, type Route } from "./Route.ts"

const notFound = json(404, { error: "Not found" } satisfies typeof NotFound.Encoded)

const methodNotAllowed = ({ method }: Route) =>
  json(405, { error: "Method not allowed" } satisfies typeof MethodNotAllowed.Encoded, {
    allow: method === "GET" ? "GET, HEAD, OPTIONS" : `${method}, OPTIONS`
  })

const accepts = (route: Route, method: string | undefined): boolean =>
  method === route.method || (method === "HEAD" && route.method === "GET")

/** All that is served. `paths` are a closed set, so they can name metrics. */
export const make = Effect.gen(function* () {
  const routes = [
    yield* Check.route,
    ...(yield* Health.routes),
    yield* OpenApi.route,
    yield* MetricsRoute.route,
    ...(yield* Pages.routes)
  ]
  const byPath = new Map(routes.map((route) => [route.path, route]))
  return {
    paths: new Set(byPath.keys()),
    handle: (request: IncomingMessage): Effect.Effect<HttpResponse> => {
      const route = byPath.get(pathOf(request.url ?? ""))
      if (route === undefined) return Effect.succeed(notFound)
      return accepts(route, request.method) ? route.handle(request) : Effect.succeed(methodNotAllowed(route))
    }
  }
})
