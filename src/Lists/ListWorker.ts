import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { MessageChannel, Worker } from "node:worker_threads"
import { FileSystem } from "@effect/platform"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Cause, Context, Deferred, Duration, Effect, Layer, RcMap } from "effect"
import type { ProxySettings } from "../Layers/AppConfig/ProxySettings.ts"
import * as Files from "../Layers/Files.ts"
import { OutboundProxies } from "../Layers/Outbound/HttpExchange.ts"
import * as OutboundHttp from "../Layers/Outbound.ts"
import { Tracing } from "../Layers/Tracing.ts"
import { ListError } from "./ListError.ts"
import {
  type BuildRequest,
  type BuildResult,
  isFile,
  type Order,
  type Reply,
  type UpdatedLists,
  type UpdateRequest
} from "./ListWorker/Messages.ts"

/**
 * Most garbage of the thread dies young, and lists are not on the heap. With a young generation of 3 MB the first lists take a tenth
 * more CPU, and a list of a million URLs 5 MB less memory.
 */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 }

/** A thread without work ends by itself within milliseconds. */
const MAX_TIME_TO_END = Duration.seconds(1)

/** The id of a thread that has ended. */
const NO_THREAD = -1

interface Thread {
  readonly worker: Worker
  /** Fails when the thread has ended, for whatever reason. */
  readonly death: Deferred.Deferred<never, ListError>
}

const died = (detail: string) => Effect.fail(new ListError("WorkerDied", detail))

/** An error of Node's, such as memory at its limit, is the death of the thread; any other is a defect. */
const deathBy = (error: unknown) =>
  error instanceof Error && "code" in error && String(error.code).startsWith("ERR_WORKER_")
    ? died(String(error.code))
    : Effect.die(error)

/**
 * Starts a thread, which ends with the scope. It gets neither the environment, which holds keys, nor the process's `--import`
 * programs.
 *
 * It is told to end, and ends by itself: terminating a thread in which node reads from a connection can abort the whole process
 * (compare https://github.com/nodejs/node/issues/38418). It is terminated only if it does not end.
 */
const startThread = (program: string, proxies: ProxySettings) =>
  Effect.acquireRelease(
    Effect.map(Deferred.make<never, ListError>(), (death): Thread => {
      const worker = new Worker(program, {
        eval: true,
        workerData: { proxies },
        resourceLimits: RESOURCE_LIMITS,
        env: {},
        execArgv: []
      })
      worker.on("error", (error) => Deferred.unsafeDone(death, deathBy(error)))
      worker.on("exit", (code) => Deferred.unsafeDone(death, died(`exit ${code}`)))
      return { worker, death }
    }),
    ({ death, worker }) =>
      Effect.sync(() => worker.postMessage("end")).pipe(
        Effect.zipRight(Effect.exit(Deferred.await(death))),
        // Not awaited: node waits for a name resolution that is under way.
        Effect.timeoutTo({
          duration: MAX_TIME_TO_END,
          onSuccess: () => undefined,
          onTimeout: () => void worker.terminate()
        }),
        Effect.forkDaemon
      )
  )

/** Gives a request to a thread. `A` is what the program makes of it. An interruption closes the connections. */
const ask = <A>(
  { death, worker }: Thread,
  request: Order["request"],
  afterDeath: Effect.Effect<A, ListError> = Deferred.await(death)
): Effect.Effect<A, ListError> =>
  Effect.async((resume) => {
    const { port1, port2 } = new MessageChannel()
    const end = () => finish(afterDeath)
    const stop = () => {
      worker.off("exit", end)
      port1.close()
    }
    const finish = (answer: Effect.Effect<A, ListError>) => {
      stop()
      resume(answer)
    }
    port1.once("message", (reply: Reply<A>) => {
      if ("result" in reply) return finish(Effect.succeed(reply.result))
      const { detail, reason, retryAfterMillis } = reply.failure
      finish(Effect.fail(new ListError(reason, detail, retryAfterMillis)))
    })
    // Not `raceFirst` with the death: that never ends if it is interrupted while it starts.
    worker.once("exit", end)
    if (worker.threadId === NO_THREAD) end()
    else worker.postMessage({ request, port: port2 } satisfies Order, [port2])
    return Effect.sync(stop)
  })

