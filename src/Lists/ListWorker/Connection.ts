import { retryAfterMillis } from "../../Layers/Outbound/Headers.ts"
import * as HttpRequest from "../../Layers/Outbound/HttpRequest.ts"
import type { ProxySettings } from "../../Layers/Outbound/Proxies.ts"
import { ListError, type ListErrorReason } from "../ListError.ts"
import { lookupPublic } from "../PublicAddress.ts"
import * as Body from "./Body.ts"
import type { Limits } from "./Messages.ts"

/** A response whose body is still to be read. */
export interface FeedResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: AsyncIterable<Uint8Array>
}

/** Sends one request and follows no redirect. `signal` closes the connection. Rejects with the connection's error. */
export type Get = (
  url: string,
  options: {
    readonly headers: Readonly<Record<string, string>>
    readonly connectTimeoutMs: number
    /** If false, a name that resolves to an address of a private network is refused. */
    readonly allowsPrivateAddress: boolean
    readonly signal: AbortSignal
  }
) => Promise<FeedResponse>

/**
 * Requests over node:http(s), each with a connection of its own. Through a proxy that resolves the names, their addresses are not
 * checked.
 */
export const make = (proxies?: ProxySettings): Get => {
  const agents = HttpRequest.makeAgents({ keepAlive: false }, proxies)
  return async (url, { headers, connectTimeoutMs, allowsPrivateAddress, signal }) => {
    const lookup = allowsPrivateAddress ? undefined : lookupPublic
    const message = await HttpRequest.send(url, {
      method: "GET",
      headers,
      body: undefined,
      agents,
      connectTimeoutMs,
      lookup,
      signal
    })
    // Without a listener an error before the body is read would end the thread; the reader gets it too.
    message.on("error", () => undefined)
    const single = Object.entries(message.headers).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as const] : []
    )
    return { status: message.statusCode ?? 0, headers: Object.fromEntries(single), body: message }
  }
}

/** Sends a request and waits for the head of its response within the limits. Throws a `ListError`. */
export const send = (
  get: Get,
  url: string,
  { connectTimeoutMs, idleTimeoutMs }: Limits,
  options: Omit<Parameters<Get>[1], "connectTimeoutMs">
): Promise<FeedResponse> =>
  Body.orTimeout(
    get(url, { ...options, connectTimeoutMs }).catch((error) => Promise.reject(Body.fromConnection(error))),
    connectTimeoutMs + idleTimeoutMs,
    "no answer"
  )

/** The error of a response by its status. A date in Retry-After is taken relative to now. */
export const statusError = (
  { headers, status }: Pick<FeedResponse, "headers" | "status">,
  reason: ListErrorReason = "Status"
): ListError => new ListError(reason, String(status), retryAfterMillis(headers["retry-after"], Date.now()))
