/**
 * Connections through the forward proxies of HTTPS_PROXY and HTTP_PROXY. Without Effect: the thread of the lists loads this file.
 *
 * Ours, because https-proxy-agent passes a proxy's refusal on as the response of the server and has no timeout before the tunnel
 * exists, hpagent drops the status of the refusal, and proxy-from-env knows no networks and no domains without a dot.
 */

import * as Http from "node:http"
import * as Https from "node:https"
import { isIP, isIPv6 } from "node:net"
import { Duplex } from "node:stream"
import * as Tls from "node:tls"
import { blockListOf, contains, isNetwork } from "../AppConfig/Networks.ts"
import { exceptionOf, type ProxySettings } from "../AppConfig/ProxySettings.ts"
import { errorCodeOf } from "../ErrorCode.ts"

export const none: ProxySettings = { https: undefined, http: undefined, except: [] }

/** Never sent to a proxy, for which these names are another machine. */
const ownMachine = blockListOf(["127.0.0.0/8", "::1"])

const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, "")

/** Without the dot at the end that a name may have. */
const nameIn = ({ hostname }: URL): string => withoutBrackets(hostname).replace(/\.$/, "")

const portOf = ({ port, protocol }: URL): string => port || (protocol === "https:" ? "443" : "80")

const matches = (entry: string, target: URL): boolean => {
  if (entry === "*") return true
  const exception = exceptionOf(entry)
  if (exception === undefined) return false
  const { host, port } = exception
  if (port !== undefined && port !== portOf(target)) return false
  const name = nameIn(target)
  return isNetwork(host) ? contains(blockListOf([host]), name) : name === host || name.endsWith(`.${host}`)
}

/** The proxy for a request to this address; undefined: it is sent to the server itself. */
export const proxyFor = ({ except, http, https }: ProxySettings, target: URL): URL | undefined => {
  const proxy = target.protocol === "https:" ? https : http
  if (proxy === undefined) return undefined
  const name = nameIn(target)
  const isOwn = name === "localhost" || name.endsWith(".localhost") || contains(ownMachine, name)
  return isOwn || except.some((entry) => matches(entry, target)) ? undefined : new URL(proxy)
}

/** `proxy.example:3128`: without user name and password. */
export const nameOf = (proxy: string | URL): string => new URL(proxy).host

const authorizationOf = ({ password, username }: URL): Record<string, string> => {
  if (username === "" && password === "") return {}
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` }
}

/** The code of the error of a connection that exceeds its timeout. */
export const CONNECT_TIMED_OUT = "ECONNECTTIMEOUT"

/** The status by which a proxy, never a server, asks for a user name and a password. */
export const AUTHENTICATION_REQUIRED = 407

const MIN_SUCCESS = 200
const MAX_SUCCESS = 299

/** An error of the proxy, whose code begins with `PROXY_`: `PROXY_STATUS_407`, `PROXY_ECONNREFUSED`. */
export const errorOf = (cause: number | Error): Error =>
  Object.assign(new Error("proxy"), {
    code: `PROXY_${typeof cause === "number" ? `STATUS_${cause}` : (errorCodeOf(cause) ?? "unknown")}`
  })

/** What to check after an error of the proxy for addresses of this protocol; undefined: the code is not of a proxy. */
export const adviceFor = (code: string | undefined, protocol: string): string | undefined => {
  if (code?.startsWith("PROXY_") !== true) return undefined
  const variable = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY"
  // tinyproxy answers 401 to a wrong password, and 407 to none.
  return code === `PROXY_STATUS_${AUTHENTICATION_REQUIRED}` || code === "PROXY_STATUS_401"
    ? `Does ${variable} have the right user name and password?`
    : `Is ${variable} right?`
}

/** What the start's log says, without passwords; undefined: there is no proxy. */
export const startLine = ({ except, http, https }: ProxySettings): string | undefined => {
  if (http === undefined && https === undefined) return undefined
  const through = (proxy: string | undefined, variable: string) =>
    proxy === undefined ? `no proxy (${variable} is not set)` : `${nameOf(proxy)} (${variable})`
  const exceptions = except.length === 0 ? "" : `; those to ${except.join(", ")} through none (NO_PROXY)`
  return `Outgoing requests to https addresses go through ${through(https, "HTTPS_PROXY")}, those to http addresses through ${through(http, "HTTP_PROXY")}${exceptions}`
}

/** With the name that the certificate of an https proxy must have: Node would take that of the header Host, the server's. */
const addressOf = (proxy: URL) => {
  const host = withoutBrackets(proxy.hostname)
  return { host, port: portOf(proxy), servername: isIP(host) === 0 ? host : "" }
}

/** The options that replace those of a request to the server itself, for an `http:` address through this proxy. */
export const forwarded = (proxy: URL, target: URL) => ({
  ...addressOf(proxy),
  hostname: undefined,
  protocol: proxy.protocol,
  path: `${target.protocol}//${target.host}${target.pathname}${target.search}`,
  headers: { host: target.host, ...authorizationOf(proxy) }
})

