import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { Clock, Context, Deferred, Effect, Layer } from "effect"
import * as Files from "../../Layers/Files.ts"
import * as RetryAfter from "../../Layers/Outbound/RetryAfter.ts"
import * as OutboundHttp from "../../Layers/Outbound.ts"
import { Tracing } from "../../Layers/Telemetry/Tracing.ts"
import type { EarlierList, UpdatedLists, UpdateRequest } from "../HashLists/UpdateMessages.ts"
import { FeedError } from "./FeedError.ts"
import {
  type BuildRequest,
  type BuildResponse,
  type Failed,
  isFile,
  type NewDocument,
  type NotModified
} from "./FeedWorker/ThreadMessages.ts"

/** Most garbage of the thread dies young, and a small young generation is collected fast. Lists are not on the heap. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 128 }

interface FeedWorkerShape {
  /**
   * Downloads or reads a feed and builds its list, in a thread of its own. An interruption ends the thread and its
   * connections. Fails with the thread's reason, or with `WorkerDied`.
   */
  readonly build: (request: BuildRequest) => Effect.Effect<NewDocument | NotModified, FeedError>
  /**
   * Downloads and applies updates of Safe Browsing's lists, in a thread of its own. An interruption ends the thread and its
   * connections. Fails with `WorkerDied` only: each list has an outcome of its own. It takes at most a minute for each list
   * and one more.
   */
  readonly updateLists: (request: UpdateRequest) => Effect.Effect<UpdatedLists, FeedError>
}

/** Builds and updates lists without holding up the thread that answers requests. */
export class FeedWorker extends Context.Tag("app/Checkers/FeedWorker")<FeedWorker, FeedWorkerShape>() {
  /** Reads the CommonJS script once, so that a later build cannot change the program of a running process. */
  static readonly make = Effect.fnUntraced(function* (script: URL) {
    const tracing = yield* Tracing
    const calls = yield* Files.FileCalls
    const program = readFileSync(script, "utf8")
    return {
      build: (request) => {
        const run = (onExit?: () => void) =>
          Effect.flatMap(runThread<BuildResponse>(program, request, [], onExit), (response) =>
            response._tag === "Failed" ? feedError(response) : Effect.succeed(response)
          )
        return isFile(request)
          ? Effect.provideService(readInThread(fileURLToPath(request.url), run), Files.FileCalls, calls)
          : OutboundHttp.traced(tracing, "GET", request.url)(run())
      },
      updateLists: (request) =>
        Effect.suspend(() => {
          const lists = request.lists.map(copyOf)
          return runThread<UpdatedLists>(program, { ...request, lists }, buffersOf(lists))
        }).pipe(OutboundHttp.traced(tracing, "GET", request.baseUrl))
    } satisfies FeedWorkerShape
  })

  /** The script is bundled beside this program: see scripts/build.js. */
  static readonly layer = Layer.effect(
    FeedWorker,
    Effect.suspend(() => FeedWorker.make(new URL("./FeedWorkerThread.cjs", import.meta.url)))
  )
}

/**
 * The list with a copy of its bytes, to be transferred to the thread: the list is in use. That takes a quarter of the time of
 * a structured clone. None is needed for a request of the whole list.
 */
const copyOf = (list: EarlierList): EarlierList => ({
  ...list,
  bytes: list.version === undefined || list.bytes === undefined ? undefined : new Uint8Array(list.bytes)
})

const buffersOf = (lists: ReadonlyArray<EarlierList>): ReadonlyArray<ArrayBuffer> =>
  lists.flatMap(({ bytes }) => (bytes === undefined ? [] : [bytes.buffer]))

/** Runs a thread that reads a file. As long as an earlier one hangs on the file, there is no other. */
const readInThread = <A>(
  path: string,
  run: (onExit: () => void) => Effect.Effect<A, FeedError>
): Effect.Effect<A, FeedError> =>
  Files.reserve(path).pipe(
    Effect.mapError(({ code }) =>
      code === "Timeout"
        ? new FeedError({ reason: "Timeout", detail: "no response for 10 seconds" })
        : new FeedError({ reason: "Unreachable", detail: code })
    ),
    Effect.flatMap(run),
    Effect.scoped
  )

/** `Response` is what the program answers to the request; the buffers are moved to the thread. */
const runThread = <Response>(
  program: string,
  request: BuildRequest | UpdateRequest,
  transferred: ReadonlyArray<ArrayBuffer> = [],
  onExit: () => void = () => undefined
): Effect.Effect<Response, FeedError> =>
  Effect.flatMap(Deferred.make<Response, FeedError>(), (response) =>
    Effect.acquireUseRelease(
      Effect.sync(() => start(program, request, transferred, response).on("exit", onExit)),
      () => Deferred.await(response),
      // Not awaited: node waits for a name resolution that is under way.
      (worker) => Effect.sync(() => void worker.terminate())
    )
  )

/** The thread gets neither the environment, which holds keys, nor the process's `--import` programs. */
const start = <Response>(
  program: string,
  request: BuildRequest | UpdateRequest,
  transferred: ReadonlyArray<ArrayBuffer>,
  response: Deferred.Deferred<Response, FeedError>
): Worker => {
  const worker = new Worker(program, {
    eval: true,
    workerData: request,
    transferList: [...transferred],
    resourceLimits: RESOURCE_LIMITS,
    env: {},
    execArgv: []
  })
  worker.on("message", (message: Response) => Deferred.unsafeDone(response, Effect.succeed(message)))
  worker.on("error", (error) => Deferred.unsafeDone(response, deathBy(error)))
  worker.on("exit", (code) => Deferred.unsafeDone(response, died(`exit ${code}`)))
  return worker
}

const died = (detail: string) => Effect.fail(new FeedError({ reason: "WorkerDied", detail }))

/** An error of Node's, such as memory at its limit, is the death of the thread; any other is a defect. */
const deathBy = (error: unknown): Effect.Effect<never, FeedError> =>
  error instanceof Error && "code" in error && String(error.code).startsWith("ERR_WORKER_")
    ? died(String(error.code))
    : Effect.die(error)

const feedError = ({ reason, detail, retryAfter }: Failed): Effect.Effect<never, FeedError> =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (now) =>
      new FeedError({
        reason,
        ...(detail !== undefined && { detail }),
        retryAfter: RetryAfter.parse(retryAfter, now)
      })
  )
