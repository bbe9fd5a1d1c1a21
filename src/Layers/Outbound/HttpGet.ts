import * as Http from "node:http"
import * as Https from "node:https"
import type { LookupFunction, Socket } from "node:net"

/** The code of the error with which a connection that takes too long is given up. */
export const CONNECT_TIMED_OUT = "ECONNECTTIMEOUT"

/** The code of the error for an answer that is none: a status beyond those of HTTP, or an upgrade nobody asked for. */
const NO_ANSWER = "ENOANSWER"

/** node's parser lets any three digits through. */
const isFinalStatus = (status: number): boolean => status >= 200 && status <= 599

/** Where connections wait for the next request, or end. */
export interface Agents {
  readonly http: Http.Agent
  readonly https: Https.Agent
}

export const agents = (keepAlive: boolean): Agents => ({
  http: new Http.Agent({ keepAlive }),
  https: new Https.Agent({ keepAlive })
})

export interface Options {
  readonly agents: Agents
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds for name, connection and TLS handshake together. */
  readonly connectTimeout: number
  /** Who resolves names: the system if it is undefined. */
  readonly lookup: LookupFunction | undefined
  /** Ends the request, and the body while it comes. */
  readonly signal: AbortSignal
}

const limitConnecting = (request: Http.ClientRequest, limit: number, connected: string) =>
  request.once("socket", (socket: Socket) => {
    if (!socket.connecting) return
    const giveUp = () =>
      request.destroy(Object.assign(new Error("no connection in time"), { code: CONNECT_TIMED_OUT }))
    socket.setTimeout(limit, giveUp)
    socket.once(connected, () => {
      socket.setTimeout(0)
      socket.off("timeout", giveUp)
    })
  })

/**
 * Asks for a document over node:http(s), and resolves with the answer, its body still to be read. It follows no redirects and
 * decodes no content encoding. Errors have codes, the system's or those of this module. What goes wrong with the body is an
 * error of the message, to be heard or read there.
 *
 * Not `fetch`, because a server can end the process through it: undici's parser throws outside of any request when a
 * connection closes while its reader is slow (https://github.com/nodejs/undici/issues/5360, mended only in a version that
 * needs Node 22).
 */
export const get = (url: string | URL, options: Options): Promise<Http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    const target = new URL(url)
    const isSecure = target.protocol === "https:"
    const { headers, signal, lookup } = options
    const common = { headers, signal, ...(lookup !== undefined && { lookup }) }
    const sent = isSecure
      ? Https.get(target, { agent: options.agents.https, ...common })
      : Http.get(target, { agent: options.agents.http, ...common })
    limitConnecting(sent, options.connectTimeout, isSecure ? "secureConnect" : "connect")
    // For good: an error after the answer began reaches the reader of the body, and must not be thrown here too.
    sent.on("error", reject)
    sent.once("close", () => reject(Object.assign(new Error("no answer"), { code: NO_ANSWER })))
    sent.once("response", (message) => {
      if (isFinalStatus(message.statusCode ?? 0)) resolve(message)
      else message.destroy()
    })
  })
