/** The thread behind `FeedWorker`: carries out one order after another. A program of its own, built beside main.js. */
import { parentPort } from "node:worker_threads"
import { Effect, Option, Queue, Stream } from "effect"
import { FeedError } from "./FeedError.ts"
import * as FeedIntake from "./FeedIntake.ts"
import type { FromThread, ToThread } from "./FeedWorker.ts"
import * as ThreadPriority from "./ThreadPriority.ts"

const port = parentPort
if (port === null) throw new Error("not a worker thread")

ThreadPriority.lower()

const answer = (message: FromThread, transfer: ReadonlyArray<ArrayBuffer> = []) =>
  port.postMessage(message, transfer)

const bodyIn = (inbox: Queue.Dequeue<ToThread>) =>
  Stream.repeatEffectOption(
    Effect.flatMap(Queue.take(inbox), (message) => {
      if (message._tag === "End") return Effect.fail(Option.none())
      if (message._tag !== "Piece") return Effect.fail(Option.some(new FeedError({ reason: "Unreachable" })))
      answer({ _tag: "PieceTaken" })
      return Effect.succeed(message.bytes)
    })
  )

const carryOut = (order: FeedIntake.Order, inbox: Queue.Dequeue<ToThread>) =>
  Effect.match(FeedIntake.make(order, bodyIn(inbox)), {
    onFailure: ({ reason, detail }) => answer({ _tag: "Failed", reason, detail }),
    onSuccess: (made) => answer({ _tag: "Made", made }, [made.bytes])
  })

// What is left of an order that was answered early stays in its own inbox. Unbounded in here: the other side sends a few
// pieces ahead of those taken, no more.
let inbox = Effect.runSync(Queue.unbounded<ToThread>())
port.on("message", (message: ToThread) => {
  if (message._tag !== "Order") return inbox.unsafeOffer(message)
  inbox = Effect.runSync(Queue.unbounded<ToThread>())
  // A defect becomes an unhandled rejection, which ends the thread and is told to the other side.
  return void Effect.runPromise(carryOut(message.order, inbox))
})
