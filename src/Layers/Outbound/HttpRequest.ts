import * as Http from "node:http"
import * as Https from "node:https"
import type { LookupFunction, Socket } from "node:net"
import { urlToHttpOptions } from "node:url"
import type { ProxySettings } from "../AppConfig/ProxySettings.ts"
import * as Proxies from "./Proxies.ts"

/** The code of the error of a connection that exceeds `connectTimeoutMs`. */
export const CONNECT_TIMED_OUT = Proxies.CONNECT_TIMED_OUT

/** The code of the error for a response with a status outside of 200 to 599, or an upgrade that was not requested. */
const NO_RESPONSE = "ENORESPONSE"

/** node's parser accepts any three digits. */
const isFinalStatus = (status: number): boolean => status >= 200 && status <= 599

/** The connection pools, and which requests go through a proxy. */
export interface Agents {
  readonly http: Http.Agent
  readonly https: Https.Agent
  readonly proxies: ProxySettings
  /** For `https:` addresses through a proxy. Undefined: there is none. */
  readonly tunnels: Https.Agent | undefined
}

export const makeAgents = (options: Http.AgentOptions, proxies: ProxySettings = Proxies.none): Agents => ({
  http: new Http.Agent(options),
  https: new Https.Agent(options),
  proxies,
  tunnels: proxies.https === undefined ? undefined : new Proxies.TunnelAgent(new URL(proxies.https), options)
})

export const destroyAgents = ({ http, https, tunnels }: Agents): void => {
  for (const agent of [http, https, tunnels]) agent?.destroy()
}

export interface Options {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string | undefined
  readonly agents: Agents
  /** For name resolution, connection and TLS handshake together. */
  readonly connectTimeoutMs: number
  /** Resolves names, except for a request through a proxy. Absent: the system's resolver. */
  readonly lookup?: LookupFunction | undefined
  /** Aborts the request, and the response while its body is read. */
  readonly signal?: AbortSignal
}

/** Callbacks of a request. `onError` may be called after `onResponse`, and more than once. */
export interface Handlers {
  /** The head has arrived; the body is still to be read, and an error in it is an `error` event of the message. */
  readonly onResponse: (message: Http.IncomingMessage) => void
  /** The error has a `code`: the system's or one of this module. */
  readonly onError: (error: Error) => void
}

const limitConnectTime = (
  request: Http.ClientRequest,
  limitMs: number,
  connected: string,
  onConnected: () => void
) =>
  request.once("socket", (socket: Socket) => {
    if (!socket.connecting) return onConnected()
    const abort = () =>
      request.destroy(Object.assign(new Error("connect timeout"), { code: CONNECT_TIMED_OUT }))
    socket.setTimeout(limitMs, abort)
    socket.once(connected, () => {
      socket.setTimeout(0)
      socket.off("timeout", abort)
      onConnected()
    })
  })

/**
 * A request through a proxy: in a tunnel for `https:`, else with the whole address as its target (RFC 9112, 3.2.2) on a
 * connection of its own: tinyproxy closes a connection after each response without `Connection: close`, and the next request on it
 * would fail.
 */
const requestThrough = (
  proxy: URL,
  target: URL,
  tunnels: Agents["tunnels"],
  options: Proxies.TunnelledOptions & Pick<Options, "headers">
): Http.ClientRequest => {
  if (target.protocol === "https:") return Https.request(target, { ...options, agent: tunnels })
  const forwarded = Proxies.forwarded(proxy, target)
  const headers = { ...options.headers, ...forwarded.headers }
  const own = { ...urlToHttpOptions(target), ...options, ...forwarded, headers, agent: false }
  return proxy.protocol === "https:" ? Https.request(own) : Http.request(own)
}

/**
 * Sends a request over node:http(s), through a proxy if there is one for the address. It follows no redirects, decodes no content encoding and has no timeout but that of the
 * connection. Destroy the request to end it, or its response while the body is read.
 *
 * It does not use `fetch`: undici's parser throws outside of any request when a connection closes while its reader is slow,
 * and a server can end the process by that (https://github.com/nodejs/undici/issues/5360, fixed in a version that needs
 * Node 22).
 */
export const start = (
  url: string | URL,
  { method, headers, lookup, body, agents, connectTimeoutMs, signal }: Options,
  { onResponse, onError }: Handlers
): Http.ClientRequest => {
  const target = typeof url === "string" ? new URL(url) : url
  const isSecure = target.protocol === "https:"
  const proxy = Proxies.proxyFor(agents.proxies, target)
  const common = { method, headers, signal, lookup: proxy === undefined ? lookup : undefined }
  const request =
    proxy !== undefined
      ? requestThrough(proxy, target, agents.tunnels, { ...common, connectTimeoutMs })
      : isSecure
        ? Https.request(target, { agent: agents.https, ...common })
        : Http.request(target, { agent: agents.http, ...common })
  // A tunnel has its own limit, and is a connection when it is open.
  const connected = (proxy?.protocol ?? target.protocol) === "https:" ? "secureConnect" : "connect"
  // An `http:` address is requested from the proxy itself, a tunnel names its own errors.
  let isConnectingToProxy = proxy !== undefined && !isSecure
  limitConnectTime(request, connectTimeoutMs, connected, () => {
    isConnectingToProxy = false
  })
  const fail = (error: Error) => onError(isConnectingToProxy ? Proxies.errorOf(error) : error)
  let hasResponse = false
  // Stays: an error after the response began reaches the body's reader, and must not be thrown here as well.
  request.on("error", fail)
  request.once("close", () => {
    if (!hasResponse) fail(Object.assign(new Error("no response"), { code: NO_RESPONSE }))
  })
  request.once("response", (message) => {
    if (proxy !== undefined && message.statusCode === Proxies.AUTHENTICATION_REQUIRED) {
      onError(Proxies.errorOf(Proxies.AUTHENTICATION_REQUIRED))
      return message.destroy()
    }
    if (!isFinalStatus(message.statusCode ?? 0)) return message.destroy()
    hasResponse = true
    return onResponse(message)
  })
  request.end(body)
  return request
}

/** `start` as a promise of the response. */
export const send = (url: string | URL, options: Options): Promise<Http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    start(url, options, { onResponse: resolve, onError: reject })
  })
