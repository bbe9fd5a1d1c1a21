import { Duration, Effect, Exit } from "effect"
import * as MonotonicTime from "./MonotonicTime.ts"
import { nextTurn } from "./Slices.ts"

/** Timeouts of one duration. */
export interface Timeouts {
  /** Calls back after the duration, unless the function that it returns is called before. */
  readonly start: (onTimeout: () => void) => Effect.Effect<() => void>
  /** Waits until the listener that it registers is called, at most for the duration. */
  readonly waitFor: (register: (listener: () => void) => void) => Effect.Effect<void>
}

/**
 * Timeouts for what happens in every check: one fiber watches all of them. `Effect.timeout` forks two fibers for each, which
 * made a check with a search of Safe Browsing 1.35 times as expensive (bench/README.md). Elsewhere use `Effect.timeout`.
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

  return {
    start,
    waitFor: (register) => {
      let end = (): void => undefined
      return Effect.flatMap(
        start(() => end()),
        (stop) =>
          Effect.async((resume) => {
            end = () => {
              stop()
              resume(Effect.void)
            }
            register(end)
            return Effect.sync(stop)
          })
      )
    }
  }
}