/** The options of a request through a tunnel. */
export interface TunnelledOptions extends Https.RequestOptions {
  /** For the connection to the proxy, its response and the TLS handshake with the server together. */
  readonly connectTimeoutMs?: number
}

const CONNECT_TIMEOUT_MS = 10_000

type OnConnection = NonNullable<Parameters<Https.Agent["createConnection"]>[1]>

/** Keeps connections to servers, each in a tunnel through the proxy (CONNECT: RFC 9110, 9.3.6). */
export class TunnelAgent extends Https.Agent {
  readonly #proxy: URL

  constructor(proxy: URL, options: Http.AgentOptions) {
    super(options)
    this.#proxy = proxy
  }

  /** Calls back when the TLS handshake with the server is done. The code of a timeout is `CONNECT_TIMED_OUT`. */
  override createConnection(options: TunnelledOptions, callback?: OnConnection): undefined {
    const { connectTimeoutMs = CONNECT_TIMEOUT_MS, servername } = options
    const host = String(options.host)
    const authority = `${isIPv6(host) ? `[${host}]` : host}:${options.port}`
    const { protocol } = this.#proxy
    const connect = (protocol === "https:" ? Https : Http).request({
      ...addressOf(this.#proxy),
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...authorizationOf(this.#proxy) },
      agent: false
    })
    let secure: Tls.TLSSocket | undefined
    let isProxyReached = false
    let isOver = false
    const end = (error: Error | null) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      if (error !== null) for (const stream of [connect, secure]) stream?.destroy()
      // Node reads no stream beside an error.
      callback?.(error, secure ?? new Duplex())
    }
    const timer = setTimeout(() => {
      const error = Object.assign(new Error("connect timeout"), { code: CONNECT_TIMED_OUT })
      end(isProxyReached ? error : errorOf(error))
    }, connectTimeoutMs)
    connect.once("socket", (socket) => {
      socket.once(protocol === "https:" ? "secureConnect" : "connect", () => {
        isProxyReached = true
      })
    })
    connect.on("error", (error) => end(errorOf(error)))
    connect.once("response", ({ statusCode = 0 }) => end(errorOf(statusCode)))
    connect.once("connect", ({ statusCode = 0 }, socket) => {
      // Its errors reach the TLS socket too.
      socket.on("error", () => undefined)
      if (statusCode < MIN_SUCCESS || statusCode > MAX_SUCCESS) return end(errorOf(statusCode))
      // An IP address has no server name: its certificate is checked by `host`, without which Node expects one of `localhost`.
      secure = Tls.connect({ ...this.options, host, socket, ...(servername !== undefined && { servername }) })
      const onError = (error: Error) => end(error)
      secure.once("error", onError)
      secure.once("secureConnect", () => {
        secure?.off("error", onError)
        end(null)
      })
    })
    connect.end()
  }
}
