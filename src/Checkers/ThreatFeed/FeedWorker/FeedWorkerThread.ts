/**
 * The program of the worker thread: builds one list or updates some, answers with one message and ends. Bundled beside
 * main.js, without fibers of Effect, which would be half of its memory.
 */
import { parentPort, workerData } from "node:worker_threads"
import * as HttpRequest from "../../../Layers/Outbound/HttpRequest.ts"
import { lookupPublic } from "../../../Layers/Outbound/PublicLookup.ts"
import * as ListDownload from "../../ReputationLookup/HashLists/ListDownload.ts"
import type { UpdateRequest } from "../../ReputationLookup/HashLists/UpdateMessages.ts"
import type { Get } from "./FeedDownload.ts"
import * as ListBuild from "./ListBuild.ts"
import type { BuildRequest } from "./ThreadMessages.ts"
import * as ThreadPriority from "./ThreadPriority.ts"

const agents = HttpRequest.makeAgents({ keepAlive: false })

const get: Get = async (url, { headers, connectTimeoutMs, allowsPrivateAddress, signal }) => {
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

/** Transfers the lists of an answer. */
const answer = (
  response: object,
  lists: ReadonlyArray<{ readonly bytes?: Uint8Array<ArrayBuffer> | undefined }>
) =>
  parentPort?.postMessage(
    response,
    lists.flatMap(({ bytes }) => (bytes === undefined ? [] : [bytes.buffer]))
  )

const run = async (request: BuildRequest | UpdateRequest): Promise<void> => {
  if ("_tag" in request) {
    const response = await ListDownload.update(request, get)
    answer(
      response,
      response.lists.map((list) => (list._tag === "Updated" ? list : {}))
    )
  } else {
    const response = await ListBuild.build(request, get)
    answer(response, [response._tag === "Failed" ? {} : response])
  }
}

ThreadPriority.lower()
// A defect becomes an unhandled rejection, which ends the thread with an `error` event for the main thread.
void run(workerData)
