import type { IncomingMessage } from "node:http"
import { Readable } from "node:stream"
import { HttpClient, HttpClientError, HttpClientResponse } from "@effect/platform"
import { Duration, Effect } from "effect"
import * as HttpGet from "./HttpGet.ts"

const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304])

const headersOf = ({ headersDistinct }: IncomingMessage): Headers => {
  const headers = new Headers()
  for (const [name, values] of Object.entries(headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  return headers
}

const webResponse = (message: IncomingMessage): Response => {
  const status = message.statusCode ?? 0
  if (NO_BODY.has(status)) message.resume()
  return new Response(NO_BODY.has(status) ? null : Readable.toWeb(message), {
    status,
    headers: headersOf(message)
  })
}

/**
 * `HttpGet` as a client of the platform, with connections of its own that end with the scope.
 *
 * Not the platform's clients: for that over `fetch` see `HttpGet`, and the one over node:http stops listening for errors
 * with the first byte of an answer, so that a server can end the process.
 */
export const make = (options: { readonly connectTimeout: Duration.Duration }) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => HttpGet.agents(true)),
      ({ http, https }) =>
        Effect.sync(() => {
          http.destroy()
          https.destroy()
        })
    ),
    (agents) =>
      HttpClient.make((request, url, signal) =>
        Effect.async((resume) => {
          const { headers } = request
          const connectTimeout = Duration.toMillis(options.connectTimeout)
          HttpGet.get(url, { agents, headers, connectTimeout, lookup: undefined, signal }).then(
            (message) => resume(Effect.succeed(HttpClientResponse.fromWeb(request, webResponse(message)))),
            (cause) =>
              resume(Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause })))
          )
        })
      )
  )
