import * as Body from "./Body.ts"
import * as FeedDocument from "./FeedDocument.ts"
import * as Hop from "./Hop.ts"
import type { DocumentRequest, Validators } from "./Messages.ts"
import { ThrownListError } from "./ThrownListError.ts"

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

/** A document whose body is still to be read, or a 304 response. */
export type Download =
  | { readonly _tag: "Document"; readonly body: Body.Body; readonly validators: Validators }
  | { readonly _tag: "NotModified" }

const MAX_REDIRECTS = 5
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Follows redirects to the final response. */
const follow = async (request: DocumentRequest, get: Get, signal: AbortSignal): Promise<FeedResponse> => {
  const { connectTimeoutMs, idleTimeoutMs } = request.limits
  let hop = Hop.first(new URL(request.url))
  for (;;) {
    const { url, isSameOrigin, allowsPrivateAddress, redirects } = hop
    const headers = isSameOrigin ? { ...request.headers, ...request.authHeaders } : request.headers
    const address = url.href.slice(0, url.href.length - url.hash.length)
    const sent = get(address, { headers, connectTimeoutMs, allowsPrivateAddress, signal })
    const response = await Body.orTimeout(
      sent.catch((error) => Promise.reject(Body.fromConnection(error))),
      connectTimeoutMs + idleTimeoutMs,
      "no answer"
    )
    const { location } = response.headers
    if (!redirectStatuses.has(response.status) || location === undefined) return response
    if (redirects === MAX_REDIRECTS) throw new ThrownListError("TooManyRedirects")
    const next = Hop.next(hop, location)
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
    body: FeedDocument.decode(received, request.limits.maxBodyBytes),
    validators: { etag: headers.etag, lastModified: headers["last-modified"] }
  }
}
