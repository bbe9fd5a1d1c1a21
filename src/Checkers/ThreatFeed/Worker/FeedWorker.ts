import { Worker } from "node:worker_threads"
import { Context, Deferred, Duration, Effect, Layer, Option, Scope } from "effect"
import * as OutboundHttp from "../../../Layers/Outbound.ts"
import { Tracing } from "../../../Layers/Telemetry/Tracing.ts"
import { FeedError } from "../FeedError.ts"
import * as FeedBody from "./FeedBody.ts"
import type { Made, Order } from "./FeedIntake.ts"

/** One request for a document. Plain data, fit to be sent to another thread. */
export interface FeedRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds for name, connection and TLS handshake together. */
  readonly connectTimeout: number
  /** If not, the connection is refused when the name turns out to be of somebody's own network. */
  readonly mayConnectInside: boolean
}

/** What the thread is sent. An exchange goes on under one id until it is abandoned, or a list is made of its body. */
export type ToThread =
  | {
      readonly _tag: "Get"
      readonly id: number
      readonly request: FeedRequest
      /** Shared by the threads: see `FeedBody`. */
      readonly heard: Int32Array
    }
  | {
      readonly _tag: "Make"
      readonly id: number
      readonly order: Order
    }
  | { readonly _tag: "Abandon"; readonly id: number }
  | { readonly _tag: "Ping"; readonly id: number }

/** What the thread answers: that an answer has begun, what became of an order, or that it lives; or that a request or order failed. */
export type FromThread =
  | {
      readonly _tag: "Answered"
      readonly id: number
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
    }
  | { readonly _tag: "Made"; readonly id: number; readonly made: Made }
  | { readonly _tag: "Pong"; readonly id: number }
  | {
      readonly _tag: "Failed"
      readonly id: number
      readonly reason: FeedError["reason"]
      readonly detail: string | undefined
    }

/**
 * Next to nothing of what is made in there stays: with a small young generation its memory is used again, and with a much
 * smaller one collecting takes a fifth of the time. The list itself is not on the heap.
 */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 128 }

/** An answer whose body has not been read yet. */
export interface FeedAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** How much of the body has come: see `FeedBody`. */
  readonly heard: Int32Array
  /**
   * Makes the list of the body, once, and only ever in its turn. Fails as `FeedIntake.make`
   * does, and with `WorkerDied`.
   */
  readonly make: (order: Order) => Effect.Effect<Made, FeedError>
}

interface FeedWorkerShape {
  /** Waits until no other effect runs in its turn: one list at a time is made, whose memory is then the most that is used. */
  readonly inTurn: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Asks once. The end of the scope ends the connection. */
  readonly get: (request: FeedRequest) => Effect.Effect<FeedAnswer, FeedError, Scope.Scope>
  /** Makes a list of no document: see `FeedAnswer`. */
  readonly make: (order: Order) => Effect.Effect<Made, FeedError>
}

/** Fetches the documents of feeds and makes lists of them, without holding up the thread that answers requests. */
export class FeedWorker extends Context.Tag("app/Checkers/FeedWorker")<FeedWorker, FeedWorkerShape>() {
  /**
   * One thread does all of it, and it is started here: to start one holds this thread for several milliseconds, which
   * nobody notices before there are requests. Only a thread that has ended is replaced, by the next request or order; one
   * that is stuck is ended.
   */
  static readonly make = Effect.fnUntraced(function* (script: URL) {
    const tracing = yield* Tracing
    const turn = yield* Effect.makeSemaphore(1)
    const start = Scope.extend(spawn(script), yield* Effect.scope)
    let current = yield* start
    let ids = 0
    const living = Effect.gen(function* () {
      if (yield* Deferred.isDone(current.death)) current = yield* start
      return current
    })
    return {
      inTurn: turn.withPermits(1),
      get: (request) =>
        Effect.flatMap(living, (thread) => exchange(thread, ids++, request)).pipe(
          OutboundHttp.traced(tracing, "GET", request.url)
        ),
      make: (order) => Effect.flatMap(living, (thread) => make(thread, ids++, order))
    } satisfies FeedWorkerShape
  })

  /** The thread's script stands beside this program's: see scripts/build.js. */
  static readonly layer = Layer.scoped(
    FeedWorker,
    Effect.suspend(() => FeedWorker.make(new URL("./FeedWorkerThread.cjs", import.meta.url)))
  )
}

