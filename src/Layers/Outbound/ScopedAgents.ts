import type { AgentOptions } from "node:http"
import { Effect, type Scope } from "effect"
import * as HttpRequest from "./HttpRequest.ts"

/** Connection pools that keep idle connections, and close all with the scope. */
export const make = (
  options: Omit<AgentOptions, "keepAlive"> = {}
): Effect.Effect<HttpRequest.Agents, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => HttpRequest.makeAgents({ ...options, keepAlive: true })),
    (agents) => Effect.sync(() => HttpRequest.destroyAgents(agents))
  )
