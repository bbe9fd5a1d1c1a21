import { Effect, Option } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import type { Handler } from "../Layers/Server.ts"
import type { MethodNotAllowed, NotFound } from "./Api.ts"
import * as Check from "./Check.ts"
import * as Checks from "./Checks.ts"
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

/** Health, the page of state and metrics. Pages of other origins must not read them. With `ADMIN_PORT` they are served on that port only. */
export const operatorPaths: ReadonlySet<string> = new Set([
  Health.LIVE,
  Health.READY,
  MetricsRoute.PATH,
  ...Pages.operatorPaths
])

/** What one port serves. */
export interface RouteTable {
  /** A closed set, so that they can be label values of metrics. */
  readonly paths: ReadonlySet<string>
  readonly handle: Handler
}

const tableOf = (routes: ReadonlyArray<Route>): RouteTable => {
  const byPath = new Map(routes.map((route) => [route.path, route]))
  return {
    paths: new Set(byPath.keys()),
    handle: (request, stream) => {
      const route = byPath.get(pathOf(request.url ?? ""))
      if (route === undefined) return Effect.succeed(notFound)
      return accepts(route, request.method)
        ? route.handle(request, stream)
        : Effect.succeed(methodNotAllowed(route))
    }
  }
}

/** All that is served, by port. */
export const make = Effect.gen(function* () {
  const { adminPort } = yield* AppConfig
  const pages = yield* Pages.routes
  const statePage = pages.filter(({ path }) => operatorPaths.has(path))
  const forOperators = [...(yield* Health.routes), yield* MetricsRoute.route, ...statePage]
  const forClients = [
    yield* Check.route,
    yield* Checks.route,
    yield* OpenApi.route,
    ...pages.filter(({ path }) => !operatorPaths.has(path))
  ]
  const first = statePage.filter(({ path }) => path === Pages.STATE).map((route) => ({ ...route, path: "/" }))
  return Option.isSome(adminPort)
    ? { main: tableOf(forClients), admin: tableOf([...forOperators, ...first]) }
    : { main: tableOf([...forClients, ...forOperators]), admin: tableOf([]) }
})
