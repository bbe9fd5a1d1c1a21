import { HttpApi, HttpServerError, HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import { Cause, Effect } from "effect"
import type { Answer } from "../Layers/Server.ts"
import { Api } from "./Api.ts"
import { json, toResponse } from "./JsonResponse.ts"
import * as MetricsRoute from "./MetricsRoute.ts"
import * as Pages from "./Pages.ts"

/** The methods of each path; HEAD goes where GET does, OPTIONS (the preflight) goes everywhere. */
const allowedMethods: ReadonlyMap<string, string> = (() => {
  const methods = new Map<string, Array<string>>(
    [...Pages.paths, MetricsRoute.PATH].map((path) => [path, ["GET", "HEAD"]])
  )
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      const known = methods.get(endpoint.path) ?? []
      methods.set(endpoint.path, [
        ...known,
        ...(endpoint.method === "GET" ? ["GET", "HEAD"] : [endpoint.method])
      ])
    }
  })
  return new Map([...methods].map(([path, known]) => [path, [...known, "OPTIONS"].join(", ")]))
})()

/** The paths at which something is served. */
export const paths: ReadonlySet<string> = new Set(allowedMethods.keys())

const notRouted = (path: string) => {
  const allow = allowedMethods.get(path)
  return allow === undefined
    ? json(404, { error: "Not found" })
    : json(405, { error: "Method not allowed" }, { allow })
}

/** The name of an error's class and nothing else of it: messages may quote a secret or the caller's input. */
const nameOf = (defect: unknown): string =>
  defect instanceof Error && /^[A-Za-z]{1,64}$/.test(defect.name) ? defect.name : "Unknown error"

/** `"http://user@host/a?b"`, `"/a?b"` and `"/a"` are three targets of the path `/a`. */
export const pathOf = (target: string): string =>
  target.replace(/^https?:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "")

/** The answer to a request that met a bug, which is logged here, once; its caller learns only what kind of error it was. */
export const serverError = (cause: Cause.Cause<unknown>): Effect.Effect<Answer> =>
  Cause.isInterruptedOnly(cause)
    ? Effect.interrupt
    : Effect.as(
        Effect.logError("A request failed", cause),
        json(500, {
          error: "Server error",
          detail: `${nameOf(Cause.squash(cause))} while answering; the log tells more`
        })
      )

/** Gives what no handler answered a JSON body: 404, 405 and, for a defect, 500. */
export const errorBodies = <R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R | HttpServerRequest.HttpServerRequest> =>
  Effect.catchAllCause(app, (cause) => {
    const answer =
      Cause.squash(cause) instanceof HttpServerError.RouteNotFound
        ? Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => notRouted(pathOf(url)))
        : serverError(cause)
    return Effect.map(answer, toResponse)
  })
