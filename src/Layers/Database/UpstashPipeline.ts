import { Cause, Deferred, Duration, Effect, Exit, FiberId, Runtime } from "effect"
import * as Database from "../Database.ts"
import { now } from "../Time/MonotonicTime.ts"
import { nextTurn } from "../Time/NextTurn.ts"
import { CacheError } from "./CacheError.ts"

/** Sends the commands of concurrent requests together, in one HTTP call. */
interface UpstashPipeline {
  /**
   * Returns one result for each command, in order, or fails: with `Timeout` after the database's timeout, and if any of the
   * replies is an error. Interrupting the caller does not cancel the call, which carries other callers' commands.
   */
  readonly send: (
    commands: ReadonlyArray<Database.Command>
  ) => Effect.Effect<ReadonlyArray<unknown>, CacheError>
}

/**
 * Commands are sent at once when no call is in flight. Otherwise they are collected for this long, or until a call ends.
 * Fewer calls, without a higher median latency; the library's own auto-pipelining collects for two microtasks only, and
 * each request is read in another turn of the event loop.
 */
const MAX_COLLECT_TIME = Duration.millis(1)

/** Calls, and so connections, at the same time. */
const MAX_CALLS = 8

/** Of one call. Upstash rejects large requests, from 10 MB on in its smallest plans; the rate limiter's command has 300 bytes. */
const MAX_COMMANDS = 1_000

interface Waiting {
  readonly commands: ReadonlyArray<Database.Command>
  /** In monotonic milliseconds. */
  readonly deadline: number
  readonly replies: Deferred.Deferred<ReadonlyArray<unknown>, CacheError>
}

interface Batch {
  readonly waiting: Array<Waiting>
  size: number
}

const timeout = Effect.suspend(() => new CacheError({ reason: "Timeout" }))

/** After a pause of this process the response may have arrived unread: it is read before the timeout counts. */
const sleepUntil = (deadline: number) =>
  Effect.flatMap(now, (now) => Effect.zipRight(Effect.sleep(Math.max(0, deadline - now)), nextTurn))

export const make = (database: Database.CacheDatabase) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    const calls = yield* Effect.makeSemaphore(MAX_CALLS)
    const callEnded = yield* Effect.makeLatch()
    let callsInFlight = 0
    let open: Batch | undefined

    const call = Database.make(database)
    const timeoutMs = Duration.toMillis(database.timeout)

    const close = (batch: Batch) => {
      if (open === batch) open = undefined
    }

    const collect = Effect.suspend(() =>
      callsInFlight === 0 ? nextTurn : Effect.timeoutOption(callEnded.await, MAX_COLLECT_TIME)
    )

    const sendBatch = (batch: Batch) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          close(batch)
          callsInFlight++
        }),
        () => call(batch.waiting.flatMap(({ commands }) => commands)),
        () =>
          Effect.suspend(() => {
            callsInFlight--
            return callEnded.release
          })
      )

    /** Fails each caller at its own deadline, and the batch after the last. */
    const timeouts = (batch: Batch) =>
      Effect.gen(function* () {
        // The array grows while the loop sleeps.
        for (const { deadline, replies } of batch.waiting) {
          yield* sleepUntil(deadline)
          Deferred.unsafeDone(replies, timeout)
        }
        close(batch)
        return yield* timeout
      })

    const dispatch = (batch: Batch) =>
      collect.pipe(Effect.zipRight(calls.withPermits(1)(sendBatch(batch))), Effect.raceFirst(timeouts(batch)))

    const settle = (batch: Batch) => (exit: Exit.Exit<ReadonlyArray<Database.Reply>, CacheError>) => {
      close(batch)
      let next = 0
      for (const { commands, replies } of batch.waiting) {
        const own = Exit.map(exit, (all) => all.slice(next, next + commands.length))
        next += commands.length
        Deferred.unsafeDone(replies, Exit.match(own, { onFailure: failure, onSuccess: Database.results }))
      }
    }

    return {
      send: (commands) =>
        Effect.flatMap(now, (now) => {
          if (open === undefined || open.size + commands.length > MAX_COMMANDS) {
            const batch: Batch = { waiting: [], size: 0 }
            open = batch
            runFork(dispatch(batch), { scope }).addObserver(settle(batch))
          }
          const replies = Deferred.unsafeMake<ReadonlyArray<unknown>, CacheError>(FiberId.none)
          open.waiting.push({ commands, deadline: now + timeoutMs, replies })
          open.size += commands.length
          return Deferred.await(replies)
        })
    } satisfies UpstashPipeline
  })

/** A batch is interrupted only when the layer is released. */
const failure = (cause: Cause.Cause<CacheError>): Effect.Effect<never, CacheError> =>
  Effect.failCause(
    Cause.isInterruptedOnly(cause) ? Cause.fail(new CacheError({ reason: "Unreachable" })) : cause
  )
