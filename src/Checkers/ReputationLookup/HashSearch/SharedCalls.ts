import { Duration, Effect, Exit, Fiber, FiberId, Runtime, type Scope } from "effect"
import * as Deadlines from "../../../Layers/Time/Deadlines.ts"

/** How long the closing of the scope waits for what calls still do after their result. */
const SETTLE_TIMEOUT = Duration.seconds(1)

/** A call in flight. */
export interface Call<A, E> {
  /** Waits for its result, at most so many milliseconds. */
  readonly wait: (millis: number) => Effect.Effect<A, E>
}

/** Calls in flight, each in a fiber of its own, which outlives its callers but not the scope. */
export interface SharedCalls<A, E> {
  /** The number of calls in flight. */
  readonly size: () => number
  readonly get: (key: string) => Call<A, E> | undefined
  /**
   * Starts a call, in the trace of the caller, whose runtime this is. No other call of the key may be in flight. `settle` runs
   * after the call; only the closing of the scope waits for it, for at most a second.
   *
   * Not an Effect: a caller that is interrupted, or yields, between several would leave a call without a timeout, or start two.
   */
  readonly start: (
    key: string,
    call: Effect.Effect<A, E>,
    settle: (exit: Exit.Exit<A, E>) => Effect.Effect<void>,
    runtime: Runtime.Runtime<never>
  ) => Call<A, E>
}

/** A call that takes longer than `timeout` is interrupted. It fails with `timeoutError`, and so does a wait that ends before. */
export const make = <A, E>(options: {
  readonly timeout: Duration.Duration
  readonly timeoutError: E
}): Effect.Effect<SharedCalls<A, E>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const deadlines = yield* Deadlines.make
    const timeoutMs = Duration.toMillis(options.timeout)
    const timedOut = Exit.fail(options.timeoutError)
    const calls = new Map<string, Call<A, E>>()
    const fibers = new Set<Fiber.RuntimeFiber<void>>()
    yield* Effect.addFinalizer(() =>
      Effect.timeoutOption(Effect.interruptible(Fiber.interruptAll(fibers)), SETTLE_TIMEOUT)
    )

    /** A call, and the function that ends all waits for it. */
    const makeCall = () => {
      const waits = new Set<(exit: Exit.Exit<A, E>) => void>()
      let result: Exit.Exit<A, E> | undefined
      const wait = (millis: number) =>
        // Not to be cancelled: a wait that is interrupted is removed when its time or the call ends.
        Effect.async<A, E>((resume) => {
          if (result !== undefined) return resume(result)
          if (millis <= 0) return resume(timedOut)
          const end = (exit: Exit.Exit<A, E>) => {
            removeDeadline()
            waits.delete(end)
            resume(exit)
          }
          const removeDeadline = deadlines.add(millis, () => end(timedOut))
          waits.add(end)
        })
      const end = (exit: Exit.Exit<A, E>) => {
        result = exit
        for (const end of waits) end(exit)
      }
      return { wait, end }
    }

    return {
      size: () => calls.size,
      get: (key) => calls.get(key),
      start: (key, call, settle, runtime) => {
        const { wait, end } = makeCall()
        let hasExpired = false
        const run = Effect.uninterruptible(
          Effect.flatMap(Effect.exit(Effect.interruptible(call)), (exit) => {
            const result = hasExpired && Exit.isInterrupted(exit) ? timedOut : exit
            removeDeadline()
            calls.delete(key)
            end(result)
            return settle(result)
          })
        )
        // It runs after this function has returned.
        const fiber = Runtime.runFork(runtime, run, { immediate: false })
        const removeDeadline = deadlines.add(timeoutMs, () => {
          hasExpired = true
          fiber.unsafeInterruptAsFork(FiberId.none)
        })
        fibers.add(fiber)
        fiber.addObserver(() => fibers.delete(fiber))
        const started = { wait }
        calls.set(key, started)
        return started
      }
    }
  })
