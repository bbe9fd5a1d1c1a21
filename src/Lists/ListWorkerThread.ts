/**
 * The program of the worker thread: builds and updates lists until it is told to end. Bundled beside main.js, without fibers of
 * Effect, which would be half of its memory.
 */
import { readlinkSync } from "node:fs"
import { setPriority } from "node:os"
import { parentPort, workerData } from "node:worker_threads"
import type { ProxySettings } from "../Layers/AppConfig/ProxySettings.ts"
import * as ListDownload from "./HashLists/ListDownload.ts"
import { orDefect } from "./ListError.ts"
import * as Download from "./ListWorker/Download.ts"
import type { BuildResult, Order, Reply, UpdatedLists } from "./ListWorker/Messages.ts"
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

const { proxies }: { readonly proxies: ProxySettings } = workerData
const get = Download.make(proxies)

const run = (request: Order["request"], signal: AbortSignal): Promise<BuildResult | UpdatedLists> =>
  "_tag" in request ? ListDownload.update(request, get, signal) : ListBuild.build(request, get, signal)

/** A defect becomes an unhandled rejection, which ends the thread with an `error` event for the main thread. */
const carryOut = async ({ port, request }: Order): Promise<void> => {
  const connections = new AbortController()
  port.once("close", () => connections.abort())
  const reply = (message: Reply<BuildResult | UpdatedLists>) => port.postMessage(message)
  try {
    // Lists in it are in shared memory: what is not would be copied while requests wait.
    reply({ result: await run(request, connections.signal) })
  } catch (error) {
    const { detail, reason, retryAfterMillis } = orDefect(error)
    reply({ failure: { detail, reason, retryAfterMillis } })
  } finally {
    connections.abort()
    port.close()
  }
}

lowerPriority()
parentPort?.on("message", (message: Order | "end") => {
  if (message === "end") parentPort?.close()
  else void carryOut(message)
})
