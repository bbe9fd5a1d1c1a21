import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Server as NetServer } from "node:net"
import { type HttpApp, HttpServer, HttpServerError, HttpServerResponse } from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import {
  Context,
  Duration,
  Effect,
  Fiber,
  FiberId,
  Layer,
  Option,
  Runtime,
  RuntimeFlags,
  type Scope
} from "effect"
import { AppConfig } from "./AppConfig.ts"
import { Overload } from "./Server/Overload.ts"
import * as RequestId from "./Server/RequestId.ts"
import * as UnreadAnswers from "./Server/SlowReaders.ts"

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

/** Without a byte either way, in milliseconds. No answer takes as long. */
const SILENCE_TIMEOUT = 30_000

/**
 * Open at once. It bounds memory: with the longest body that is read of each, before anything is checked, they hold 256 MiB.
 * Proxies in front have some hundred. As many may wait to be accepted: with node's 511 a burst of others would make the
 * system drop the beginning of a probe's connection, which is tried again after seconds only.
 */
const MOST_CONNECTIONS = 4096

/**
 * How long idle connections are kept open after the shutdown began: a request that its client had sent by then, or sends
 * before it learns of the end, is answered and not cut off.
 */
const NOTICE = Duration.seconds(1)

/** How long requests in flight may take to finish after the shutdown began; then their connections are cut. */
const GRACE = Duration.seconds(10)

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** A whole answer, with all of its headers. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

type Chooser = (request: IncomingMessage) => boolean

type App<R> = (request: IncomingMessage) => Effect.Effect<Answer, never, R>

/** The node server past the platform's `HttpServer`, for what is asked often. */
export class NodeServer extends Context.Tag("app/Layers/NodeServer")<
  NodeServer,
  {
    /**
     * Gives the chosen requests to `app` until the scope closes, the others to whom they went before: one fiber for each,
     * begun in node's own callback and interrupted when the client goes away. The request's body is not read yet.
     */
    readonly answer: <R>(isChosen: Chooser, app: App<R>) => Effect.Effect<void, never, R | Scope.Scope>
  }
>() {}

/** Answers what arrives before the routes are there or after the shutdown began. */
const unavailable: Listener = (request, response) => {
  response
    .writeHead(503, {
      "content-type": "application/json",
      connection: "close",
      "retry-after": "1",
      "x-request-id": RequestId.of(request.headers["x-request-id"])
    })
    .end('{"error":"The service is not available at the moment"}')
}

/**
 * node:http under the platform's `HttpServer`.
 *
 * Not the platform's own layer, for one reason: there a request that arrives on an open connection after the shutdown
 * began is never answered, and the process never ends. Here it gets 503, requests in flight finish within `GRACE`, every
 * answer ends its connection, idle connections are closed after `NOTICE`, and only then are the services released that
 * this layer is provided before.
 */
export const layer = Layer.scopedContext(
  Effect.gen(function* () {
    const { port, host } = yield* AppConfig
    const overload = yield* Overload.make
    let listener = unavailable
    const isRefused = UnreadAnswers.refusal()
    const server = createServer(limits, (request, response) => {
      if (isRefused(request, response)) return
      overload.takeUp(() => {
        // Who went away before its end would never be told of.
        if (!request.destroyed) listener(request, response)
      })
    })
    yield* UnreadAnswers.reset(server)
    // Those beyond node's 2,000 would be dropped in silence, the one that a trusted proxy added last among them.
    server.maxHeadersCount = 0
    server.timeout = SILENCE_TIMEOUT
    server.maxConnections = MOST_CONNECTIONS
    // One that came too late is closed; those that nobody uses make room for the next.
    server.on("drop", () => server.closeIdleConnections())

    /** An answer that is ready after the shutdown began ends its connection. */
    const isLast = (): boolean => listener === unavailable

    const lastOnItsConnection = <E, R>(app: HttpApp.Default<E, R>): HttpApp.Default<E, R> =>
      Effect.map(app, (response) =>
        isLast() ? HttpServerResponse.setHeader(response, "connection", "close") : response
      )

    const close = Effect.gen(function* () {
      // For connections that have not sent a whole header: to node they are not idle.
      server.headersTimeout = Duration.toMillis(NOTICE)
      const cut = yield* Effect.sleep(NOTICE).pipe(
        Effect.zipRight(Effect.sync(() => server.closeIdleConnections())),
        Effect.zipRight(Effect.sleep(Duration.subtract(GRACE, NOTICE))),
        Effect.zipRight(Effect.sync(() => server.closeAllConnections())),
        Effect.interruptible,
        Effect.forkDaemon
      )
      // Not its own `close`, which cuts idle connections at once, and with them requests that are on their way.
      yield* Effect.async<void>(
        (resume) => void NetServer.prototype.close.call(server, () => resume(Effect.void))
      )
      yield* Fiber.interruptFork(cut)
    })

    yield* Effect.acquireRelease(
      Effect.async<void, HttpServerError.ServeError>((resume) => {
        const onError = (cause: Error) => resume(Effect.fail(new HttpServerError.ServeError({ cause })))
        server.once("error", onError)
        // As many as may be open may come at once; beyond node's own 511 they would wait for TCP to try again.
        const backlog = MOST_CONNECTIONS
        server.listen({ port, backlog, ...(Option.isSome(host) ? { host: host.value } : {}) }, () => {
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
    const httpServer = HttpServer.make({
      address:
        address === null || typeof address === "string"
          ? { _tag: "UnixAddress", path: address ?? "" }
          : { _tag: "TcpAddress", hostname: address.address, port: address.port },
      serve: (app, middleware) =>
        Effect.acquireRelease(
          Effect.map(
            middleware === undefined
              ? NodeHttpServer.makeHandler(lastOnItsConnection(app))
              : NodeHttpServer.makeHandler(lastOnItsConnection(app), middleware),
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

    const send =
      (response: ServerResponse) =>
      ({ status, headers, body }: Answer): Effect.Effect<void> =>
        Effect.sync(() => {
          response.writeHead(status, isLast() ? { ...headers, connection: "close" } : headers).end(body)
        })

    const nodeServer: NodeServer["Type"] = {
      answer: <R>(isChosen: Chooser, app: App<R>) =>
        Effect.flatMap(Effect.runtime<R>(), (runtime) => {
          // Requests are counted and timed by who watches them; Effect's own count of fibers would be a second one.
          const run = Runtime.runFork(Runtime.disableRuntimeFlag(runtime, RuntimeFlags.RuntimeMetrics))
          const others = listener
          const chosen: Listener = (request, response) => {
            const fiber = run(Effect.flatMap(app(request), send(response)))
            response.on("close", () => {
              if (!response.writableEnded) fiber.unsafeInterruptAsFork(FiberId.none)
            })
          }
          return Effect.acquireRelease(
            Effect.sync(() => {
              listener = (request, response) => (isChosen(request) ? chosen : others)(request, response)
            }),
            () =>
              Effect.sync(() => {
                listener = others
              })
          )
        })
    }
    return Context.make(HttpServer.HttpServer, httpServer).pipe(
      Context.add(NodeServer, nodeServer),
      Context.add(Overload, overload)
    )
  })
)
