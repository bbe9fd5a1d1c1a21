import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Server as NetServer } from "node:net"
import { Data, Duration, Effect, Exit, Fiber, FiberId, Option, Runtime, RuntimeFlags } from "effect"
import { AppConfig, MAX_CONNECTIONS } from "./AppConfig.ts"
import { errorCodeOf } from "./ErrorCode.ts"
import * as Connections from "./Server/Connections.ts"
import { Metrics } from "./Telemetry/Metrics.ts"

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
  /** The connection is reset if the system has not taken the whole response by then. Absent: see `resetSlowReaders`. */
  readonly maxSendTime?: Duration.Duration
}

/** A request whose body has not been read yet. */
export interface Exchange {
  readonly request: IncomingMessage
  /** The shutdown has begun: the client should be sent away. */
  readonly isClosing: boolean
  /** Lets a client that waits for `100 Continue` send its body. Without it, the response closes such a connection. */
  readonly writeContinue: () => void
  /** Calls the function once, when the system has taken the whole response or the connection has closed. */
  readonly onClose: (listener: () => void) => void
}

/** Answers one request. Interrupted when the client closes the connection. */
export type Handler<R = never> = (exchange: Exchange) => Effect.Effect<HttpResponse, never, R>

/** Errors of the address, not of the port: not of this machine, not found by name, or without the zone that it needs. */
const HOST_CODES: ReadonlySet<string> = new Set([
  "EADDRNOTAVAIL",
  "EAFNOSUPPORT",
  "EAI_AGAIN",
  "EINVAL",
  "ENOTFOUND"
])

/** The server cannot listen. `message` names the variable to change. */
export class ListenError extends Data.TaggedError("ListenError")<{
  readonly variable: "PORT" | "ADMIN_PORT"
  readonly port: number
  readonly host: Option.Option<string>
  /** Node's error. */
  readonly cause: unknown
}> {
  override get message(): string {
    const code = errorCodeOf(this.cause) ?? String(this.cause)
    if (Option.isSome(this.host) && HOST_CODES.has(code))
      return `HOST ${JSON.stringify(this.host.value)} is not an address of this machine (${code}). Set HOST to one, or to nothing to listen on all`
    switch (code) {
      case "EADDRINUSE":
        return `${this.variable} ${this.port} is in use by another program. Stop that program, or set ${this.variable} to another port`
      case "EACCES":
        return `${this.variable} ${this.port} needs rights that this process does not have (EACCES). Set ${this.variable} to a port from 1024 on`
      default:
        return `Cannot listen on ${this.variable} ${this.port} (${code})`
    }
  }
}

