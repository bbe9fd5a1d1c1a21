import { Duration, Effect, Exit } from "effect"
import * as MonotonicTime from "./MonotonicTime.ts"
import { nextTurn } from "./Slices.ts"

/** Timeouts of one duration. */
export interface Timeouts {
  /** Calls back after the duration, unless the function that it returns is called before. */
  readonly start: (onTimeout: () => void) => Effect.Effect<() => void>
}

/**
 * Timeouts of commands to the database, which most checks send: one fiber watches all of them. `Effect.timeout` forks two fibers
 * for each. Elsewhere use `Effect.timeout`.
 *
 * No callback may throw.
 */
export const make = (duration: Duration.Duration): Timeouts => {
  const millis = Duration.toMillis(duration)
  /** In the order of their deadlines, as all have the same duration. */
  const running = new Set<{ readonly deadline: number; readonly onTimeout: () => void }>()
  let isWatching = false

  /** Runs while there are timeouts. */
  const watch: Effect.Effect<void> = Effect.clockWith((clock) => {
    const [next] = running
    isWatching = next !== undefined
    if (next === undefined) return Effect.void
    return Effect.sleep(Math.max(0, next.deadline - MonotonicTime.millis(clock))).pipe(
      // After a pause of this process a response may have arrived unread: it is read before the timeout counts.
      Effect.andThen(nextTurn),
      Effect.andThen(() => {
        const now = MonotonicTime.millis(clock)
        for (const timeout of running) {
          if (timeout.deadline > now) break
          running.delete(timeout)
          timeout.onTimeout()
        }
      }),
      Effect.andThen(watch)
    )
  })

  const start: Timeouts["start"] = (onTimeout) =>
    Effect.clockWith((clock) => {
      const timeout = { deadline: MonotonicTime.millis(clock) + millis, onTimeout }
      running.add(timeout)
      const stop = () => void running.delete(timeout)
      if (isWatching) return Exit.succeed(stop)
      isWatching = true
      return Effect.as(Effect.forkDaemon(Effect.interruptible(watch)), stop)
    })

  return { start }
}
