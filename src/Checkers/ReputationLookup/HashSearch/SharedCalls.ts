import { Deferred, Duration, Effect, Exit, Fiber, FiberId, type Scope } from "effect"
import * as MonotonicTime from "../../../Layers/MonotonicTime.ts"

/** How long the closing of the scope waits for what calls still do after their result. */
const SETTLE_TIMEOUT = Duration.seconds(1)

interface Call<A, E> {
  readonly result: Deferred.Deferred<A, E>
  /** Milliseconds of the monotonic clock. */
  readonly deadline: number
  readonly expire: () => void
}

/** Calls in flight, each in a fiber of its own, which outlives its callers but not the scope. */
export interface SharedCalls<A, E> {
  /** The number of calls in flight. */
  readonly size: () => number
  /** Waits for the call of the key that is in flight. Undefined: there is none. */
  readonly join: (key: string) => Effect.Effect<A, E> | undefined
  /**
   * Starts a call, in the trace of the caller, and returns the effect that waits for it. `settle` runs after it, for which
   * nobody waits but the closing of the scope, for a second.
   */
  readonly start: (
    key: string,
    call: Effect.Effect<A, E>,
    settle: (exit: Exit.Exit<A, E>) => Effect.Effect<void>
  ) => Effect.Effect<Effect.Effect<A, E>>
}

/**
 * Each call ends at the timeout at the latest. One fiber watches the deadlines of all calls: `Effect.timeout` needs two more
 * fibers for each, which takes 60 us, half of what sending the request takes.
 */
export const make = <A, E>(options: {
  readonly timeout: Duration.Duration
  readonly onTimeout: () => E
}): Effect.Effect<SharedCalls<A, E>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const clock = yield* Effect.clock
    const timeoutMs = Duration.toMillis(options.timeout)
    // The oldest first, because all have the same timeout.
    const calls = new Map<string, Call<A, E>>()
    const fibers = new Set<Fiber.RuntimeFiber<void>>()
    yield* Effect.addFinalizer(() =>
      Effect.timeoutOption(Effect.interruptible(Fiber.interruptAll(fibers)), SETTLE_TIMEOUT)
    )

    let isWatched = false
    const watch: Effect.Effect<void> = Effect.suspend(() => {
      const [oldest] = calls.values()
      if (oldest === undefined) {
        isWatched = false
        return Effect.void
      }
      const millisLeft = oldest.deadline - MonotonicTime.millis(clock)
      if (millisLeft > 0) return Effect.zipRight(Effect.sleep(millisLeft), watch)
      oldest.expire()
      return watch
    })
    const startWatch = Effect.suspend(() => {
      if (isWatched) return Effect.void
      isWatched = true
      return Effect.asVoid(Effect.forkIn(watch, scope))
    })

    const track = (fiber: Fiber.RuntimeFiber<void>) => {
      fibers.add(fiber)
      fiber.addObserver(() => fibers.delete(fiber))
    }

    return {
      size: () => calls.size,
      join: (key) => {
        const call = calls.get(key)
        return call && Deferred.await(call.result)
      },
      start: (key, call, settle) => {
        const result = Deferred.unsafeMake<A, E>(FiberId.none)
        let hasExpired = false
        const run = Effect.uninterruptible(
          Effect.flatMap(Effect.exit(Effect.interruptible(call)), (exit) => {
            const ended = hasExpired && Exit.isInterrupted(exit) ? Exit.fail(options.onTimeout()) : exit
            if (calls.get(key)?.result === result) calls.delete(key)
            Deferred.unsafeDone(result, ended)
            return settle(ended)
          })
        )
        return Effect.zipRight(
          startWatch,
          Effect.map(Effect.forkDaemon(run), (fiber) => {
            track(fiber)
            calls.set(key, {
              result,
              deadline: MonotonicTime.millis(clock) + timeoutMs,
              expire: () => {
                hasExpired = true
                calls.delete(key)
                fiber.unsafeInterruptAsFork(FiberId.none)
              }
            })
            return Deferred.await(result)
          })
        )
      }
    }
  })
