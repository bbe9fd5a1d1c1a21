import * as Http from "node:http"
import * as Https from "node:https"
import type { LookupFunction, Socket } from "node:net"
import { Readable } from "node:stream"
import { HttpClient, HttpClientError, HttpClientResponse } from "@effect/platform"
import { Duration, Effect } from "effect"

/** The code of the error with which a connection that takes too long is given up. */
export const CONNECT_TIMED_OUT = "ECONNECTTIMEOUT"

/** The code of the error for an answer that is none: a status beyond those of HTTP, or an upgrade nobody asked for. */
const NO_ANSWER = "ENOANSWER"

/** What `Response` takes; node's parser lets any three digits through. */
const isFinalStatus = (status: number): boolean => status >= 200 && status <= 599

const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304])

const headersOf = ({ headersDistinct }: Http.IncomingMessage): Headers => {
  const headers = new Headers()
  for (const [name, values] of Object.entries(headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  return headers
}

const webResponse = (message: Http.IncomingMessage): Response => {
  const status = message.statusCode ?? 0
  if (NO_BODY.has(status)) message.resume()
  return new Response(NO_BODY.has(status) ? null : Readable.toWeb(message), {
    status,
    headers: headersOf(message)
  })
}

/** Gives a connection up that is not there in time: name, connection and TLS handshake together. */
const limitConnecting = (request: Http.ClientRequest, limit: Duration.Duration, connected: string) =>
  request.once("socket", (socket: Socket) => {
    if (!socket.connecting) return
    const giveUp = () =>
      request.destroy(Object.assign(new Error("no connection in time"), { code: CONNECT_TIMED_OUT }))
    socket.setTimeout(Duration.toMillis(limit), giveUp)
    socket.once(connected, () => {
      socket.setTimeout(0)
      socket.off("timeout", giveUp)
    })
  })

/**
 * A client for GET requests over node:http(s), with connections of its own that end with the scope. It follows no
 * redirects and decodes no content encoding.
 *
 * Not the platform's clients, because a server can end the process through them: undici's parser throws outside of any
 * request when a connection closes while its reader is slow (https://github.com/nodejs/undici/issues/5360, mended only in
 * a version that needs Node 22), and the one over node:http stops listening for errors with the first byte of an answer.
 */
export const make = (options: {
  readonly connectTimeout: Duration.Duration
  readonly lookup?: LookupFunction
}) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => ({
        http: new Http.Agent({ keepAlive: true }),
        https: new Https.Agent({ keepAlive: true })
      })),
      ({ http, https }) =>
        Effect.sync(() => {
          http.destroy()
          https.destroy()
        })
    ),
    ({ http, https }) =>
      HttpClient.make((request, url, signal) =>
        Effect.async((resume) => {
          const isSecure = url.protocol === "https:"
          const lookup = options.lookup === undefined ? {} : { lookup: options.lookup }
          const sent = isSecure
            ? Https.get(url, { agent: https, headers: request.headers, signal, ...lookup })
            : Http.get(url, { agent: http, headers: request.headers, signal, ...lookup })
          limitConnecting(sent, options.connectTimeout, isSecure ? "secureConnect" : "connect")
          const fail = (cause: Error) =>
            resume(Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause })))
          // For good: an error after the answer began reaches the reader of the body, and must not be thrown here too.
          sent.on("error", fail)
          sent.once("close", () => fail(Object.assign(new Error("no answer"), { code: NO_ANSWER })))
          sent.once("response", (message) => {
            if (isFinalStatus(message.statusCode ?? 0))
              resume(Effect.succeed(HttpClientResponse.fromWeb(request, webResponse(message))))
            else message.destroy()
          })
        })
      )
  )
