import { Effect, Either, FiberSet } from "effect"
import * as Timeouts from "../Time/Timeouts.ts"
import * as UpstashRest from "./UpstashRest.ts"

/** Sends the commands of concurrent requests together, in one HTTP call. */
export interface UpstashPipeline {
  /**
   * Returns one result for each command, in order, or fails: with `Timeout` after the database's timeout, and if any of the
   * replies is an error. Interrupting the caller does not cancel the call, which carries other callers' commands.
   */
  readonly send: (
    commands: ReadonlyArray<UpstashRest.Command>
  ) => Effect.Effect<ReadonlyArray<unknown>, UpstashRest.DatabaseError>
}

/**
 * Commands are sent at once when no call is in flight. Otherwise they are collected for this long, or until a call ends.
 * Fewer calls, without a higher median latency; the library's own auto-pipelining collects for two microtasks only, and
 * each request is read in another turn of the event loop.
 */
const MAX_COLLECT_MS = 1

/** Calls, and so connections, at the same time. */
const MAX_CALLS = 8

/** Of one call, unless a single caller sends more. Upstash rejects large requests, from 10 MB on in its smallest plans; the rate limiter's command has 430 bytes. */
const MAX_COMMANDS = 1_000

interface Caller {
  /** How many of the batch's commands are its own. */
  readonly commands: number
  readonly stopTimeout: () => void
  readonly batch: Batch
  /** Ignored after the first call. */
  readonly resume: (results: Either.Either<ReadonlyArray<unknown>, UpstashRest.DatabaseError>) => void
}

/** The commands of one HTTP call, in the order of their callers. */
interface Batch {
  readonly commands: Array<UpstashRest.Command>
  readonly callers: Array<Caller>
  /** Whether it collects no longer, and is sent as soon as there is a free call. */
  isDue: boolean
  abort: () => void
}

const failure = (reason: UpstashRest.DatabaseError["reason"]) =>
  Either.left(new UpstashRest.DatabaseError({ reason }))

/** Its state changes in callbacks: an `Effect.timeout` around each command took five times the CPU time of the command. */
export const make = (database: UpstashRest.DatabaseConfig) =>
  Effect.gen(function* () {
    const sendCommands = yield* UpstashRest.make(database)
    const fork = yield* FiberSet.makeRuntime<never>()
    const timeouts = Timeouts.make(database.timeout)
    /** In order; the last one takes more commands. */
    const unsent: Array<Batch> = []
    const inFlight = new Set<Batch>()
    let isClosed = false

    const settle = (batch: Batch, replies: UpstashRest.Replies) => {
      let end = 0
      for (const caller of batch.callers) {
        const start = end
        end += caller.commands
        caller.stopTimeout()
        caller.resume(Either.flatMap(replies, (all) => UpstashRest.results(all.slice(start, end))))
      }
    }

    const sendDue = () => {
      const [batch] = unsent
      if (batch === undefined || !batch.isDue || inFlight.size === MAX_CALLS) return
      unsent.shift()
      inFlight.add(batch)
      batch.abort = sendCommands(batch.commands, (replies) => {
        callEnded(batch)
        settle(batch, replies)
      })
      sendDue()
    }

    const callEnded = (batch: Batch) => {
      inFlight.delete(batch)
      for (const batch of unsent) batch.isDue = true
      sendDue()
    }

    const collect = (): Batch => {
      const batch: Batch = { commands: [], callers: [], isDue: false, abort: () => undefined }
      const end = () => {
        batch.isDue = true
        sendDue()
      }
      unsent.push(batch)
      if (inFlight.size === 0) setImmediate(end)
      else fork(Effect.andThen(Effect.sleep(MAX_COLLECT_MS), end))
      return batch
    }

    const timeOut = (caller: Caller) => {
      const { batch } = caller
      caller.resume(failure("Timeout"))
      // The last caller times out last.
      if (caller !== batch.callers.at(-1)) return
      if (inFlight.has(batch)) {
        batch.abort()
        callEnded(batch)
      } else unsent.splice(unsent.indexOf(batch), 1)
    }

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosed = true
        for (const batch of [...inFlight, ...unsent.splice(0)]) {
          batch.abort()
          settle(batch, failure("Unreachable"))
        }
        inFlight.clear()
      })
    )

    return {
      send: (commands) => {
        let onTimeout = (): void => undefined
        return Effect.flatMap(
          timeouts.start(() => onTimeout()),
          (stopTimeout) =>
            Effect.async((resume) => {
              if (isClosed) {
                stopTimeout()
                return resume(failure("Unreachable"))
              }
              const last = unsent.at(-1)
              const hasRoom = last !== undefined && last.commands.length + commands.length <= MAX_COMMANDS
              const batch = hasRoom ? last : collect()
              const caller = { commands: commands.length, stopTimeout, batch, resume }
              onTimeout = () => timeOut(caller)
              batch.callers.push(caller)
              batch.commands.push(...commands)
            })
        )
      }
    } satisfies UpstashPipeline
  })
