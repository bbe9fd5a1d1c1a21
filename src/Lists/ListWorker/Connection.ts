import * as HttpRequest from "../../Layers/Outbound/HttpRequest.ts"
import { lookupPublic } from "../PublicAddress.ts"
import type { Get } from "./Download.ts"

/** Requests over node:http(s), each with a connection of its own. */
export const make = (): Get => {
  const agents = HttpRequest.makeAgents({ keepAlive: false })
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