/** `uri-host [ ":" port ]` of RFC 9110, 7.2. May be empty, if the target has no host either. */
const HOST = /^(?:\[[\w.~!$&'()*+,;=:%-]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i

/**
 * The status by which RFC 9112 has a request rejected that node accepts: 400 for more than one `Host` or an invalid one (3.2), 501 for
 * a body that is encoded in another way than in chunks (6.1). Undefined: none. Names and values of headers in turn, at most 16 KiB.
 */
export const rejectionOf = (rawHeaders: ReadonlyArray<string>): 400 | 501 | undefined => {
  let host: string | undefined
  const encodings: Array<string> = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name, value = ""] = [rawHeaders[index]?.toLowerCase(), rawHeaders[index + 1]]
    if (name === "transfer-encoding") encodings.push(value.toLowerCase())
    if (name !== "host") continue
    if (host !== undefined) return 400
    host = value
  }
  if (!HOST.test(host ?? "")) return 400
  return encodings.length === 0 || encodings.join() === "chunked" ? undefined : 501
}

/** A longer body may not fit into the buffer of the system. */
const MAX_BODY_SENT_AT_ONCE = 16_384

/** Completes when the system has taken the whole response, or the connection has closed. */
const closed = (response: ServerResponse): Effect.Effect<void> =>
  Effect.async((resume) => void response.once("close", () => resume(Effect.void)))

/** Sends the response. With `maxSendTime` it waits until that is done, and resets the connection when the time is over. */
const send = (
  response: ServerResponse,
  { body, headers, maxSendTime, status }: HttpResponse,
  isLast: boolean
): Effect.Effect<void> =>
  Effect.suspend(() => {
    response.writeHead(status, isLast ? { ...headers, connection: "close" } : headers)
    if (body.length <= MAX_BODY_SENT_AT_ONCE) response.end(body)
    // Ends when the system has the body: `closeIdleConnections` cuts a connection whose response has ended but is not yet sent.
    else response.write(body, (error) => void (error ?? response.end()))
    return maxSendTime === undefined
      ? Effect.void
      : Effect.timeoutTo(closed(response), {
          duration: maxSendTime,
          onSuccess: () => undefined,
          onTimeout: () => void response.req.socket.resetAndDestroy()
        })
  })

/**
 * Leaves 16 to probes and scrapers of other addresses, which have one or two each. Not lower: a probe of the same address must send
 * its request before so many newer connections arrive.
 */
const MAX_ADMIN_CONNECTIONS_PER_ADDRESS = 48

const adminLimits: Connections.ConnectionLimits = {
  max: Connections.RESERVED_CONNECTIONS,
  perAddress: MAX_ADMIN_CONNECTIONS_PER_ADDRESS,
  remote: Number.POSITIVE_INFINITY
}

/**
 * The main port may use all connections except the reserved ones. Those are for the admin port or, without one, for peers on
 * loopback, where health probes of the same machine come from. With trusted proxies every peer is a proxy: no other limit.
 */
export const mainLimits = ({
  adminPort,
  trustedProxies,
  maxConnectionsPerAddress
}: Pick<
  AppConfig["Type"],
  "adminPort" | "trustedProxies" | "maxConnectionsPerAddress"
>): Connections.ConnectionLimits => {
  const withoutReserved = MAX_CONNECTIONS - Connections.RESERVED_CONNECTIONS
  const isDirect = trustedProxies === 0
  return {
    max: Option.isSome(adminPort) ? withoutReserved : MAX_CONNECTIONS,
    perAddress:
      isDirect && maxConnectionsPerAddress > 0 ? maxConnectionsPerAddress : Number.POSITIVE_INFINITY,
    remote: isDirect ? withoutReserved : Number.POSITIVE_INFINITY
  }
}

/** Counts connections that the service closed to limit their number. */
const closedConnections = Effect.map(Metrics, ({ counter }) => {
  const counterOf = (reason: Connections.Reason) =>
    counter(
      "threat_scoring_connections_closed_total",
      "Connections that the service closed to limit their number. address: the client had the maximum of an address, which is MAX_CONNECTIONS_PER_ADDRESS, or 48 on ADMIN_PORT. full: the port had its maximum",
      { reason }
    )
  const counters = { address: counterOf("address"), full: counterOf("full") }
  return (reason: Connections.Reason) => counters[reason].update(1)
})

const listen = (
  server: HttpServer,
  variable: ListenError["variable"],
  port: number,
  host: Option.Option<string>
) =>
  Effect.async<void, ListenError>((resume) => {
    const onError = (cause: Error) => resume(new ListenError({ variable, port, host, cause }))
    server.once("error", onError)
    const address = { port, host: Option.getOrUndefined(host), backlog: MAX_CONNECTIONS }
    server.listen(address, () => {
      server.off("error", onError)
      resume(Effect.void)
    })
  })

/** Waits until all connections have ended: idle ones are closed after a second, busy ones, after `onCut`, after ten. */
const close = Effect.fnUntraced(function* (server: HttpServer, onCut: Effect.Effect<void>) {
  // Also ends connections whose headers are incomplete: node does not call them idle.
  server.headersTimeout = Duration.toMillis(CLOSE_IDLE_AFTER)
  const cut = yield* Effect.sleep(CLOSE_IDLE_AFTER).pipe(
    Effect.zipRight(Effect.sync(() => server.closeIdleConnections())),
    // Again: a response that was being sent leaves an idle connection.
    Effect.forever,
    Effect.timeoutOption(SHUTDOWN_GRACE),
    Effect.zipRight(onCut),
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

/** The ports that the service listens on. */
export interface Ports {
  readonly port: number
  readonly adminPort: Option.Option<number>
}

/**
 * Serves HTTP by the handler of each port until the scope closes, each request in a fiber of its own, and returns the ports. `admin`
 * is used only with `ADMIN_PORT`.
 *
 * When the scope closes, late requests are handled with `isClosing`, requests in flight finish within 10 seconds, each response
 * ends its connection, and idle connections are closed after one second. Both ports do so at the same time.
 *
 * Not the platform's server: there a request that arrives on an open connection after the shutdown began never gets a
 * response, and the process never ends. Not its router either: through it a check has two thirds of the requests a second.
 */
export const serve = <R>(handlers: { readonly main: Handler<R>; readonly admin: Handler<R> }) =>
  Effect.gen(function* () {
    const config = yield* AppConfig
    const count = yield* closedConnections
    // Requests are measured by the handler; Effect's own metrics of fibers would be a second count.
    const runtime = Runtime.disableRuntimeFlag(yield* Effect.runtime<R>(), RuntimeFlags.RuntimeMetrics)
    const run = Runtime.runFork(runtime)
    let isClosing = false
    /** Requests without a response, including those whose body is still arriving. */
    let requestsInFlight = 0
    const logRequests = (message: string) =>
      Effect.suspend(() => Effect.annotateLogs(Effect.logInfo(message), { requestsInFlight }))
    // Both ports cut at the same time.
    const logCut = yield* Effect.once(
      Effect.when(logRequests("requests in flight are cut"), () => requestsInFlight > 0)
    )

    const answer = (handler: Handler<R>, exchange: Exchange, response: ServerResponse) => {
      let hasClosed = false
      requestsInFlight++
      const fiber = run(
        Effect.flatMap(
          Effect.suspend(() => handler(exchange)),
          (sent) => send(response, sent, isClosing)
        )
      )
      fiber.addObserver((exit) => {
        requestsInFlight--
        if (Exit.isSuccess(exit) || hasClosed) return
        // A header that node rejects.
        run(Effect.logError("A response could not be sent", exit.cause))
        response.req.socket.destroy()
      })
      exchange.onClose(() => {
        hasClosed = true
        if (!response.writableEnded) fiber.unsafeInterruptAsFork(FiberId.none)
      })
    }

    const start = Effect.fnUntraced(function* (
      handler: Handler<R>,
      variable: ListenError["variable"],
      port: number,
      portLimits: Connections.ConnectionLimits
    ) {
      const connections = Connections.make(portLimits, count)
      const onRequest =
        (isContinueExpected: boolean) =>
        (request: IncomingMessage, response: ServerResponse): void => {
          if (!connections.admitPipelined(request, response)) return void request.socket.resetAndDestroy()
          response.on("close", () => connections.end(response))
          const rejection = rejectionOf(request.rawHeaders)
          // As node does for a missing Host. The rest of the body cannot be read, so the connection ends.
          if (rejection !== undefined)
            return void response.writeHead(rejection, { connection: "close", "content-length": 0 }).end()
          const exchange: Exchange = {
            request,
            isClosing,
            writeContinue: () => {
              if (isContinueExpected) response.writeContinue()
            },
            onClose: (listener) => void response.on("close", listener)
          }
          answer(handler, exchange, response)
        }
      const server = createServer(limits, onRequest(false))
      server.on("checkContinue", onRequest(true))
      // A client may close its side after the request and still read the response.
      Object.assign(server, { httpAllowHalfOpen: true })
      // Unlimited: node drops headers beyond 2,000, and the last X-Forwarded-For would be among them.
      server.maxHeadersCount = 0
      server.timeout = IDLE_TIMEOUT_MS
      server.on("connection", connections.admit)
      yield* connections.resetSlowReaders
      yield* Effect.acquireRelease(listen(server, variable, port, config.host), () =>
        Effect.suspend(() => {
          isClosing = true
          return close(server, logCut)
        })
      )
      const address = server.address()
      return address === null || typeof address === "string" ? port : address.port
    })
    const ports: Ports = yield* Effect.parallelFinalizers(
      Effect.all({
        port: start(handlers.main, "PORT", config.port, mainLimits(config)),
        adminPort: Effect.transposeMapOption(config.adminPort, (port) =>
          start(handlers.admin, "ADMIN_PORT", port, adminLimits)
        )
      })
    )
    yield* Effect.addFinalizer(() => logRequests("shutting down"))
    return ports
  })
