import { isIP } from "node:net"
import * as PrivateHost from "../../Url/PrivateHost.ts"
import * as PublicAddress from "../PublicAddress.ts"
import * as Body from "./Body.ts"
import { type FeedResponse, type Get, send } from "./Connection.ts"
import { type DocumentRequest, ThrownListError, type Validators } from "./Messages.ts"

/** A document whose body is still to be read, or a 304 response. */
export type Download =
  | { readonly _tag: "Document"; readonly body: Body.Body; readonly validators: Validators }
  | { readonly _tag: "NotModified" }

/** One request of a chain of redirects, and what it may do. */
export interface Hop {
  readonly url: URL
  /** How many redirects led here. */
  readonly redirects: number
  /** Whether all URLs of the chain have the feed's origin: only then the feed's auth header is sent. */
  readonly isSameOrigin: boolean
  /** Whether all URLs of the chain have a private host. */
  readonly isPrivateChain: boolean
  /** Whether a name may resolve to an address of a private network. */
  readonly allowsPrivateAddress: boolean
}

/** A private host by its name, or an address that is not of the Internet. */
const isPrivate = ({ hostname }: URL): boolean => {
  const address = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname
  return isIP(address) === 0 ? PrivateHost.isPrivate(hostname) : !PublicAddress.isPublic(address)
}

/** The request for the address that the operator configured, which may be anywhere. */
export const firstHop = (url: URL): Hop => ({
  url,
  redirects: 0,
  isSameOrigin: true,
  isPrivateChain: isPrivate(url),
  allowsPrivateAddress: true
})

/**
 * The request to which a redirect leads; undefined when one of the rules forbids it:
 *
 * - The new URL is HTTPS, or HTTP after HTTP if all hosts before it are private (an operator's own mirror or test).
 * - Its host is private only if all hosts before it are.
 * - After a public host, its name must not resolve to a private address (`allowsPrivateAddress`, checked by the connection).
 *
 * `nextHop(firstHop(new URL("https://feeds.example/")), "http://feeds.example/")` is undefined.
 */
export const nextHop = (hop: Hop, location: string): Hop | undefined => {
  if (!URL.canParse(location, hop.url.href)) return undefined
  const url = new URL(location, hop.url)
  const isSecureEnough =
    url.protocol === "https:" ||
    (url.protocol === "http:" && hop.url.protocol === "http:" && hop.isPrivateChain)
  if (!isSecureEnough || (isPrivate(url) && !hop.isPrivateChain)) return undefined
  return {
    url,
    redirects: hop.redirects + 1,
    isSameOrigin: hop.isSameOrigin && url.origin === hop.url.origin,
    isPrivateChain: hop.isPrivateChain && isPrivate(url),
    allowsPrivateAddress: hop.isPrivateChain
  }
}

const MAX_REDIRECTS = 5
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Follows redirects to the final response. */
const follow = async (request: DocumentRequest, get: Get, signal: AbortSignal): Promise<FeedResponse> => {
  let hop = firstHop(new URL(request.url))
  for (;;) {
    const { url, isSameOrigin, allowsPrivateAddress, redirects } = hop
    const headers = isSameOrigin ? { ...request.headers, ...request.authHeaders } : request.headers
    const address = url.href.slice(0, url.href.length - url.hash.length)
    const response = await send(get, address, request.limits, { headers, allowsPrivateAddress, signal })
    const { location } = response.headers
    if (!redirectStatuses.has(response.status) || location === undefined) return response
    if (redirects === MAX_REDIRECTS) throw new ThrownListError("TooManyRedirects")
    const next = nextHop(hop, location)
    if (next === undefined) throw new ThrownListError("ForbiddenRedirect")
    hop = next
  }
}

/** Requests a feed's document. Throws a `ThrownListError`, as does the body. `signal` closes all connections. */
export const download = async (
  request: DocumentRequest,
  get: Get,
  signal: AbortSignal
): Promise<Download> => {
  const { status, headers, body } = await follow(request, get, signal)
  if (status === 304) return { _tag: "NotModified" }
  if (status !== 200) throw new ThrownListError("Status", String(status), headers["retry-after"])
  if (headers["content-type"]?.toLowerCase().startsWith("text/html"))
    throw new ThrownListError("NotAFeed", "HTML")
  const received = Body.receive(body, headers["content-length"], request.limits)
  return {
    _tag: "Document",
    body: Body.decode(received, request.limits.maxBodyBytes),
    validators: { etag: headers.etag, lastModified: headers["last-modified"] }
  }
}
