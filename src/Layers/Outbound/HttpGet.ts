import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import { Context, Data, Duration, Effect, Layer } from "effect"
import { errorCodeOf } from "../ErrorCode.ts"
import * as OutboundHttp from "../Outbound.ts"
import * as Program from "../Program.ts"
import { Tracing } from "../Telemetry/Tracing.ts"
import * as HttpRequest from "./HttpRequest.ts"

export interface GetRequest {
  readonly url: string
  /** Sent in addition to our user agent. */
  readonly headers: Readonly<Record<string, string>>
  /** How much of the body to read, by the status. At 0 it is not waited for. */
  readonly maxBodyBytes: (status: number) => number
}

export interface GetResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The whole body, or its beginning if that is longer than `maxBodyBytes`. */
  readonly body: Uint8Array
  readonly isWhole: boolean
}

/** There is no response, or its connection broke. */
export class GetError extends Data.TaggedError("GetError")<{
  /** The system's, or one of `HttpRequest`. */
  readonly code: string
}> {}

/** The errors of a connection that was idle and that the server closed at the moment of the next request. */
const resetCodes: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE"])

/** Reads the body up to the limit, and closes the connection of a longer one. */
const read = (
  message: IncomingMessage,
  maxBytes: number,
  onBody: (body: Uint8Array, isWhole: boolean) => void
) => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  const cut = () => {
    onBody(Buffer.concat(chunks).subarray(0, maxBytes), false)
    message.destroy()
  }
  if (maxBytes === 0) return cut()
  message.on("data", (chunk: Uint8Array) => {
    bytes += chunk.length
    chunks.push(chunk)
    if (bytes > maxBytes) cut()
  })
  message.once("end", () => onBody(Buffer.concat(chunks), true))
}

/**
 * Sends small GET requests to third parties, on connections of its own that close with the scope. It follows no redirects,
 * decodes no content encoding and has no timeout but that of the connection: interrupt it. A request is sent again, as browsers
 * do, when a connection that was used before is closed without a response. Third parties receive no `traceparent`; spans
 * contain the host only, and errors nothing but a code.
 *
 * The platform's client over the same connections, with a web stream for each body, took 0.5 ms of CPU more per request.
 */
export class HttpGet extends Context.Tag("app/Layers/HttpGet")<
  HttpGet,
  { readonly get: (request: GetRequest) => Effect.Effect<GetResponse, GetError> }
>() {
  static readonly layer: Layer.Layer<HttpGet> = Layer.scoped(
    HttpGet,
    Effect.gen(function* () {
      const tracing = yield* Tracing
      const agents = yield* Effect.acquireRelease(
        Effect.sync(() => HttpRequest.makeAgents({ keepAlive: true })),
        (agents) => Effect.sync(() => HttpRequest.destroyAgents(agents))
      )
      const options = {
        method: "GET",
        body: undefined,
        agents,
        connectTimeoutMs: Duration.toMillis(OutboundHttp.CONNECT_TIMEOUT),
        lookup: undefined
      }

      const send = (
        { url, headers, maxBodyBytes }: GetRequest,
        resume: (result: Effect.Effect<GetResponse, GetError>) => void
      ): (() => void) => {
        let isRunning = true
        let hasResponse = false
        const onError = (error: Error) => {
          if (!isRunning) return
          isRunning = false
          const code = errorCodeOf(error) ?? "unknown"
          if (!hasResponse && request.reusedSocket && resetCodes.has(code))
            abort = send({ url, headers, maxBodyBytes }, resume)
          else resume(new GetError({ code }))
        }
        const request = HttpRequest.start(
          url,
          { ...options, headers: { "user-agent": Program.nameAndVersion, ...headers } },
          {
            onError,
            onResponse: (message) => {
              hasResponse = true
              message.on("error", onError)
              const { statusCode: status = 0, headers } = message
              read(message, maxBodyBytes(status), (body, isWhole) =>
                resume(Effect.succeed({ status, headers, body, isWhole }))
              )
            }
          }
        )
        let abort = (): void => {
          // What the end of the connection causes is no error of the server.
          isRunning = false
          request.destroy()
        }
        return () => abort()
      }

      return {
        get: (request) =>
          Effect.async<GetResponse, GetError>((resume) => Effect.sync(send(request, resume))).pipe(
            OutboundHttp.traced(tracing, "GET", request.url)
          )
      }
    })
  )
}
