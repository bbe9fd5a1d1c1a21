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

/** Of one call, unless a single caller sends more. Upstash rejects large requests, from 10 MB on in its smallest plans; the rate limiter's command has 430 bytes. */
const MAX_COMMANDS = 1_000

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

/** Its state changes in callbacks: an `Effect.timeout` around each command took five times the CPU time of the command. */
export const make = (database: UpstashRest.DatabaseConfig) =>
  Effect.gen(function* () {
    const sendCommands = yield* UpstashRest.make(database)
    const timeouts = Timeouts.make(database.timeout)
    /** In order; the last one takes more commands. */
    let unsent: ReadonlyArray<Call> = []
    const inFlight = new Set<Call>()
    let isClosed = false

    const settle = ({ callers }: Call, replies: UpstashRest.Replies) => {
      let end = 0
      for (const caller of callers) {
        const start = end
        end += caller.commands
        caller.stopTimeout()
        caller.resume(Either.flatMap(replies, (all) => UpstashRest.results(all.slice(start, end))))
      }
    }

    const sendNext = () => {
      const [call, ...others] = unsent
      if (call === undefined || inFlight.size >= MAX_CALLS) return
      unsent = others
      inFlight.add(call)
      call.abort = sendCommands(call.commands, (replies) => {
        ended(call)
        settle(call, replies)
      })
    }

    const ended = (call: Call) => {
      inFlight.delete(call)
      sendNext()
    }

    const collect = (): Call => {
      setImmediate(sendNext)
      const call: Call = { commands: [], callers: [], abort: () => undefined }
      unsent = [...unsent, call]
      return call
    }

    const timeOut = (call: Call, caller: Caller) => {
      caller.resume(failure("Timeout"))
      // The last caller times out last.
      if (caller !== call.callers.at(-1)) return
      unsent = unsent.filter((other) => other !== call)
      call.abort()
      ended(call)
    }

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosed = true
        const calls = [...inFlight, ...unsent]
        unsent = []
        for (const call of calls) {
          call.abort()
          settle(call, failure("Unreachable"))
        }
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
              const call = hasRoom ? last : collect()
              const caller = { commands: commands.length, stopTimeout, resume }
              onTimeout = () => timeOut(call, caller)
              call.callers.push(caller)
              call.commands.push(...commands)
            })
        )
      }
    } satisfies UpstashPipeline
  })
