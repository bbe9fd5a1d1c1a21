/**
 * The program of the worker thread: builds one list or updates some, answers with one message and ends. Bundled beside
 * main.js, without fibers of Effect, which would be half of its memory.
 */
import { readlinkSync } from "node:fs"
import { setPriority } from "node:os"
import { parentPort, workerData } from "node:worker_threads"
import type { ProxySettings } from "../Layers/Outbound/Proxies.ts"
import * as ListDownload from "./HashLists/ListDownload.ts"
import * as Connection from "./ListWorker/Connection.ts"
import type { BuildRequest, BuildResponse, UpdateRequest, UpdateResponse } from "./ListWorker/Messages.ts"
import * as ListBuild from "./ThreatFeed/ListBuild.ts"

/** A nice value. The thread gets about a tenth of a busy core, and all of an idle one. */
const LOW_PRIORITY = 10

/**
 * Lowers the priority of this thread, so that building a list does not delay the thread that answers requests. Only on Linux,
 * where a thread has a priority of its own (https://man7.org/linux/man-pages/man2/setpriority.2.html) and `/proc/thread-self`
 * shows its number; elsewhere it does nothing.
 */
const lowerPriority = (): void => {
  try {
    const [, thread = ""] = /^\d+\/task\/(\d+)$/.exec(readlinkSync("/proc/thread-self")) ?? []
    if (thread !== "") setPriority(Number(thread), LOW_PRIORITY)
  } catch {
    // Not Linux, or not permitted.
  }
}

/** Lists in a response are in shared memory: what is not would be copied while requests wait. */
const run = ({
  proxies,
  request
}: {
  readonly proxies: ProxySettings
  readonly request: BuildRequest | UpdateRequest
}): Promise<BuildResponse | UpdateResponse> => {
  const get = Connection.make(proxies)
  return "_tag" in request ? ListDownload.update(request, get) : ListBuild.build(request, get)
}

lowerPriority()
// A defect becomes an unhandled rejection, which ends the thread with an `error` event for the main thread.
void run(workerData).then((response) => parentPort?.postMessage(response))
