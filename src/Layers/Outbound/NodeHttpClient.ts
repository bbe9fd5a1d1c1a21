import type { IncomingMessage } from "node:http"
import { Readable } from "node:stream"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Duration, Effect } from "effect"
import * as HttpRequest from "./HttpRequest.ts"
import * as ScopedAgents from "./ScopedAgents.ts"

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

/** None for a kind of body that no request of this service has. */
const bytesOf = (
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<Uint8Array | undefined, HttpClientError.RequestError> => {
  const { body } = request
  if (body._tag === "Empty") return Effect.succeed(undefined)
  return body._tag === "Uint8Array"
    ? Effect.succeed(body.body)
    : new HttpClientError.RequestError({ request, reason: "Encode", description: `${body._tag} bodies` })
}

/**
 * An `HttpClient` over `HttpRequest.send`, with connections of its own, which close with the scope. It sends bodies of
 * bytes or JSON and none else.
 *
 * The platform's own clients do not fit: for the one over fetch see `HttpRequest`; the one over node:http removes its
 * error listener with the first byte of a response, and a server can end the process by that.
 */
export const make = (options: { readonly connectTimeout: Duration.Duration }) =>
  Effect.map(ScopedAgents.make(), (agents) =>
    HttpClient.make((request, url, signal) =>
      Effect.flatMap(bytesOf(request), (body) =>
        Effect.tryPromise({
          try: () =>
            HttpRequest.send(url, {
              method: request.method,
              headers: request.headers,
              body,
              agents,
              connectTimeoutMs: Duration.toMillis(options.connectTimeout),
              lookup: undefined,
              signal
            }),
          catch: (cause) => new HttpClientError.RequestError({ request, reason: "Transport", cause })
        }).pipe(Effect.map((message) => HttpClientResponse.fromWeb(request, webResponse(message))))
      )
    )
  )
