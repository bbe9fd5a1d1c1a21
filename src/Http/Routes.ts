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

/** The page that shows the state of the service. */
export const STATE = "/state"

/** Health, state and metrics, on whichever port: pages of other origins must not read them. */
export const operatorPaths: ReadonlySet<string> = new Set([
  Health.LIVE,
  Health.READY,
  STATE,
  MetricsRoute.PATH
])

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
  if (Option.isNone(adminPort)) return { main: byPath(routes), admin: byPath([]) }
  const forOperators = routes.filter(({ audience }) => audience === "operators")
  const start = forOperators.filter(({ path }) => path === STATE).map((route) => ({ ...route, path: "/" }))
  return {
    main: byPath(routes.filter(({ audience }) => audience === "clients")),
    admin: byPath([...forOperators, ...start])
  }
})
