import { Effect, Either } from "effect"
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
 * Calls, and so connections, at the same time. While there are fewer, the commands of one turn of the event loop are sent
 * together (the library's own auto-pipelining collects for two microtasks only, and each request is read in another turn);
 * otherwise they are collected until a call ends.
 */
const MAX_CALLS = 8

interface Caller {
  /** How many of the call's commands are its own. */
  readonly commands: number
  readonly stopTimeout: () => void
  /** Ignored after the first call. */
  readonly resume: (results: Either.Either<ReadonlyArray<unknown>, UpstashRest.DatabaseError>) => void
}

/** An HTTP call, with the commands in the order of their callers. */
interface Call {
  readonly commands: Array<UpstashRest.Command>
  readonly callers: Array<Caller>
  abort: () => void
}

const failure = (reason: UpstashRest.DatabaseError["reason"]) =>
  Either.left(new UpstashRest.DatabaseError({ reason }))

/**
 * Its state changes in callbacks: with a fiber, a `Deferred` and a timeout of Effect for each call a request took 1.2 times the
 * CPU time (medians of seven rounds in turn, one connection and sixteen), with an `Effect.timeout` for each command more.
 */
export const make = (database: UpstashRest.DatabaseConfig) =>
  Effect.gen(function* () {
    const sendCommands = yield* UpstashRest.make(database)
    const timeouts = Timeouts.make(database.timeout)
    /** Takes more commands until it is sent. */
    let unsent: Call | undefined
    const inFlight = new Set<Call>()
    let isClosed = false

    const sendNext = () => {
      const call = unsent
      if (call === undefined || inFlight.size >= MAX_CALLS) return
      unsent = undefined
      inFlight.add(call)
      call.abort = sendCommands(call.commands, (replies) => end(call, replies))
    }

    const collect = (): Call => {
      setImmediate(sendNext)
      return { commands: [], callers: [], abort: () => undefined }
    }

    const end = (call: Call, replies: UpstashRest.Replies) => {
      if (call === unsent) unsent = undefined
      inFlight.delete(call)
      let start = 0
      for (const { commands, resume, stopTimeout } of call.callers) {
        const own = [start, start + commands] as const
        start += commands
        stopTimeout()
        resume(Either.flatMap(replies, (all) => UpstashRest.results(all.slice(...own))))
      }
      sendNext()
    }

    const abort = (call: Call, reason: UpstashRest.DatabaseError["reason"]) => {
      call.abort()
      end(call, failure(reason))
    }

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosed = true
        for (const call of [unsent, ...inFlight]) if (call !== undefined) abort(call, "Unreachable")
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
              const call = unsent ?? collect()
              const caller = { commands: commands.length, stopTimeout, resume }
              unsent = call
              onTimeout = () => {
                // The last caller times out last.
                if (caller === call.callers.at(-1)) abort(call, "Timeout")
                else resume(failure("Timeout"))
              }
              call.callers.push(caller)
              call.commands.push(...commands)
            })
        )
      }
    } satisfies UpstashPipeline
  })
