import * as Body from "./Body.ts"
import { type FeedResponse, type Get, send } from "./Connection.ts"
import * as FeedDocument from "./FeedDocument.ts"
import * as Hop from "./Hop.ts"
import type { DocumentRequest, Validators } from "./Messages.ts"
import { ThrownListError } from "./ThrownListError.ts"

/** A document whose body is still to be read, or a 304 response. */
export type Download =
  | { readonly _tag: "Document"; readonly body: Body.Body; readonly validators: Validators }
  | { readonly _tag: "NotModified" }

const MAX_REDIRECTS = 5
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Follows redirects to the final response. */
const follow = async (request: DocumentRequest, get: Get, signal: AbortSignal): Promise<FeedResponse> => {
  let hop = Hop.first(new URL(request.url))
  for (;;) {
    const { url, isSameOrigin, allowsPrivateAddress, redirects } = hop
    const headers = isSameOrigin ? { ...request.headers, ...request.authHeaders } : request.headers
    const address = url.href.slice(0, url.href.length - url.hash.length)
    const response = await send(get, address, request.limits, { headers, allowsPrivateAddress, signal })
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
