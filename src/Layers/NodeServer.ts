import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { HttpServer, HttpServerError } from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Duration, Effect, Fiber, Layer, Option } from "effect"
import { AppConfig } from "./AppConfig.ts"

/** Node's limits. A client that sends a byte a second is cut off by them, a body that never ends too. */
const limits = {
  /** From the opening of the connection to the end of the headers; also closes a connection that says nothing. */
  headersTimeout: 10_000,
  /** To the end of the body: generous for 64 KiB on the slowest phone line. */
  requestTimeout: 20_000,
  /** Longer than the 60 seconds that load balancers commonly keep an idle connection, so that they close it, not we. */
  keepAliveTimeout: 65_000,
  /** How often node looks for connections that are over one of these times. */
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024
} as const

/** How long requests in flight may take to finish after SIGTERM; then their connections are cut. */
const GRACE = Duration.seconds(10)

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Answers what arrives before the routes are there or after the shutdown began. */
const unavailable: Listener = (_request, response) => {
  response
    .writeHead(503, { "content-type": "application/json", connection: "close", "retry-after": "1" })
    .end('{"error":"The service is not available at the moment"}')
}

/**
 * node:http under the platform's `HttpServer`.
 *
 * Not the platform's own layer, for one reason: there a request that arrives on an open connection after the shutdown
 * began is never answered, and the process never ends. Here it gets 503, requests in flight finish within `GRACE`, idle
 * connections are closed, and only then are the services released that this layer is provided before.
 */
export const layer = Layer.scoped(
  HttpServer.HttpServer,
  Effect.gen(function* () {
    const { port, host } = yield* AppConfig
    let listener = unavailable
    const server = createServer(limits, (request, response) => listener(request, response))

    const close = Effect.gen(function* () {
      listener = unavailable
      server.keepAliveTimeout = 1
      const cut = yield* Effect.sleep(GRACE).pipe(
        Effect.zipRight(Effect.sync(() => server.closeAllConnections())),
        Effect.interruptible,
        Effect.forkDaemon
      )
      yield* Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
      yield* Fiber.interruptFork(cut)
    })

    yield* Effect.acquireRelease(
      Effect.async<void, HttpServerError.ServeError>((resume) => {
        const onError = (cause: Error) => resume(Effect.fail(new HttpServerError.ServeError({ cause })))
        server.once("error", onError)
        server.listen({ port, ...(Option.isSome(host) ? { host: host.value } : {}) }, () => {
          server.off("error", onError)
          resume(Effect.void)
        })
      }),
      () => close
    )

    const address = server.address()
    yield* Effect.logInfo("listening").pipe(
      Effect.annotateLogs(address === null || typeof address === "string" ? {} : { port: address.port })
    )
    return HttpServer.make({
      address:
        address === null || typeof address === "string"
          ? { _tag: "UnixAddress", path: address ?? "" }
          : { _tag: "TcpAddress", hostname: address.address, port: address.port },
      serve: (app, middleware) =>
        Effect.acquireRelease(
          Effect.map(
            middleware === undefined
              ? NodeHttpServer.makeHandler(app)
              : NodeHttpServer.makeHandler(app, middleware),
            (handler) => {
              listener = handler
            }
          ),
          () =>
            Effect.sync(() => {
              listener = unavailable
            })
        )
    })
  })
)
