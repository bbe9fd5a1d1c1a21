import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Cause, Context, Duration, Effect, Layer } from "effect"
import * as Files from "../Layers/Files.ts"
import { OutboundProxies } from "../Layers/Outbound/HttpExchange.ts"
import type { ProxySettings } from "../Layers/Outbound/Proxies.ts"
import * as OutboundHttp from "../Layers/Outbound.ts"
import { Tracing } from "../Layers/Telemetry/Tracing.ts"
import { ListError } from "./ListError.ts"
import {
  type BuildRequest,
  type Failed,
  isFile,
  type NewDocument,
  type NotModified,
  type UpdatedLists,
  type UpdateRequest
} from "./ListWorker/Messages.ts"

/**
 * Most garbage of the thread dies young, and a small young generation is collected fast: of 3 MB the first list of a million
 * URLs needs 87 to 89 MB above rest, of 6 MB 93 to 104. Lists are not on the heap.
 */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 3, maxOldGenerationSizeMb: 128 }

interface ListWorkerShape {
  /**
   * Downloads or reads a feed and builds its list, in a thread of its own. An interruption ends the thread and its
   * connections. Fails with the thread's reason, or with `WorkerDied`.
   */
  readonly build: (request: BuildRequest) => Effect.Effect<NewDocument | NotModified, ListError>
  /**
   * Downloads and applies updates of Safe Browsing's lists, in a thread of its own. An interruption ends the thread and its
   * connections. Fails with the thread's reason, or with `WorkerDied`. It takes at most a minute for each list and one more.
   */
  readonly updateLists: (request: UpdateRequest) => Effect.Effect<UpdatedLists, ListError>
}

/** Builds and updates lists without holding up the thread that answers requests. Lists are in shared memory: none is copied. */
export class ListWorker extends Context.Tag("app/Lists/ListWorker")<ListWorker, ListWorkerShape>() {
  /**
   * Reads the CommonJS script once, so that a later build cannot change the program of a running process. No thread starts
   * before `ready`: four threads would take the processor from the start of the service.
   */
  static readonly make = Effect.fnUntraced(function* (script: URL, ready: Effect.Effect<void> = Effect.void) {
    const tracing = yield* Tracing
    const proxies = yield* OutboundProxies
    const program = readFileSync(script, "utf8")
    const inThread = <A extends object>(request: BuildRequest | UpdateRequest) =>
      Effect.zipRight(ready, runThread<A>(program, request, proxies))
    type Built = NewDocument | NotModified
    /** A thread that reads a file that does not respond could not be terminated. */
    const fromFile = (request: BuildRequest) =>
      Files.responds(fileURLToPath(request.url)).pipe(
        Effect.provide(NodeFileSystem.layer),
        Effect.mapError(() => new ListError("Timeout", "no response for 10 seconds")),
        Effect.zipRight(inThread<Built>(request))
      )
    return {
      build: (request) =>
        isFile(request)
          ? fromFile(request)
          : OutboundHttp.traced(tracing, "GET", request.url)(inThread<Built>(request)),
      updateLists: (request) =>
        OutboundHttp.traced(tracing, "GET", request.baseUrl)(inThread<UpdatedLists>(request))
    } satisfies ListWorkerShape
  })

  /** The script is bundled beside this program: see scripts/build.js. */
  static readonly layer = (ready?: Effect.Effect<void>) =>
    Layer.effect(
      ListWorker,
      Effect.suspend(() => ListWorker.make(new URL("./ListWorkerThread.cjs", import.meta.url), ready))
    )
}

/** A thread that has answered has nothing more to do, so it ends within milliseconds. */
const MAX_TIME_TO_END = Duration.seconds(1)

/**
 * Runs a thread until it has answered. `A` is what the program makes of the request. The thread gets neither the
 * environment, which holds keys, nor the process's `--import` programs.
 *
 * It then ends by itself: terminating a thread in which node reads from a connection can abort the whole process (compare
 * https://github.com/nodejs/node/issues/38418). It is terminated only if it does not end, or on an interruption.
 */
const runThread = <A extends object>(
  program: string,
  request: BuildRequest | UpdateRequest,
  proxies: ProxySettings
): Effect.Effect<A, ListError> =>
  Effect.async<A, ListError>((resume) => {
    const hasEnded = Effect.unsafeMakeLatch()
    const worker = new Worker(program, {
      eval: true,
      workerData: { request, proxies },
      resourceLimits: RESOURCE_LIMITS,
      env: {},
      execArgv: []
    })
    // Not awaited: node waits for a name resolution that is under way.
    const terminate = Effect.sync(() => void worker.terminate())
    const endOrTerminate = hasEnded.await.pipe(
      Effect.timeoutFail({ duration: MAX_TIME_TO_END, onTimeout: () => "hangs" }),
      Effect.orElse(() => terminate)
    )
    const answer = (outcome: Effect.Effect<A, ListError>) =>
      resume(Effect.zipRight(Effect.forkDaemon(endOrTerminate), outcome))
    worker.on("message", (message: A | Failed) =>
      answer(isFailed(message) ? listError(message) : Effect.succeed(message))
    )
    worker.on("error", (error) => answer(deathBy(error)))
    worker.on("exit", (code) => {
      hasEnded.unsafeOpen()
      answer(died(`exit ${code}`))
    })
    return terminate
  })

const died = (detail: string) => Effect.fail(new ListError("WorkerDied", detail))

/** An error of Node's, such as memory at its limit, is the death of the thread; any other is a defect. */
const deathBy = (error: unknown): Effect.Effect<never, ListError> =>
  error instanceof Error && "code" in error && String(error.code).startsWith("ERR_WORKER_")
    ? died(String(error.code))
    : Effect.die(error)

const isFailed = (message: object): message is Failed => "_tag" in message && message._tag === "Failed"

/** The error of a thread that answers `Failed`. */
export const listError = ({ reason, detail, retryAfterMillis }: Failed): Effect.Effect<never, ListError> =>
  Effect.fail(new ListError(reason, detail, retryAfterMillis))

/** Logs a defect of a refresh, and fails with `Defect`. */
export const failOnDefect = Effect.catchAllDefect((defect) =>
  Effect.zipRight(
    Effect.logError("Refreshing a threat list failed", Cause.die(defect)),
    Effect.fail(new ListError("Defect"))
  )
)
