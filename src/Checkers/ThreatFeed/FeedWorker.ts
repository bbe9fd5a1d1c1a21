import { Worker } from "node:worker_threads"
import { Context, Deferred, Effect, Layer, Scope, Stream } from "effect"
import type { FeedBody } from "./FeedBody.ts"
import { FeedError } from "./FeedError.ts"
import type { Made, Order } from "./FeedIntake.ts"
import { letOthersRun } from "./TimeSlices.ts"

/** What the thread is sent: an order, the body's pieces, and at last how the body ended. */
export type ToThread =
  | { readonly _tag: "Order"; readonly order: Order }
  | { readonly _tag: "Piece"; readonly bytes: Uint8Array }
  | { readonly _tag: "End" }
  | { readonly _tag: "BrokenOff" }

/** What the thread answers: that it has taken a piece, and at last what became of the order. */
export type FromThread =
  | { readonly _tag: "PieceTaken" }
  | { readonly _tag: "Made"; readonly made: Made }
  | { readonly _tag: "Failed"; readonly reason: FeedError["reason"]; readonly detail: string | undefined }

/** How many pieces may wait in the thread, so that it goes on while this thread answers requests. */
const PIECES_AHEAD = 8

/**
 * Next to nothing of what is made in there stays: with a small young generation its memory is used again, and with a much
 * smaller one collecting takes a fifth of the time. The list itself is not on the heap.
 */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 128 }

interface FeedWorkerShape {
  /** Waits until no other effect runs in its turn: one list at a time is made, whose memory is then the most that is used. */
  readonly inTurn: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * Makes the list of a body in the thread; only ever in its turn. The earlier list's bytes and the body's pieces are given
   * away. Fails as
   * `FeedIntake.make` does, with the error of the body, and with `WorkerDied`.
   */
  readonly make: (order: Order, body: FeedBody) => Effect.Effect<Made, FeedError>
}

/** Makes the lists of feeds without holding up the thread that answers requests. */
export class FeedWorker extends Context.Tag("app/Checkers/FeedWorker")<FeedWorker, FeedWorkerShape>() {
  /**
   * One thread carries out all orders, and it is started here: to start one holds this thread for several milliseconds,
   * which nobody notices before there are requests. Only a thread that has ended is replaced, by the next order.
   */
  static readonly make = Effect.fnUntraced(function* (script: URL) {
    const turn = yield* Effect.makeSemaphore(1)
    const start = Scope.extend(spawn(script), yield* Effect.scope)
    let thread = yield* start
    return {
      inTurn: turn.withPermits(1),
      make: Effect.fnUntraced(function* (order: Order, body: FeedBody) {
        if (yield* Deferred.isDone(thread.death)) thread = yield* start
        return yield* carryOut(thread, order, body)
      })
    } satisfies FeedWorkerShape
  })

  /** The thread's script stands beside this program's: see scripts/build.js. */
  static readonly layer = Layer.scoped(
    FeedWorker,
    Effect.suspend(() => FeedWorker.make(new URL("./FeedWorkerThread.js", import.meta.url)))
  )
}

interface Thread {
  readonly worker: Worker
  /** Done when it has ended, and why. */
  readonly death: Deferred.Deferred<never, FeedError>
}

/** What Node ends a thread for, such as memory at its limit, is its death; anything else is a bug of ours. */
const deathBy = (error: unknown): Effect.Effect<never, FeedError> =>
  error instanceof Error && "code" in error && String(error.code).startsWith("ERR_WORKER_")
    ? Effect.fail(new FeedError({ reason: "WorkerDied", detail: String(error.code) }))
    : Effect.die(error)

const terminate = (worker: Worker) => Effect.promise(() => worker.terminate())

const spawn = Effect.fnUntraced(function* (script: URL) {
  const death = yield* Deferred.make<never, FeedError>()
  const start = Effect.sync(() => {
    // It needs nothing of the environment, which holds keys, nor what the process was told to load first.
    const worker = new Worker(script, { resourceLimits: RESOURCE_LIMITS, env: {}, execArgv: [] })
    worker.on("error", (error) => Deferred.unsafeDone(death, deathBy(error)))
    worker.on("exit", (code) =>
      Deferred.unsafeDone(death, Effect.fail(new FeedError({ reason: "WorkerDied", detail: `exit ${code}` })))
    )
    return worker
  })
  return { worker: yield* Effect.acquireRelease(start, terminate), death } satisfies Thread
})

/**
 * The piece in memory that can be given away. What is read from a socket has memory of its own and goes as it is: to copy
 * it leaves as much garbage as the feed has bytes, and makes this thread stop to collect it. A part of a larger buffer is
 * copied, because the rest may be somebody else's.
 */
const ofItsOwn = (piece: Uint8Array): Uint8Array<ArrayBuffer> =>
  piece.buffer instanceof ArrayBuffer && piece.byteLength === piece.buffer.byteLength
    ? new Uint8Array(piece.buffer)
    : new Uint8Array(piece)

const carryOut = Effect.fnUntraced(function* ({ worker, death }: Thread, order: Order, body: FeedBody) {
  const room = yield* Effect.makeSemaphore(PIECES_AHEAD)
  const result = yield* Deferred.make<Made, FeedError>()
  let broken: FeedError | undefined
  let isAnswered = false
  const settle = (answer: Effect.Effect<Made, FeedError>) => {
    isAnswered = true
    // What a body that broke off looks like in the thread says nothing.
    Deferred.unsafeDone(result, broken === undefined ? answer : Effect.fail(broken))
  }
  const listen = (answer: FromThread) => {
    if (answer._tag === "PieceTaken") return Effect.runSync(room.release(1))
    if (answer._tag === "Made") return settle(Effect.succeed(answer.made))
    const { reason, detail } = answer
    return settle(Effect.fail(new FeedError({ reason, ...(detail !== undefined && { detail }) })))
  }

  const post = (message: ToThread, transfer: ReadonlyArray<ArrayBuffer>) =>
    Effect.sync(() => worker.postMessage(message, transfer))
  const sendPiece = (piece: Uint8Array) =>
    Effect.suspend(() => {
      const bytes = ofItsOwn(piece)
      return post({ _tag: "Piece", bytes }, [bytes.buffer])
    })
  const passOn = (piece: Uint8Array) =>
    room.take(1).pipe(Effect.zipRight(sendPiece(piece)), Effect.zipRight(letOthersRun))
  const send = Stream.runForEach(body, passOn).pipe(
    Effect.matchEffect({
      onSuccess: () => post({ _tag: "End" }, []),
      onFailure: (error) => {
        broken = error
        return post({ _tag: "BrokenOff" }, [])
      }
    })
  )

  const start = Effect.zipRight(
    Effect.sync(() => worker.on("message", listen)),
    post({ _tag: "Order", order }, order.earlier === undefined ? [] : [order.earlier.bytes])
  )
  return yield* Effect.raceFirst(
    Effect.zipRight(Effect.zipRight(start, send), Effect.never),
    Effect.raceFirst(Deferred.await(result), Deferred.await(death))
  ).pipe(
    Effect.ensuring(
      Effect.suspend(() => {
        worker.off("message", listen)
        // Interrupted: the order goes on in there for nobody, and perhaps for ever.
        return isAnswered ? Effect.void : terminate(worker)
      })
    )
  )
})
