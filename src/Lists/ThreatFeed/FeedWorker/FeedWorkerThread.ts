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
