import { Duration, Effect, Either } from "effect"
import * as BackgroundLoop from "../Time/BackgroundLoop.ts"
import * as MonotonicTime from "../Time/MonotonicTime.ts"
import { nextTurn } from "../Time/Slices.ts"
import * as UpstashRest from "./UpstashRest.ts"

/**
 * Calls, and so connections, at the same time. While there are fewer, the commands of one turn of the event loop are sent
 * together (the library's own auto-pipelining collects for two microtasks only, and each request is read in another turn);
 * otherwise they are collected until a call ends.
 */
const MAX_CALLS = 8

/** An HTTP call, with the commands in the order of their callers. */
interface Call {
  readonly callers: Array<Caller>
  abort: () => void
}

interface Caller {
  readonly call: Call
  readonly commands: ReadonlyArray<UpstashRest.Command>
  /** Monotonic, in milliseconds. */
  readonly deadline: number
  /** Ignored after the first call. */
  readonly resume: (results: Either.Either<ReadonlyArray<unknown>, UpstashRest.DatabaseError>) => void
}

const failure = (reason: UpstashRest.DatabaseError["reason"]) =>
  Either.left(new UpstashRest.DatabaseError({ reason }))

/**
 * Sends the commands of concurrent requests together, in one HTTP call.
 *
 * Its state changes in callbacks, and one fiber watches all timeouts: with a fiber, a `Deferred` and a timeout of Effect for each
 * call a request took 1.2 times the CPU time, with an `Effect.timeout` for each command more.
 */
export const make = (database: UpstashRest.DatabaseConfig) =>
  Effect.gen(function* () {
    const sendCommands = yield* UpstashRest.make(database)
    const clock = yield* Effect.clock
    const timeoutMs = Duration.toMillis(database.timeout)
    /** Takes more commands until it is sent. */
    let unsent: Call | undefined
    const inFlight = new Set<Call>()
    /** In the order of their deadlines, as all have the same timeout. */
    const waiting = new Set<Caller>()
    /** Open while there are callers. */
    const isWaiting = Effect.unsafeMakeLatch()
    let isClosed = false

    const sendNext = () => {
      const call = unsent
      if (call === undefined || inFlight.size >= MAX_CALLS) return
      unsent = undefined
      inFlight.add(call)
      const commands = call.callers.flatMap(({ commands }) => commands)
      call.abort = sendCommands(commands, (replies) => end(call, replies))
    }

    const collect = (): Call => {
      setImmediate(sendNext)
      return { callers: [], abort: () => undefined }
    }

    const end = (call: Call, replies: UpstashRest.Replies) => {
      if (call === unsent) unsent = undefined
      inFlight.delete(call)
      let start = 0
      for (const caller of call.callers) {
        const own = [start, start + caller.commands.length] as const
        start += caller.commands.length
        waiting.delete(caller)
        caller.resume(Either.flatMap(replies, (all) => UpstashRest.results(all.slice(...own))))
      }
      sendNext()
    }

    const abort = (call: Call, reason: UpstashRest.DatabaseError["reason"]) => {
      call.abort()
      end(call, failure(reason))
    }

    const endLate = () => {
      const now = MonotonicTime.millis(clock)
      for (const caller of waiting) {
        if (caller.deadline > now) return
        waiting.delete(caller)
        // The last caller times out last.
        if (caller === caller.call.callers.at(-1)) abort(caller.call, "Timeout")
        else caller.resume(failure("Timeout"))
      }
    }

    const watchTimeouts = Effect.suspend(() => {
      const [next] = waiting
      if (next === undefined) {
        isWaiting.unsafeClose()
        return isWaiting.await
      }
      return Effect.sleep(Math.max(0, next.deadline - MonotonicTime.millis(clock))).pipe(
        // After a pause of this process a response may have arrived unread: it is read before the timeout counts.
        Effect.zipRight(nextTurn),
        Effect.zipRight(Effect.sync(endLate))
      )
    })

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosed = true
        for (const call of [unsent, ...inFlight]) if (call !== undefined) abort(call, "Unreachable")
      })
    )
    yield* BackgroundLoop.fork("timeouts of the cache database", watchTimeouts)

    return {
      /**
       * Returns one result for each command, in order, or fails: with `Timeout` after the database's timeout, and if any of the
       * replies is an error. Interrupting the caller does not cancel the call, which carries other callers' commands.
       */
      send: (commands: ReadonlyArray<UpstashRest.Command>) =>
        Effect.async<ReadonlyArray<unknown>, UpstashRest.DatabaseError>((resume) => {
          if (isClosed) return resume(failure("Unreachable"))
          const call = unsent ?? collect()
          const deadline = MonotonicTime.millis(clock) + timeoutMs
          const caller = { call, commands, deadline, resume }
          unsent = call
          call.callers.push(caller)
          waiting.add(caller)
          isWaiting.unsafeOpen()
        })
    }
  })

export type UpstashPipeline = Effect.Effect.Success<ReturnType<typeof make>>
