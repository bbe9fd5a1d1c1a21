import { Effect, Exit, Fiber, Runtime } from "effect"

/**
 * Runs an effect at once as far as it goes without waiting. What comes back is its Exit when that was all of it; else an
 * effect that waits for the rest, and whose interruption stops it.
 *
 * `Effect.fork` begins only when the fiber that forks lets go of the thread, and costs three times as much. The caller must
 * run what comes back, or nobody stops the rest.
 */
export const start = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<Effect.Effect<A, E>, never, R> =>
  Effect.map(Effect.runtime<R>(), (runtime) => {
    const fiber = Runtime.runFork(runtime)(effect)
    return (
      fiber.unsafePoll() ??
      Effect.onInterrupt(Effect.flatten(Fiber.await(fiber)), () => Fiber.interruptFork(fiber))
    )
  })

/** Whether an effect that `start` gave has nothing left to wait for. */
export const isFinished = <A, E>(begun: Effect.Effect<A, E>): begun is Exit.Exit<A, E> => Exit.isExit(begun)
