import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import * as Files from "../Layers/Files.ts"
import { OutboundProxies } from "../Layers/Outbound/HttpExchange.ts"
import type { ProxySettings } from "../Layers/Outbound/Proxies.ts"
import * as RetryAfter from "../Layers/Outbound/RetryAfter.ts"
import * as OutboundHttp from "../Layers/Outbound.ts"
import { Tracing } from "../Layers/Telemetry/Tracing.ts"
import { ListError } from "./ListError.ts"
import {
  type BuildRequest,
  type BuildResponse,
  type Failed,
  isFile,
  type NewDocument,
  type NotModified,
  type UpdatedLists,
  type UpdateRequest,
  type UpdateResponse
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
    const threadOf = <Response>(request: BuildRequest | UpdateRequest) =>
      Effect.zipRight(ready, runThread<Response>(program, request, proxies))
    const build = (request: BuildRequest) =>
      Effect.flatMap(threadOf<BuildResponse>(request), (response) =>
        response._tag === "Failed" ? listError(response) : Effect.succeed(response)
      )
    /** A thread that reads a file that does not respond could not be terminated. */
    const buildFromFile = (request: BuildRequest) =>
      Files.responds(fileURLToPath(request.url)).pipe(
        Effect.provide(NodeFileSystem.layer),
        Effect.mapError(() => new ListError({ reason: "Timeout", detail: "no response for 10 seconds" })),
        Effect.zipRight(build(request))
      )
    return {
      build: (request) =>
        isFile(request)
          ? buildFromFile(request)
          : OutboundHttp.traced(tracing, "GET", request.url)(build(request)),
      updateLists: (request) =>
        threadOf<UpdateResponse>(request).pipe(
          Effect.flatMap((response) =>
            response._tag === "Failed" ? listError(response) : Effect.succeed(response)
          ),
          OutboundHttp.traced(tracing, "GET", request.baseUrl)
        )
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
 * Runs a thread until it has answered. `Response` is what the program answers to the request. The thread gets neither the
 * environment, which holds keys, nor the process's `--import` programs.
 *
 * It then ends by itself: terminating a thread in which node reads from a connection can abort the whole process (compare
 * https://github.com/nodejs/node/issues/38418). It is terminated only if it does not end, or on an interruption.
 */
const runThread = <Response>(
  program: string,
  request: BuildRequest | UpdateRequest,
  proxies: ProxySettings
): Effect.Effect<Response, ListError> =>
  Effect.async<Response, ListError>((resume) => {
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
    const answer = (outcome: Effect.Effect<Response, ListError>) =>
      resume(Effect.zipRight(Effect.forkDaemon(endOrTerminate), outcome))
    worker.on("message", (message: Response) => answer(Effect.succeed(message)))
    worker.on("error", (error) => answer(deathBy(error)))
    worker.on("exit", (code) => {
      hasEnded.unsafeOpen()
      answer(died(`exit ${code}`))
    })
    return terminate
  })

const died = (detail: string) => Effect.fail(new ListError({ reason: "WorkerDied", detail }))

/** An error of Node's, such as memory at its limit, is the death of the thread; any other is a defect. */
const deathBy = (error: unknown): Effect.Effect<never, ListError> =>
  error instanceof Error && "code" in error && String(error.code).startsWith("ERR_WORKER_")
    ? died(String(error.code))
    : Effect.die(error)

/** The error of a thread that answers `Failed`. */
export const listError = ({
  reason,
  detail,
  retryAfter
}: Omit<Failed, "_tag">): Effect.Effect<never, ListError> =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (now) =>
      new ListError({
        reason,
        ...(detail !== undefined && { detail }),
        retryAfter: RetryAfter.parse(retryAfter, now)
      })
  )
