/**
 * The program of the worker thread: builds one list, answers with one message and ends. Bundled beside
 * main.js, without fibers of Effect, which would be half of its memory.
 */
import { parentPort, workerData } from "node:worker_threads"
import * as HttpRequest from "../../../Layers/Outbound/HttpRequest.ts"
import { lookupPublic } from "../../../Layers/Outbound/PublicLookup.ts"
import type { Get } from "./FeedDownload.ts"
import * as ListBuild from "./ListBuild.ts"
import type { BuildRequest, BuildResponse } from "./ThreadMessages.ts"
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

const answer = (response: BuildResponse) => {
  const bytes = "bytes" in response ? response.bytes : undefined
  parentPort?.postMessage(response, bytes === undefined ? [] : [bytes.buffer])
}

ThreadPriority.lower()
const request: BuildRequest = workerData
// A defect becomes an unhandled rejection, which ends the thread with an `error` event for the main thread.
void ListBuild.build(request, get).then(answer)
