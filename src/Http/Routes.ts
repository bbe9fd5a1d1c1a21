import { Effect, Option } from "effect"
import { AppConfig } from "../Layers/AppConfig.ts"
import type { Slices } from "../Layers/Time/Slices.ts"
import * as Check from "./Check.ts"
import * as Checks from "./Checks.ts"
import * as Health from "./Health.ts"
import * as MetricsRoute from "./MetricsRoute.ts"
import * as OpenApi from "./OpenApi.ts"
import * as Pages from "./Pages.ts"
import type { Route } from "./Route.ts"

const byPath = (routes: ReadonlyArray<Route>): ReadonlyMap<string, Route> =>
  new Map(routes.map((route) => [route.path, route]))

/** All routes, by port and path. Without `ADMIN_PORT` the main port has all. */
export const make = Effect.fnUntraced(function* (slices: Slices) {
  const { adminPort } = yield* AppConfig
  const routes: ReadonlyArray<Route> = [
    yield* Check.route,
    yield* Checks.route(slices),
    yield* OpenApi.route,
    ...(yield* Pages.routes),
    ...(yield* Health.routes),
    yield* MetricsRoute.route
  ]
  const forClients = routes.filter(({ audience }) => audience === "clients")
  const forOperators = routes.filter(({ audience }) => audience === "operators")
  const start = forOperators.filter(({ path }) => path === Pages.STATE)
  return {
    main: byPath(Option.isSome(adminPort) ? forClients : routes),
    admin: byPath([...forOperators, ...start.map((route) => ({ ...route, path: "/" }))]),
    /** On whichever port they are: pages of other origins must not read them. */
    operatorPaths: new Set(forOperators.map(({ path }) => path))
  }
})
