import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Server as NetServer } from "node:net"
import {
  Data,
  Duration,
  Effect,
  Exit,
  Fiber,
  FiberId,
  Option,
  Runtime,
  RuntimeFlags,
  type Scope
} from "effect"
import { AppConfig } from "./AppConfig.ts"
import * as Pipelining from "./Server/Pipelining.ts"
import { requestIdOf } from "./Server/RequestId.ts"
import * as SlowReaders from "./Server/SlowReaders.ts"
import { RETRY_AFTER, unavailable } from "./Server/Unavailable.ts"

/** Node's own limits, in milliseconds and bytes. They close slow and silent connections. */
const limits = {
  /** From the opening of the connection to the end of the headers. */
  headersTimeout: 10_000,
  /** To the end of the body: enough for 64 KiB on a slow mobile connection. */
  requestTimeout: 20_000,
  /** Longer than the 60 seconds of common load balancers, so that they close an idle connection first. */
  keepAliveTimeout: 65_000,
  /** How often node looks for connections that are over one of these limits. */
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024
} as const

/** Closes a connection without traffic while a request is open. No response takes as long. */
const IDLE_TIMEOUT_MS = 30_000

/**
 * Open connections. The maximum bounds memory: with the longest body of each they need 256 MiB. It is also the length of the
 * listen backlog: with node's default of 511 the system would drop part of a burst, and TCP retries only after a second.
 */
const MAX_CONNECTIONS = 4096

/** How long idle connections stay open after the shutdown began, for requests that are already on their way. */
const CLOSE_IDLE_AFTER = Duration.seconds(1)

/** How long requests in flight may take after the shutdown began; then their connections are cut. */
const SHUTDOWN_GRACE = Duration.seconds(10)

/** A whole response. */
export interface HttpResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** Answers one request, whose body has not been read yet. Interrupted when the client closes the connection. */
export type Handler<R = never> = (request: IncomingMessage) => Effect.Effect<HttpResponse, never, R>

/** The server cannot listen, for example because the port is in use. `cause` is node's error. */
export class ListenError extends Data.TaggedError("ListenError")<{ readonly cause: unknown }> {}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Answers what arrives after the shutdown began. */
export const refuse: Listener = (request, response) => {
  response
    .writeHead(503, {
      "content-type": "application/json",
      connection: "close",
      "retry-after": RETRY_AFTER,
      "x-request-id": requestIdOf(request.headers["x-request-id"])
    })
    .end(JSON.stringify(unavailable))
}

const send = (response: ServerResponse, { status, headers, body }: HttpResponse, isLast: boolean): void => {
  response.writeHead(status, isLast ? { ...headers, connection: "close" } : headers).end(body)
}

/** A node server with our limits, that does not listen yet. */
const limited = (listener: Listener): Effect.Effect<HttpServer, never, Scope.Scope> =>
  Effect.suspend(() => {
    const isPipeliningTooMuch = Pipelining.limit()
    const server = createServer(limits, (request, response) => {
      if (isPipeliningTooMuch(request, response)) request.socket.resetAndDestroy()
      else listener(request, response)
    })
    // Unlimited: node drops headers beyond 2,000, and the last X-Forwarded-For would be among them.
    server.maxHeadersCount = 0
    server.timeout = IDLE_TIMEOUT_MS
    server.maxConnections = MAX_CONNECTIONS
    // A connection beyond the maximum is closed by node; idle ones make room for the next.
    server.on("drop", () => server.closeIdleConnections())
    return Effect.as(SlowReaders.resetIdle(server), server)
  })

const listen = (server: HttpServer, port: number, host: Option.Option<string>) =>
  Effect.async<void, ListenError>((resume) => {
    const onError = (cause: Error) => resume(new ListenError({ cause }))
    server.once("error", onError)
    const address = { port, backlog: MAX_CONNECTIONS }
    server.listen(
      Option.match(host, { onNone: () => address, onSome: (host) => ({ ...address, host }) }),
      () => {
        server.off("error", onError)
        resume(Effect.void)
      }
    )
  })

/** Waits until all connections have ended: idle ones are closed after a second, busy ones after ten. */
const close = Effect.fnUntraced(function* (server: HttpServer) {
  // Also ends connections whose headers are incomplete: node does not call them idle.
  server.headersTimeout = Duration.toMillis(CLOSE_IDLE_AFTER)
  const cut = yield* Effect.sleep(CLOSE_IDLE_AFTER).pipe(
    Effect.zipRight(Effect.sync(() => server.closeIdleConnections())),
    Effect.zipRight(Effect.sleep(Duration.subtract(SHUTDOWN_GRACE, CLOSE_IDLE_AFTER))),
    Effect.zipRight(Effect.sync(() => server.closeAllConnections())),
    Effect.interruptible,
    Effect.forkDaemon
  )
  // Not http's `close`: it cuts idle connections at once, and requests that are on their way with them.
  yield* Effect.async<void>(
    (resume) => void NetServer.prototype.close.call(server, () => resume(Effect.void))
  )
  yield* Fiber.interruptFork(cut)
})

/**
 * Serves HTTP by the handler until the scope closes, each request in a fiber of its own, and returns the port. If a fiber ends
 * without a response, the client gets `onDefect` and the cause is logged.
 *
 * When the scope closes, late requests get 503, requests in flight finish within 10 seconds, each response ends its
 * connection, and idle connections are closed after one second.
 *
 * Not the platform's server: there a request that arrives on an open connection after the shutdown began never gets a
 * response, and the process never ends. Not its router either: through it a check has two thirds of the requests a second.
 */
export const serve = <R>(handler: Handler<R>, onDefect: HttpResponse) =>
  Effect.gen(function* () {
    const { port, host } = yield* AppConfig
    // Requests are measured by the handler; Effect's own metrics of fibers would be a second count.
    const runtime = Runtime.disableRuntimeFlag(yield* Effect.runtime<R>(), RuntimeFlags.RuntimeMetrics)
    const run = Runtime.runFork(runtime)
    let isClosing = false

    const server = yield* limited((request, response) => {
      if (isClosing) return refuse(request, response)
      const fiber = run(
        Effect.map(
          Effect.suspend(() => handler(request)),
          // Inside the fiber: what node throws, for example because of a header, is a defect of this request.
          (sent) => send(response, sent, isClosing)
        )
      )
      fiber.addObserver((exit) => {
        if (Exit.isSuccess(exit) || response.destroyed || response.closed) return
        run(Effect.logError("A request failed", exit.cause))
        if (response.headersSent) response.destroy()
        else send(response, onDefect, isClosing)
      })
      response.on("close", () => {
        if (!response.writableEnded) fiber.unsafeInterruptAsFork(FiberId.none)
      })
    })
    yield* Effect.acquireRelease(listen(server, port, host), () =>
      Effect.suspend(() => {
        isClosing = true
        return close(server)
      })
    )
    const address = server.address()
    const boundPort = address === null || typeof address === "string" ? port : address.port
    yield* Effect.annotateLogs(Effect.logInfo("listening"), { port: boundPort })
    return boundPort
  })
