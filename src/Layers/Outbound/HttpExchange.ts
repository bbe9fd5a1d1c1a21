import type { AgentOptions, IncomingHttpHeaders, IncomingMessage } from "node:http"
import { Context, Data, Duration, Effect, Either, type Scope } from "effect"
import { errorCodeOf } from "../ErrorCode.ts"
import * as HttpRequest from "./HttpRequest.ts"
import * as Proxies from "./Proxies.ts"

/** The forward proxies of all requests that are sent. The default is none, so a program without them need not provide it. */
export class OutboundProxies extends Context.Reference<OutboundProxies>()("app/Layers/OutboundProxies", {
  defaultValue: () => Proxies.none
}) {}

/** From the start of the name resolution to the end of the TLS handshake. */
export const CONNECT_TIMEOUT = Duration.seconds(10)

/** Connection pools that keep idle connections, and close all with the scope. */
export const scopedAgents = (
  options: Omit<AgentOptions, "keepAlive"> = {}
): Effect.Effect<HttpRequest.Agents, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.map(OutboundProxies, (proxies) =>
      HttpRequest.makeAgents({ ...options, keepAlive: true }, proxies)
    ),
    (agents) => Effect.sync(() => HttpRequest.destroyAgents(agents))
  )

export interface ExchangeOptions extends Pick<HttpRequest.Options, "method" | "headers" | "body" | "agents"> {
  /** How much of the body to read, by the status. At 0 it is not waited for. */
  readonly maxBodyBytes: (status: number) => number
}

export interface ReceivedResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The whole body, or its beginning if that is longer than `maxBodyBytes`. */
  readonly body: Uint8Array
  readonly isWhole: boolean
}

/** There is no response, or its connection broke. */
export class ExchangeError extends Data.TaggedError("ExchangeError")<{
  /** The system's code, or one of `HttpRequest`. */
  readonly code: string
  /** The server closed an idle connection at the moment of this request: a request that may be repeated can be sent again. */
  readonly wasIdle: boolean
}> {}

/** The errors of a connection that was idle and that the server closed at the moment of the next request. */
const resetCodes: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE"])

/** Reads the body up to the limit, and closes the connection of a longer one. */
const read = (
  message: IncomingMessage,
  maxBytes: number,
  onBody: (body: Buffer, isWhole: boolean) => void
) => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  const cut = () => {
    onBody(Buffer.concat(chunks).subarray(0, maxBytes), false)
    message.destroy()
  }
  if (maxBytes === 0) return cut()
  message.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    chunks.push(chunk)
    if (bytes > maxBytes) cut()
  })
  message.once("end", () => onBody(Buffer.concat(chunks), true))
}

/**
 * Sends a request and reads its response (see `HttpRequest.start`). It has no timeout except for the connection. Calls `onEnd`
 * once. Returns a function that aborts both; `onEnd` is not called then.
 */
export const start = (
  url: string | URL,
  { maxBodyBytes, ...options }: ExchangeOptions,
  onEnd: (result: Either.Either<ReceivedResponse, ExchangeError>) => void
): (() => void) => {
  let isRunning = true
  let hasResponse = false
  const end = (result: Either.Either<ReceivedResponse, ExchangeError>) => {
    if (!isRunning) return
    isRunning = false
    onEnd(result)
  }
  const onError = (error: Error) => {
    const code = errorCodeOf(error) ?? "unknown"
    const wasIdle = !hasResponse && request.reusedSocket && resetCodes.has(code)
    end(Either.left(new ExchangeError({ code, wasIdle })))
  }
  const request = HttpRequest.start(
    url,
    { ...options, connectTimeoutMs: Duration.toMillis(CONNECT_TIMEOUT) },
    {
      onError,
      onResponse: (message) => {
        hasResponse = true
        message.on("error", onError)
        const { statusCode: status = 0, headers } = message
        read(message, maxBodyBytes(status), (body, isWhole) => {
          // The connection would stay open until the server has read the rest of the request.
          if (!request.writableFinished) request.destroy()
          end(Either.right({ status, headers, body, isWhole }))
        })
      }
    }
  )
  return () => {
    // Errors after the end of the connection are not the server's.
    isRunning = false
    request.destroy()
  }
}

/** As `start`. Interruption aborts the exchange. */
export const send = (
  url: string | URL,
  options: ExchangeOptions
): Effect.Effect<ReceivedResponse, ExchangeError> =>
  Effect.async((resume) => Effect.sync(start(url, options, resume)))