/** A list of the largest size takes a thread that gets a tenth of a core so long to sort. One that says nothing longer is stuck. */
const LONGEST_WITHOUT_PONG = Duration.minutes(1)

interface Thread {
  readonly worker: Worker
  /** Ends with the thread. */
  readonly scope: Scope.Scope
  /** Who waits for an answer, by id. */
  readonly waiting: Map<number, (answer: FromThread) => void>
  /** Done when it has ended, and why. */
  readonly death: Deferred.Deferred<never, FeedError>
}

/** What Node ends a thread for, such as memory at its limit, is its death; anything else is a bug of ours. */
const deathBy = (error: unknown): Effect.Effect<never, FeedError> =>
  error instanceof Error && "code" in error && String(error.code).startsWith("ERR_WORKER_")
    ? Effect.fail(new FeedError({ reason: "WorkerDied", detail: String(error.code) }))
    : Effect.die(error)

const spawn = Effect.fnUntraced(function* (script: URL) {
  const death = yield* Deferred.make<never, FeedError>()
  const waiting: Thread["waiting"] = new Map()
  const start = Effect.sync(() => {
    // It needs nothing of the environment, which holds keys, nor what the process was told to load first.
    const worker = new Worker(script, { resourceLimits: RESOURCE_LIMITS, env: {}, execArgv: [] })
    worker.on("message", (answer: FromThread) => waiting.get(answer.id)?.(answer))
    worker.on("error", (error) => Deferred.unsafeDone(death, deathBy(error)))
    worker.on("exit", (code) =>
      Deferred.unsafeDone(death, Effect.fail(new FeedError({ reason: "WorkerDied", detail: `exit ${code}` })))
    )
    return worker
  })
  const terminate = (worker: Worker) => Effect.promise(() => worker.terminate())
  const worker = yield* Effect.acquireRelease(start, terminate)
  return { worker, scope: yield* Effect.scope, waiting, death } satisfies Thread
})

type Success = Exclude<FromThread, { readonly _tag: "Failed" }>

const ask = <Tag extends Success["_tag"]>(
  { worker, waiting, death }: Thread,
  message: ToThread,
  expected: Tag
): Effect.Effect<Extract<Success, { readonly _tag: Tag }>, FeedError> =>
  Effect.raceFirst(
    Effect.async<FromThread>((resume) => {
      waiting.set(message.id, (answer) => resume(Effect.succeed(answer)))
      worker.postMessage(message)
      return Effect.sync(() => void waiting.delete(message.id))
    }),
    Deferred.await(death)
  ).pipe(
    Effect.flatMap((answer) => {
      waiting.delete(message.id)
      if (isTagged(answer, expected)) return Effect.succeed(answer)
      if (answer._tag !== "Failed") return Effect.dieMessage(`${answer._tag} instead of ${expected}`)
      const { reason, detail } = answer
      return new FeedError({ reason, ...(detail !== undefined && { detail }) })
    })
  )

const isTagged = <Tag extends Success["_tag"]>(
  answer: FromThread,
  tag: Tag
): answer is Extract<Success, { readonly _tag: Tag }> => answer._tag === tag

/** Ends the thread if it is stuck in an order that was given up. Any answer will do, be it one that comes late. */
const endIfStuck = (thread: Thread, id: number) =>
  Effect.exit(ask(thread, { _tag: "Ping", id }, "Pong")).pipe(
    Effect.timeoutOption(LONGEST_WITHOUT_PONG),
    Effect.filterOrElse(Option.isSome, () => Effect.promise(() => thread.worker.terminate())),
    // It is begun by an interruption, and would be as uninterruptible as what that does.
    Effect.interruptible,
    Effect.forkIn(thread.scope)
  )

const make = (thread: Thread, id: number, order: Order) =>
  ask(thread, { _tag: "Make", id, order }, "Made").pipe(
    Effect.map(({ made }) => made),
    Effect.onInterrupt(() => endIfStuck(thread, id))
  )

const exchange = Effect.fnUntraced(function* (thread: Thread, id: number, request: FeedRequest) {
  const heard = FeedBody.nothingHeard()
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => thread.worker.postMessage({ _tag: "Abandon", id } satisfies ToThread))
  )
  const { status, headers } = yield* ask(thread, { _tag: "Get", id, request, heard }, "Answered")
  return {
    status,
    headers,
    heard,
    make: (order) => make(thread, id, order)
  } satisfies FeedAnswer
})
