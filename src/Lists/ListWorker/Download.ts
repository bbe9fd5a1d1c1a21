import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import { isIP } from "node:net"
import { fileURLToPath } from "node:url"
import type { ProxySettings } from "../../Layers/AppConfig/ProxySettings.ts"
import { retryAfterMillis } from "../../Layers/Outbound/Headers.ts"
import * as HttpRequest from "../../Layers/Outbound/HttpRequest.ts"
import * as PrivateHost from "../../Url/PrivateHost.ts"
import { ListError, type ListErrorReason } from "../ListError.ts"
import * as PublicAddress from "../PublicAddress.ts"
import * as Body from "./Body.ts"
import { type DocumentRequest, isFile, type Limits, type Validators } from "./Messages.ts"

/** A response whose body is still to be read. */
export interface FeedResponse {
  readonly status: number
  /** Node keeps one of each: no array. */
  readonly headers: Pick<
    IncomingHttpHeaders,
    "content-encoding" | "content-type" | "etag" | "last-modified" | "location" | "retry-after"
  >
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Sends one request and follows no redirect, or reads a file of this machine. `signal` closes the connection or file. Rejects with
 * its error.
 */
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

const FILE_CHUNK_BYTES = 65_536

/** Returns at once for a pipe without a writer, which a plain `open` would wait for. Windows has no such flag. */
const READ_WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK

/** Changes with the content. A file that is replaced within one tick of the disk's clock has another inode. */
const versionOf = (file: number): string => {
  const stat = fstatSync(file, { bigint: true })
  if (!stat.isFile()) throw new ListError("Unreachable", "NotAFile")
  return `${stat.mtimeNs}-${stat.ino}-${stat.size}`
}

/** Fails with `Corrupt` when the file has another version at its end: then its beginning may be of the one before. */
async function* chunksOf(file: number, version: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (;;) {
    // Closed, although a decompressor still reads: another file may have this number.
    if (signal.aborted) return
    const buffer = Buffer.allocUnsafe(FILE_CHUNK_BYTES)
    const bytesRead = readSync(file, buffer)
    if (bytesRead === 0) break
    yield buffer.subarray(0, bytesRead)
  }
  if (versionOf(file) !== version) throw new ListError("Corrupt", "changed while it was read")
}

/**
 * Opens a regular file of this machine as the response to a request; pipes and devices are refused without waiting for them. Its
 * version is the ETag. Throws the error of the system or a `ListError`, as does the body. `signal` closes the file.
 *
 * Each call blocks this thread: on a disk that does not respond, it occupies none of those on which Node looks up names.
 */
export const openFile = async (
  url: string,
  { headers, signal }: Pick<Parameters<Get>[1], "headers" | "signal">
): Promise<FeedResponse> => {
  const file = openSync(fileURLToPath(url), READ_WITHOUT_WAITING)
  signal.addEventListener("abort", () => closeSync(file))
  const etag = versionOf(file)
  return {
    status: headers["if-none-match"] === etag ? 304 : 200,
    headers: { etag },
    body: chunksOf(file, etag, signal)
  }
}

/**
 * Requests over node:http(s), each with a connection of its own. Through a proxy that resolves the names, their addresses are not
 * checked.
 */
export const make = (proxies?: ProxySettings): Get => {
  const agents = HttpRequest.makeAgents({ keepAlive: false }, proxies)
  return async (url, options) => {
    if (isFile({ url })) return openFile(url, options)
    const { headers, connectTimeoutMs, allowsPrivateAddress, signal } = options
    const lookup = allowsPrivateAddress ? undefined : PublicAddress.lookupPublic
    const message = await HttpRequest.send(url, {
      method: "GET",
      headers,
      agents,
      connectTimeoutMs,
      lookup,
      signal
    })
    // Without a listener an error before the body is read would end the thread; the reader gets it too.
    message.on("error", () => undefined)
    return { status: message.statusCode ?? 0, headers: message.headers, body: message }
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

/**
 * The error of a response by its status. A date in Retry-After is taken relative to the system's clock: the worker thread has no
 * fibers, and so no Clock.
 */
export const statusError = (
  { headers, status }: Pick<FeedResponse, "headers" | "status">,
  reason: ListErrorReason = "Status"
): ListError => new ListError(reason, String(status), retryAfterMillis(headers["retry-after"], Date.now()))

/** A document whose body is still to be read, or a 304 response. */
export type Download =
  | { readonly _tag: "Document"; readonly body: Body.Body; readonly validators: Validators }
  | { readonly _tag: "NotModified" }

/** A private host by its name, or an address that is not of the Internet. */
const isPrivate = ({ hostname }: URL): boolean => {
  const address = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname
  return isIP(address) === 0 ? PrivateHost.isPrivate(hostname) : !PublicAddress.isPublic(address)
}

/**
 * The URL to which a redirect leads; undefined when one of the rules forbids it:
 *
 * - It is HTTPS, or HTTP after HTTP if the host before is private (an operator's own mirror or test).
 * - Its host is private only if the one before is: so are then all before, because no way leads back.
 *
 * `redirected(new URL("https://feeds.example/"), "http://feeds.example/")` is undefined.
 */
export const redirected = (from: URL, location: string): URL | undefined => {
  if (!URL.canParse(location, from.href)) return undefined
  const to = new URL(location, from)
  const isPlain = to.protocol === "http:" && from.protocol === "http:"
  const isAllowed = isPrivate(from)
    ? isPlain || to.protocol === "https:"
    : to.protocol === "https:" && !isPrivate(to)
  return isAllowed ? to : undefined
}

const MAX_REDIRECTS = 5
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Follows redirects to the final response. The auth header is sent only while all URLs have the feed's origin. */
const follow = async (request: DocumentRequest, get: Get, signal: AbortSignal): Promise<FeedResponse> => {
  let url = new URL(request.url)
  let headers = { ...request.headers, ...request.authHeaders }
  // The operator's address may be anywhere. After a public host no name may resolve to a private address.
  let allowsPrivateAddress = true
  for (let redirects = 0; ; redirects++) {
    const address = url.href.slice(0, url.href.length - url.hash.length)
    const response = await send(get, address, request.limits, { headers, allowsPrivateAddress, signal })
    const { location } = response.headers
    if (!redirectStatuses.has(response.status) || location === undefined) return response
    if (redirects === MAX_REDIRECTS) throw new ListError("TooManyRedirects")
    const next = redirected(url, location)
    if (next === undefined) throw new ListError("ForbiddenRedirect")
    if (next.origin !== url.origin) headers = request.headers
    allowsPrivateAddress = isPrivate(url)
    url = next
  }
}

/** Requests a feed's document, or reads it. Throws a `ListError`, as does the body. `signal` closes all connections. */
export const download = async (
  request: DocumentRequest,
  get: Get,
  signal: AbortSignal
): Promise<Download> => {
  const response = await follow(request, get, signal)
  const { status, headers, body } = response
  if (status === 304) return { _tag: "NotModified" }
  if (status !== 200) throw statusError(response)
  if (headers["content-type"]?.toLowerCase().startsWith("text/html")) throw new ListError("NotAFeed", "HTML")
  return {
    _tag: "Document",
    body: Body.decode(Body.receive(body, request.limits), request.limits.maxBodyBytes),
    validators: { etag: headers.etag, lastModified: headers["last-modified"] }
  }
}
