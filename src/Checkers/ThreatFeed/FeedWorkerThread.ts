/** The thread behind `FeedWorker`: carries out one order and ends. A program of its own, built beside main.js. */
import { parentPort, workerData } from "node:worker_threads"
import { Effect, Option, Queue, Stream } from "effect"
import * as FeedIntake from "./FeedIntake.ts"
import type { FromThread, ToThread } from "./FeedWorker.ts"

const port = parentPort
if (port === null) throw new Error("not a worker thread")

const answer = (message: FromThread, transfer: ReadonlyArray<ArrayBuffer> = []) =>
  port.postMessage(message, transfer)

const program = Effect.gen(function* () {
  // Unbounded here: the other side sends a few pieces ahead of those taken, no more.
  const inbox = yield* Queue.unbounded<ToThread>()
  port.on("message", (message: ToThread) => inbox.unsafeOffer(message))
  const body = Stream.repeatEffectOption(
    Effect.flatMap(Queue.take(inbox), (piece) => {
      if (piece === null) return Effect.fail(Option.none())
      answer({ _tag: "PieceTaken" })
      return Effect.succeed(piece)
    })
  )
  const order: FeedIntake.Order = workerData
  yield* Effect.match(FeedIntake.make(order, body), {
    onFailure: ({ reason, detail }) => answer({ _tag: "Failed", reason, detail }),
    onSuccess: (made) => answer({ _tag: "Made", made }, [made.bytes])
  })
  port.close()
})

// A defect becomes an unhandled rejection, which ends the thread and is told to the other side.
void Effect.runPromise(program)