interface ListWorkerShape {
  /**
   * Downloads or reads a feed and builds its list, in a thread. An interruption closes its connections. Fails with the thread's
   * reason, or with `WorkerDied`.
   */
  readonly build: (request: BuildRequest) => Effect.Effect<BuildResult, ListError>
  /**
   * Downloads and applies updates of Safe Browsing's lists, in a thread. An interruption closes its connections. Fails with the
   * thread's reason, or with `WorkerDied`. It takes at most a minute for each list and one more.
   */
  readonly updateLists: (request: UpdateRequest) => Effect.Effect<UpdatedLists, ListError>
}

/** Builds and updates lists without holding up the thread that answers requests. Lists are in shared memory: none is copied. */
export class ListWorker extends Context.Tag("app/Lists/ListWorker")<ListWorker, ListWorkerShape>() {
  /**
   * Reads the CommonJS script once, so that a later build cannot change the program of a running process. No thread starts
   * before `ready`: threads would take the processor from the start of the service.
   *
   * Feeds that are downloaded at the same time share a thread: of the time of five builds in a thread each, half is for starting
   * and compiling. If it dies, each is built again in a thread of its own, so that a document takes no other list with it. A file
   * that does not respond would hold up the others, and an update of Safe Browsing's lists computes for seconds.
   */
  static readonly make = Effect.fnUntraced(function* (script: URL, ready: Effect.Effect<void> = Effect.void) {
    const tracing = yield* Tracing
    const start = startThread(readFileSync(script, "utf8"), yield* OutboundProxies)
    // One for all requests, and so one turn: each file that hangs would occupy another of Node's four threads.
    const files = yield* Effect.provide(FileSystem.FileSystem, NodeFileSystem.layer)
    /** The thread of an interrupted request may hang: it ends after its other requests, and later ones share the next thread. */
    let shared = 0
    const threads = yield* RcMap.make({ lookup: (_: typeof shared) => start })
    const alone = <A>(request: Order["request"]) =>
      Effect.scoped(Effect.flatMap(start, (thread) => ask<A>(thread, request)))
    const together = <A>(request: Order["request"]) =>
      Effect.scoped(
        Effect.flatMap(
          Effect.suspend(() => RcMap.get(threads, shared)),
          (thread) => ask<A>(thread, request, alone(request))
        )
      )
    /** One of them may be why their thread hung: each has a thread of its own at its next refresh. */
    const interrupted = new Set<string>()
    const fromServer = (request: BuildRequest) =>
      Effect.suspend(() => {
        const { url } = request
        const built = interrupted.delete(url) ? alone<BuildResult>(request) : together<BuildResult>(request)
        return Effect.onInterrupt(built, () =>
          Effect.sync(() => {
            interrupted.add(url)
            shared++
          })
        )
      })
    /** A thread that reads a file that does not respond could not be terminated. */
    const fromFile = (request: BuildRequest) =>
      Files.responds(fileURLToPath(request.url)).pipe(
        Effect.provideService(FileSystem.FileSystem, files),
        Effect.mapError(() => new ListError("Timeout", "no response for 10 seconds")),
        Effect.zipRight(alone<BuildResult>(request))
      )
    return {
      build: (request) =>
        Effect.zipRight(
          ready,
          isFile(request)
            ? fromFile(request)
            : OutboundHttp.traced(tracing, "GET", request.url)(fromServer(request))
        ),
      updateLists: (request) =>
        Effect.zipRight(
          ready,
          OutboundHttp.traced(tracing, "GET", request.baseUrl)(alone<UpdatedLists>(request))
        )
    } satisfies ListWorkerShape
  })

  /** The script is bundled beside this program: see scripts/build.js. */
  static readonly layer = (ready?: Effect.Effect<void>) =>
    Layer.scoped(
      ListWorker,
      Effect.suspend(() => ListWorker.make(new URL("./ListWorkerThread.cjs", import.meta.url), ready))
    )
}

/** Logs a defect of a refresh, and fails with `Defect`. */
export const failOnDefect = Effect.catchAllDefect((defect) =>
  Effect.zipRight(
    Effect.logError("Refreshing a threat list failed", Cause.die(defect)),
    Effect.fail(new ListError("Defect"))
  )
)
