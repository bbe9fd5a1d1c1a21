import { Duration, Effect, Either } from "effect"
import * as Database from "../Database.ts"
import * as Deadlines from "../Time/Deadlines.ts"
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

/** Of one call, unless a single caller sends more. Upstash rejects large requests, from 10 MB on in its smallest plans; the rate limiter's command has 430 bytes. */
const MAX_COMMANDS = 1_000

interface Caller {
  /** How many of the batch's commands are its own. */
  readonly commands: number
  /** Ignored after the first call. */
  readonly resume: (results: Either.Either<ReadonlyArray<unknown>, CacheError>) => void
  readonly removeDeadline: () => void
}

/** The commands of one HTTP call, in the order of their callers. */
interface Batch {
  readonly commands: Array<Database.Command>
  readonly callers: Array<Caller>
  /** How many callers have not timed out. */
  waiting: number
  /** Whether it collects no longer, and is sent as soon as there is a free call. */
  isDue: boolean
  abort: () => void
}

const failure = (reason: CacheError["reason"]) => Either.left(new CacheError({ reason }))

/** Its state changes in callbacks: with a fiber for each call a check took 1.3 times the CPU time at one connection. */
export const make = (database: Database.CacheDatabase) =>
  Effect.gen(function* () {
    const sendCommands = yield* Database.make(database)
    const deadlines = yield* Deadlines.make
    const timeoutMs = Duration.toMillis(database.timeout)
    /** In order; the last one takes more commands. */
    const unsent: Array<Batch> = []
    const inFlight = new Set<Batch>()
    let isClosed = false

    const settle = ({ callers }: Batch, replies: Database.Replies) => {
      let end = 0
      for (const { commands, removeDeadline, resume } of callers) {
        const start = end
        end += commands
        removeDeadline()
        resume(Either.flatMap(replies, (all) => Database.results(all.slice(start, end))))
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
      const batch: Batch = { commands: [], callers: [], waiting: 0, isDue: false, abort: () => undefined }
      const end = () => {
        batch.isDue = true
        sendDue()
      }
      unsent.push(batch)
      if (inFlight.size === 0) setImmediate(end)
      else deadlines.add(MAX_COLLECT_MS, end)
      return batch
    }

    const callerTimedOut = (batch: Batch) => {
      batch.waiting--
      if (batch.waiting > 0) return
      if (inFlight.has(batch)) {
        batch.abort()
        callEnded(batch)
      } else if (unsent.includes(batch)) unsent.splice(unsent.indexOf(batch), 1)
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
      send: (commands) =>
        Effect.async((resume) => {
          if (isClosed) return resume(failure("Unreachable"))
          const last = unsent.at(-1)
          const hasRoom = last !== undefined && last.commands.length + commands.length <= MAX_COMMANDS
          const batch = hasRoom ? last : collect()
          const timeOut = () => {
            resume(failure("Timeout"))
            callerTimedOut(batch)
          }
          // After a pause of this process the response may have arrived unread: it is read before the timeout counts.
          const removeDeadline = deadlines.add(timeoutMs, () => setImmediate(timeOut))
          batch.callers.push({ commands: commands.length, resume, removeDeadline })
          batch.commands.push(...commands)
          batch.waiting++
        })
    } satisfies UpstashPipeline
  })
