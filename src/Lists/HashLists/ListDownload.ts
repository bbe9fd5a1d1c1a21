import { mediaTypeOf } from "../../Layers/Outbound/Headers.ts"
import { ListError, orDefect, refusalOf } from "../ListError.ts"
import * as Body from "../ListWorker/Body.ts"
import { type FeedResponse, type Get, send, statusError } from "../ListWorker/Download.ts"
import type { EarlierList, Limits, UpdatedList, UpdatedLists, UpdateRequest } from "../ListWorker/Messages.ts"
import * as HashListMessage from "./HashListMessage.ts"
import * as HashListUpdate from "./HashListUpdate.ts"

/** Of a request with its response. Ten megabytes take 10 seconds at 8 Mbit/s. */
const REQUEST_TIMEOUT_MS = 60_000

/** Google's description of an error takes less than 1 KiB. */
const MAX_ERROR_BYTES = 4096

const OK = 200
const NOT_FOUND = "404"
const BAD_REQUEST = 400

/** Google's own clients accept the first; the others appear in responses of its services. */
const protobufTypes: ReadonlySet<string> = new Set([
  "application/x-protobuf",
  "application/protobuf",
  "application/octet-stream"
])

/** The URL-safe alphabet with padding, which Chromium sends; `base64url` of Node has no padding. */
const urlSafe = (base64: string): string => base64.replaceAll("+", "-").replaceAll("/", "_")

/** `names=se-4b&version=-__-AQ%3D%3D&alt=proto`: in the order of the lists. */
const query = (lists: ReadonlyArray<EarlierList>): URLSearchParams => {
  const query = new URLSearchParams()
  for (const { name } of lists) query.append("names", name)
  for (const { version } of lists) if (version !== undefined) query.append("version", urlSafe(version))
  query.append("alt", "proto")
  return query
}

/** The bytes of a response after decompression; at most `maxBodyBytes` in each form. */
const bodyOf = ({ headers, body }: FeedResponse, limits: Limits): Body.Body => {
  const received = Body.receive(body, limits)
  return headers["content-encoding"]?.trim().toLowerCase() === "gzip"
    ? Body.limitSize(Body.gunzip(received), limits.maxBodyBytes)
    : received
}

/** `buffer` of `node:stream/consumers` takes 1.7 times the memory: 323 in place of 188 MB for a body of 64 MB. */
const readAll = async (body: Body.Body): Promise<Buffer> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The body of an error as text; empty if it cannot be read or is larger than Google's. */
const errorText = async (response: FeedResponse, { limits }: UpdateRequest): Promise<string> => {
  try {
    const body = bodyOf(response, { ...limits, maxBodyBytes: MAX_ERROR_BYTES })
    return (await readAll(body)).toString("latin1")
  } catch (error) {
    orDefect(error)
    return ""
  }
}

/** Sends a request, and returns the body of its response. Throws a `ListError`. */
const fetchBody = async (request: UpdateRequest, get: Get, signal: AbortSignal): Promise<Uint8Array> => {
  const { baseUrl, headers, authHeaders, limits, lists } = request
  const response = await send(get, `${baseUrl}/v5/hashLists:batchGet?${query(lists)}`, limits, {
    headers: { accept: "application/x-protobuf", ...headers, ...authHeaders },
    allowsPrivateAddress: true, // the operator configured the address
    signal
  })
  const { status } = response
  if (status !== OK) {
    const text = status === BAD_REQUEST ? await errorText(response, request) : ""
    throw statusError(response, refusalOf(status, text))
  }
  if (!protobufTypes.has(mediaTypeOf(response.headers["content-type"])))
    throw new ListError("Malformed", "content type")
  return readAll(bodyOf(response, limits))
}

/** Sends a request, and applies the response, which is refused if it is about other lists or in another order. Throws a `ListError`. */
const updateAll = async (
  request: UpdateRequest,
  get: Get,
  signal: AbortSignal
): Promise<ReadonlyArray<UpdatedList>> => {
  const { limits, lists } = request
  const fetched = fetchBody(request, get, signal)
  const body = await Body.orTimeout(fetched, REQUEST_TIMEOUT_MS, "no complete answer")
  const messages = HashListMessage.decode(body, lists.length + 1)
  if (messages.length !== lists.length) throw new ListError("UnexpectedList")
  return lists.map((list, index) => {
    const message = messages[index]
    if (message?.name !== list.name) throw new ListError("UnexpectedList")
    return HashListUpdate.apply(message, list, limits.maxKeys)
  })
}

/** Whether the request may be refused for the name or the version of one of its lists. */
const isOfOneList = ({ detail, reason }: ListError): boolean =>
  reason === "RequestRefused" || (reason === "Status" && detail === NOT_FOUND)

/**
 * Requests the lists, whose names are distinct, and applies the response: all of them or none. One request names all lists. If
 * the service refuses it, each list is requested alone, as a whole, to find out which one it refuses.
 *
 * Computes for up to seconds: for the worker thread only. Rejects with a `ListError`. `signal` closes its connections. A request
 * has 60 seconds, so an update takes at most a minute for each list and one more.
 */
export const update = async (
  request: UpdateRequest,
  get: Get,
  signal: AbortSignal
): Promise<UpdatedLists> => {
  const { lists } = request
  try {
    return { lists: await updateAll(request, get, signal), refused: [] }
  } catch (error) {
    const refusal = orDefect(error)
    if (lists.length === 1 || !isOfOneList(refusal)) throw refusal
    const updated: Array<UpdatedList> = []
    const refused: Array<string> = []
    for (const { name } of lists) {
      const whole = { name, version: undefined, bytes: undefined }
      try {
        updated.push(...(await updateAll({ ...request, lists: [whole] }, get, signal)))
      } catch (error) {
        if (!isOfOneList(orDefect(error))) throw error
        refused.push(name)
      }
    }
    if (updated.length === 0) throw refusal
    return { lists: updated, refused }
  }
}
