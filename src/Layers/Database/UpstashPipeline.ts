import { Cause, Duration, Effect, Exit, FiberId, Runtime } from "effect"
import * as Database from "../Database.ts"
import * as Deadlines from "../Time/Deadlines.ts"
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
const MAX_COLLECT_MS = 1

/** Calls, and so connections, at the same time. */
const MAX_CALLS = 8

/** Of one call. Upstash rejects large requests, from 10 MB on in its smallest plans; the rate limiter's command has 300 bytes. */
const MAX_COMMANDS = 1_000

interface Caller {
  /** How many of the batch's commands are its own. */
  readonly commands: number
  readonly resume: (results: Effect.Effect<ReadonlyArray<unknown>, CacheError>) => void
  readonly removeDeadline: () => void
}

/** The commands of one HTTP call, in the order of their callers. */
interface Batch {
  readonly commands: Array<Database.Command>
  readonly callers: Array<Caller>
  /** How many callers have not timed out. The batch is interrupted when none is left. */
  waiting: number
  readonly interrupt: () => void
}

const timeout = Effect.suspend(() => new CacheError({ reason: "Timeout" }))

export const make = (database: Database.CacheDatabase) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    const call = yield* Database.make(database)
    const calls = yield* Effect.makeSemaphore(MAX_CALLS)
    const deadlines = yield* Deadlines.make
    const timeoutMs = Duration.toMillis(database.timeout)
    /** What ends the collecting of each batch. */
    const collecting = new Set<() => void>()
    let callsInFlight = 0
    let open: Batch | undefined

    const close = (batch: Batch) => {
      if (open === batch) open = undefined
    }

    const collect = Effect.async<void>((resume) => {
      const cancel = () => {
        removeDeadline()
        collecting.delete(end)
      }
      const end = () => {
        cancel()
        resume(Effect.void)
      }
      const removeDeadline = deadlines.add(MAX_COLLECT_MS, end)
      collecting.add(end)
      return Effect.sync(cancel)
    })

    const sendBatch = (batch: Batch) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          close(batch)
          callsInFlight++
        }),
        () => call(batch.commands),
        () =>
          Effect.sync(() => {
            callsInFlight--
            for (const end of collecting) end()
          })
      )

    const settle = (batch: Batch) => (exit: Exit.Exit<ReadonlyArray<Database.Reply>, CacheError>) => {
      close(batch)
      let next = 0
      for (const { commands, removeDeadline, resume } of batch.callers) {
        const own = [next, next + commands] as const
        next += commands
        removeDeadline()
        resume(
          Exit.match(exit, {
            onFailure: failure,
            onSuccess: (replies) => Database.results(replies.slice(...own))
          })
        )
      }
    }

    const start = () => {
      const batch: Batch = {
        commands: [],
        callers: [],
        waiting: 0,
        interrupt: () => fiber.unsafeInterruptAsFork(FiberId.none)
      }
      const collected = Effect.suspend(() => (callsInFlight === 0 ? nextTurn : collect))
      const fiber = runFork(Effect.zipRight(collected, calls.withPermits(1)(sendBatch(batch))), { scope })
      fiber.addObserver(settle(batch))
      return batch
    }

    return {
      send: (commands) =>
        Effect.async((resume) => {
          if (open === undefined || open.commands.length + commands.length > MAX_COMMANDS) open = start()
          const batch = open
          const expire = Effect.sync(() => {
            resume(timeout)
            batch.waiting--
            if (batch.waiting > 0) return
            close(batch)
            batch.interrupt()
          })
          // After a pause of this process the response may have arrived unread: it is read before the timeout counts.
          const removeDeadline = deadlines.add(timeoutMs, () => runFork(Effect.zipRight(nextTurn, expire)))
          batch.callers.push({ commands: commands.length, resume, removeDeadline })
          batch.commands.push(...commands)
          batch.waiting++
        })
    } satisfies UpstashPipeline
  })

/** A batch is interrupted when nobody waits for it, or the layer is released. */
const failure = (cause: Cause.Cause<CacheError>): Effect.Effect<never, CacheError> =>
  Effect.failCause(
    Cause.isInterruptedOnly(cause) ? Cause.fail(new CacheError({ reason: "Unreachable" })) : cause
  )
