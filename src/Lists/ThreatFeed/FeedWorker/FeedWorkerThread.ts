/**
 * The program of the worker thread: builds one list or updates some, answers with one message and ends. Bundled beside
 * main.js, without fibers of Effect, which would be half of its memory.
 */
import { parentPort, workerData } from "node:worker_threads"
import * as ListDownload from "../../HashLists/ListDownload.ts"
import type { UpdateRequest } from "../../HashLists/UpdateMessages.ts"
import * as FeedConnection from "./FeedConnection.ts"
import * as ListBuild from "./ListBuild.ts"
import type { BuildRequest } from "./ThreadMessages.ts"
import * as ThreadPriority from "./ThreadPriority.ts"

const get = FeedConnection.make()

const run = async (request: BuildRequest | UpdateRequest): Promise<void> => {
  // The bytes of a threat list are shared memory, those of the other lists are transferred.
  if (!("_tag" in request)) return parentPort?.postMessage(await ListBuild.build(request, get))
  const response = await ListDownload.update(request, get)
  const buffers = response.lists.flatMap((list) =>
    list._tag === "Updated" && list.bytes !== undefined ? [list.bytes.buffer] : []
  )
  parentPort?.postMessage(response, buffers)
}

ThreadPriority.lower()
// A defect becomes an unhandled rejection, which ends the thread with an `error` event for the main thread.
void run(workerData)
