import { Worker } from "node:worker_threads"
import { Context, Deferred, Effect, Layer, type Scope, Stream } from "effect"
import type { FeedBody } from "./FeedBody.ts"
import { FeedError } from "./FeedError.ts"
import type { Made, Order } from "./FeedIntake.ts"

/** What the thread is sent: the body's pieces in order, and null after the last. */
export type ToThread = Uint8Array | null

/** What the thread answers: that it has taken a piece, and at last what became of the order. */
export type FromThread =
  | { readonly _tag: "PieceTaken" }
  | { readonly _tag: "Made"; readonly made: Made }
  | { readonly _tag: "Failed"; readonly reason: FeedError["reason"]; readonly detail: string | undefined }

/** How many pieces may wait in the thread, so that it goes on while this thread answers requests. */
const PIECES_AHEAD = 8

/**
 * Many short-lived strings are made in there and next to nothing stays: with a small young generation their memory is used
 * again. The list itself is not on the heap.
 */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 }

interface FeedWorkerShape {
  /** Waits until no other effect runs in its turn: one list at a time is made, whose memory is then the most that is used. */
  readonly inTurn: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * Makes the list of a body in a thread of its own, which ends with this effect. The earlier list's bytes are given away.
   * Fails as `FeedIntake.make` does, with the error of the body, and with `WorkerDied`.
   */
  readonly make: (order: Order, body: FeedBody) => Effect.Effect<Made, FeedError>
}

/** Makes the lists of feeds without holding up the thread that answers requests. */
export class FeedWorker extends Context.Tag("app/Checkers/FeedWorker")<FeedWorker, FeedWorkerShape>() {
  static readonly make = (script: URL): Effect.Effect<FeedWorkerShape> =>
    Effect.map(Effect.makeSemaphore(1), (turn) => ({
      inTurn: turn.withPermits(1),
      make: (order, body) => Effect.scoped(run(script, order, body))
    }))

  /** The thread's script stands beside this program's: see scripts/build.js. */
  static readonly layer = Layer.effect(
    FeedWorker,
    Effect.suspend(() => FeedWorker.make(new URL("./FeedWorkerThread.js", import.meta.url)))
  )
}

const spawn = (script: URL, order: Order): Effect.Effect<Worker, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(
      () =>
        new Worker(script, {
          workerData: order,
          transferList: order.earlier === undefined ? [] : [order.earlier.bytes],
          resourceLimits: RESOURCE_LIMITS,
          // It needs nothing of the environment, which holds keys, nor what the process was told to load first.
          env: {},
          execArgv: []
        })
    ),
    (worker) => Effect.promise(() => worker.terminate())
  )

/** What Node ends a thread for, such as memory at its limit, is its death; anything else is a bug of ours. */
const death = (error: unknown): Effect.Effect<never, FeedError> =>
  error instanceof Error && "code" in error && String(error.code).startsWith("ERR_WORKER_")
    ? Effect.fail(new FeedError({ reason: "WorkerDied", detail: String(error.code) }))
    : Effect.die(error)

const run = Effect.fnUntraced(function* (script: URL, order: Order, body: FeedBody) {
  const room = yield* Effect.makeSemaphore(PIECES_AHEAD)
  const result = yield* Deferred.make<Made, FeedError>()
  const settle = (effect: Effect.Effect<Made, FeedError>) => Deferred.unsafeDone(result, effect)
  const worker = yield* spawn(script, order)
  worker.on("message", (answer: FromThread) => {
    if (answer._tag === "PieceTaken") Effect.runSync(room.release(1))
    else if (answer._tag === "Made") settle(Effect.succeed(answer.made))
    else {
      const { reason, detail } = answer
      settle(Effect.fail(new FeedError({ reason, ...(detail !== undefined && { detail }) })))
    }
  })
  worker.on("error", (error) => settle(death(error)))
  worker.on("exit", (code) =>
    settle(Effect.fail(new FeedError({ reason: "WorkerDied", detail: `exit ${code}` })))
  )

  const post = (message: ToThread) =>
    Effect.sync(() => {
      // A copy, because memory that is given away must not be a part of somebody else's buffer.
      const copy = message === null ? null : new Uint8Array(message)
      worker.postMessage(copy, copy === null ? [] : [copy.buffer])
    })
  const send = Stream.runForEach(body, (piece) => Effect.zipRight(room.take(1), post(piece)))
  return yield* Effect.raceFirst(
    Effect.zipRight(Effect.zipRight(send, post(null)), Effect.never),
    Deferred.await(result)
  )
})
