import { Cause, Deferred, Duration, Effect, Exit, FiberId, Runtime } from "effect"
import { now } from "../MonotonicTime.ts"
import { CacheError } from "./CacheError.ts"
import * as UpstashCall from "./UpstashCall.ts"

/** The way to the database: commands that concurrent requests send travel together in one HTTP call. */
export interface UpstashPipeline {
  /**
   * One reply for each command, in order. Interrupting the caller stops nobody else's commands.
   *
   * An error reply to any of the commands fails them all.
   */
  readonly send: (
    commands: ReadonlyArray<UpstashCall.Command>
  ) => Effect.Effect<ReadonlyArray<unknown>, CacheError>
}

/** What a command may take, from the moment it is given to `send`. The wire contract of the service fixes it. */
const COMMAND_BUDGET = Duration.toMillis(Duration.millis(200))

/**
 * While a call is under way, commands gather for this long or until that call is answered, then they travel together;
 * else they leave at once. With 16 callers and a database at 5 ms distance this makes 0.15 to 0.2 calls a command
 * without adding to the median latency; sending at once makes 0.3 to 0.35, and the library's own auto-pipelining 1,
 * because it waits for two microtasks only, and every request is read in a turn of the event loop of its own.
 */
const GATHERING = Duration.millis(1)

/** Calls under way at once, and so connections. Reached only while the database is slower than usual. */
const MOST_CALLS = 8

/** Upstash refuses large requests, from 10 MB on in its smallest plans; a command of the rate limiter is 300 bytes. */
const MOST_COMMANDS = 1_000

interface Waiting {
  readonly commands: ReadonlyArray<UpstashCall.Command>
  /** When its budget ends, in monotonic milliseconds. */
  readonly deadline: number
  readonly replies: Deferred.Deferred<ReadonlyArray<unknown>, CacheError>
}

interface Batch {
  readonly waiting: Array<Waiting>
  size: number
}

/** Completes when all that is ready to run in this turn of the event loop has run. */
const endOfTurn = Effect.async<void>((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

const timeout = Effect.suspend(() => new CacheError({ reason: "Timeout" }))

/** When this process itself was held up, the answer may be there and only not read yet: it gets the turn to be read. */
const sleepUntil = (deadline: number) =>
  Effect.flatMap(now, (now) => Effect.zipRight(Effect.sleep(Math.max(0, deadline - now)), endOfTurn))

export const make = (database: UpstashCall.CacheDatabase) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    const calls = yield* Effect.makeSemaphore(MOST_CALLS)
    const answered = yield* Effect.makeLatch()
    let callsUnderWay = 0
    let gathering: Batch | undefined

    const call = UpstashCall.make(database)

    const close = (batch: Batch) => {
      if (gathering === batch) gathering = undefined
    }

    const gather = Effect.suspend(() =>
      callsUnderWay === 0 ? endOfTurn : Effect.timeoutOption(answered.await, GATHERING)
    )

    const sendBatch = (batch: Batch) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          close(batch)
          callsUnderWay++
        }),
        () => call(batch.waiting.flatMap(({ commands }) => commands)),
        () =>
          Effect.suspend(() => {
            callsUnderWay--
            return answered.release
          })
      )

    /** Fails each of the waiting when its own budget ends, and the whole batch with the last. */
    const budgets = (batch: Batch) =>
      Effect.gen(function* () {
        // Others may join while it waits.
        for (const { deadline, replies } of batch.waiting) {
          yield* sleepUntil(deadline)
          Deferred.unsafeDone(replies, timeout)
        }
        close(batch)
        return yield* timeout
      })

    const dispatch = (batch: Batch) =>
      gather.pipe(Effect.zipRight(calls.withPermits(1)(sendBatch(batch))), Effect.raceFirst(budgets(batch)))

    const settle = (batch: Batch) => (exit: Exit.Exit<ReadonlyArray<UpstashCall.Reply>, CacheError>) => {
      close(batch)
      let next = 0
      for (const { commands, replies } of batch.waiting) {
        const own = Exit.map(exit, (all) => all.slice(next, next + commands.length))
        next += commands.length
        Deferred.unsafeDone(replies, Exit.match(own, { onFailure: failure, onSuccess: UpstashCall.results }))
      }
    }

    return {
      send: (commands) =>
        Effect.flatMap(now, (now) => {
          if (gathering === undefined || gathering.size + commands.length > MOST_COMMANDS) {
            const batch: Batch = { waiting: [], size: 0 }
            gathering = batch
            runFork(dispatch(batch), { scope }).addObserver(settle(batch))
          }
          const replies = Deferred.unsafeMake<ReadonlyArray<unknown>, CacheError>(FiberId.none)
          gathering.waiting.push({ commands, deadline: now + COMMAND_BUDGET, replies })
          gathering.size += commands.length
          return Deferred.await(replies)
        })
    } satisfies UpstashPipeline
  })

/** The batch is interrupted only when the database's layer is released. */
const failure = (cause: Cause.Cause<CacheError>): Effect.Effect<never, CacheError> =>
  Effect.failCause(
    Cause.isInterruptedOnly(cause) ? Cause.fail(new CacheError({ reason: "Unreachable" })) : cause
  )
