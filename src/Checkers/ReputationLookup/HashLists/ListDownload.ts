import { Either } from "effect"
import * as ConnectionError from "../../ThreatFeed/FeedWorker/ConnectionError.ts"
import * as FeedBody from "../../ThreatFeed/FeedWorker/FeedBody.ts"
import * as FeedDocument from "../../ThreatFeed/FeedWorker/FeedDocument.ts"
import type { FeedResponse, Get } from "../../ThreatFeed/FeedWorker/FeedDownload.ts"
import { ThrownFeedError } from "../../ThreatFeed/ThrownFeedError.ts"
import * as Refusal from "../Refusal.ts"
import { type HashListErrorReason, hashListErrorReasons } from "./HashListError.ts"
import * as HashListMessage from "./HashListMessage.ts"
import * as HashListUpdate from "./HashListUpdate.ts"
import { ThrownListError } from "./ThrownListError.ts"
import type {
  EarlierList,
  ListOutcome,
  UnchangedList,
  UpdatedLists,
  UpdateRequest
} from "./UpdateMessages.ts"

/** Of a request with its response. Ten megabytes take 10 seconds at 8 Mbit/s. */
const REQUEST_TIMEOUT_MS = 60_000

/** Google's description of an error takes less than 1 KiB; the reason is near its beginning. */
const MAX_ERROR_BYTES = 4096

const OK = 200
const BAD_REQUEST = 400
const NOT_FOUND = 404
const TOO_MANY_REQUESTS = 429

/** Google's own clients accept the first; the others appear in responses of its services. */
const protobufTypes: ReadonlySet<string> = new Set([
  "application/x-protobuf",
  "application/protobuf",
  "application/octet-stream"
])

const mediaType = (contentType = ""): string => (contentType.split(";", 1)[0] ?? "").trim().toLowerCase()

/** The URL-safe alphabet with padding, which Chromium sends; `base64url` of Node has no padding. */
const urlSafe = (base64: string): string => base64.replaceAll("+", "-").replaceAll("/", "_")

/** `names=se-4b&version=-__-AQ%3D%3D&alt=proto`: the order is that of the lists. */
const query = (lists: ReadonlyArray<EarlierList>): string =>
  [
    ...lists.map(({ name }) => ["names", name] as const),
    ...lists.flatMap(({ version }) =>
      version === undefined ? [] : [["version", urlSafe(version)] as const]
    ),
    ["alt", "proto"] as const
  ]
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&")

const isListError = (reason: string): reason is HashListErrorReason =>
  hashListErrorReasons.some((known) => known === reason)

/** What reads bodies throws errors of feeds; one that lists do not have is about the bytes. */
const listError = (error: unknown): ThrownListError => {
  if (error instanceof ThrownListError) return error
  if (!(error instanceof ThrownFeedError)) throw error
  const { reason, detail } = error
  return new ThrownListError(isListError(reason) ? reason : "Malformed", detail)
}

/** The bytes of a response after decompression; at most `maxBodyBytes` in each form. */
const bodyOf = ({ headers, body }: FeedResponse, { limits }: UpdateRequest): FeedBody.FeedBody => {
  const received = FeedBody.receive(body, headers["content-length"], limits)
  switch (headers["content-encoding"]?.trim().toLowerCase() ?? "identity") {
    case "identity":
      return received
    case "gzip":
      return FeedBody.limitSize(FeedDocument.gunzip(received), limits.maxBodyBytes)
    default:
      throw new ThrownListError("Malformed", "content encoding")
  }
}

/** The first bytes of an error's body as text; empty if it cannot be read. */
const beginningOf = async (body: FeedBody.FeedBody): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= MAX_ERROR_BYTES) break
    }
  } catch (error) {
    if (!(error instanceof ThrownFeedError)) throw error
  }
  return Buffer.concat(chunks).toString("latin1", 0, MAX_ERROR_BYTES)
}

const readAll = async (body: FeedBody.FeedBody): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Sends one request for some lists, and returns the body of its response. Throws a `ThrownListError`. */
const fetchBody = async (
  request: UpdateRequest,
  lists: ReadonlyArray<EarlierList>,
  get: Get,
  signal: AbortSignal
): Promise<Uint8Array> => {
  const { baseUrl, headers, authHeaders, limits } = request
  const { connectTimeoutMs, idleTimeoutMs } = limits
  const sent = get(`${baseUrl}/v5/hashLists:batchGet?${query(lists)}`, {
    headers: { accept: "application/x-protobuf", ...headers, ...authHeaders },
    connectTimeoutMs,
    allowsPrivateAddress: true, // the operator configured the address
    signal
  })
  const response = await ConnectionError.orTimeout(
    sent.catch((error) => Promise.reject(ConnectionError.fromConnection(error))),
    connectTimeoutMs + idleTimeoutMs,
    "no answer"
  )
  const { status } = response
  if (status !== OK) {
    const beginning = status === BAD_REQUEST ? await beginningOf(bodyOf(response, request)) : ""
    const reason = Refusal.refusal(status, beginning) ?? "Status"
    throw new ThrownListError(reason, String(status), response.headers["retry-after"])
  }
  if (!protobufTypes.has(mediaType(response.headers["content-type"])))
    throw new ThrownListError("Malformed", "content type")
  return readAll(bodyOf(response, request))
}

/** Downloads with a timeout of the whole, at whose end the connection is closed. */
const download = async (
  request: UpdateRequest,
  lists: ReadonlyArray<EarlierList>,
  get: Get,
  signal: AbortSignal
): Promise<Either.Either<Uint8Array, ThrownListError>> => {
  const connection = new AbortController()
  const abort = () => connection.abort()
  signal.addEventListener("abort", abort)
  try {
    const body = fetchBody(request, lists, get, connection.signal)
    return Either.right(await ConnectionError.orTimeout(body, REQUEST_TIMEOUT_MS, "no complete answer"))
  } catch (error) {
    return Either.left(listError(error))
  } finally {
    signal.removeEventListener("abort", abort)
    connection.abort()
  }
}

const unchanged = (
  { name, version }: EarlierList,
  { reason, detail, retryAfter }: Pick<ThrownListError, "reason" | "detail" | "retryAfter">
): UnchangedList => ({
  _tag: "Unchanged",
  name,
  reason,
  detail,
  needsFull: version === undefined || HashListUpdate.needsFull(reason),
  retryAfter
})

const only = (reason: HashListErrorReason) => ({ reason, detail: undefined, retryAfter: undefined })

/**
 * The outcome for each requested list. Names are compared before anything is applied: a response about other lists, or in
 * another order, is refused as a whole.
 */
const applyBody = (
  lists: ReadonlyArray<EarlierList>,
  body: Uint8Array,
  maxEntries: number
): ReadonlyArray<ListOutcome> => {
  const decoded = HashListMessage.decode(body)
  if (Either.isLeft(decoded)) return lists.map((list) => unchanged(list, only(decoded.left)))
  const messages = decoded.right
  const isRequested =
    messages.length === lists.length &&
    lists.every(({ name }, index) => {
      const message = messages[index]
      return message !== undefined && (Either.isLeft(message) || message.right.name === name)
    })
  return lists.map((list, index) => {
    const message = messages[index]
    if (!isRequested || message === undefined) return unchanged(list, only("UnexpectedList"))
    return Either.getOrElse(
      Either.flatMap(message, (message) => HashListUpdate.apply(message, list, maxEntries)),
      (reason) => unchanged(list, only(reason))
    )
  })
}

/** Whether the service, for a name that it does not know, would refuse a whole batch like this. */
const mayBeForOneName = ({ reason, detail }: ThrownListError): boolean =>
  reason === "RequestRefused" || (reason === "Status" && detail === String(NOT_FOUND))

/** Whether any other request would have the same fate. */
const isForAll = ({ reason, detail }: ThrownListError): boolean =>
  reason === "Unreachable" ||
  reason === "KeyRefused" ||
  (reason === "Status" && detail === String(TOO_MANY_REQUESTS))

/**
 * Requests the lists and applies what comes. Lists are requested together unless they are to be alone, or the service refuses
 * the request for all: then each for itself, because it may be for one name. No request is sent after one whose error
 * concerns all. Computes for up to seconds: for the worker thread only. Rejects only with defects, and closes its connections
 * whatever happens.
 *
 * A request has 60 seconds: an update takes at most a minute for each list and one more.
 */
export const update = async (request: UpdateRequest, get: Get): Promise<UpdatedLists> => {
  const connections = new AbortController()
  const outcomes = new Map<EarlierList, ListOutcome>()
  const { lists, limits } = request
  let forAll: ThrownListError | undefined

  const send = async (part: ReadonlyArray<EarlierList>): Promise<void> => {
    const body =
      forAll === undefined ? await download(request, part, get, connections.signal) : Either.left(forAll)
    if (Either.isRight(body)) {
      const applied = applyBody(part, body.right, limits.maxKeys)
      for (const [index, outcome] of applied.entries()) {
        const list = part[index]
        if (list !== undefined) outcomes.set(list, outcome)
      }
      return
    }
    const error = body.left
    if (isForAll(error)) forAll = error
    if (part.length > 1 && mayBeForOneName(error)) for (const list of part) await send([list])
    else for (const list of part) outcomes.set(list, unchanged(list, error))
  }

  try {
    const together = lists.filter(({ isAlone }) => !isAlone)
    if (together.length > 0) await send(together)
    for (const list of lists) if (list.isAlone) await send([list])
    return { _tag: "UpdatedLists", lists: lists.flatMap((list) => outcomes.get(list) ?? []) }
  } finally {
    connections.abort()
  }
}
