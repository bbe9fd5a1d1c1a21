import { Effect, FiberSet, type Scope } from "effect"
import * as MonotonicTime from "./MonotonicTime.ts"

interface Deadline {
  /** Milliseconds of the monotonic clock. */
  readonly at: number
  readonly pass: () => void
}

/** Many deadlines, for which few fibers of the scope sleep. */
export interface Deadlines {
  /** Calls `pass` after so many milliseconds, more than 0, unless the returned function is called before. */
  readonly add: (millis: number, pass: () => void) => () => void
}

/** `Effect.timeout` runs two fibers for each deadline, which takes 60 us. */
export const make: Effect.Effect<Deadlines, never, Scope.Scope> = Effect.gen(function* () {
  const clock = yield* Effect.clock
  const fork = yield* FiberSet.makeRuntime<never>()
  const deadlines = new Set<Deadline>()
  /** When the sleeping fibers wake. A fiber starts only if it wakes before all others. */
  const wakeTimes = new Set<number>()

  const wakeAt = (at: number): void => {
    if (at >= Math.min(...wakeTimes)) return
    wakeTimes.add(at)
    const millis = Math.max(0, at - MonotonicTime.millis(clock))
    fork(Effect.andThen(Effect.sleep(millis), () => wake(at)))
  }

  const wake = (at: number): void => {
    wakeTimes.delete(at)
    const now = MonotonicTime.millis(clock)
    let next = Number.POSITIVE_INFINITY
    for (const deadline of deadlines) {
      if (deadline.at > now) next = Math.min(next, deadline.at)
      else if (deadlines.delete(deadline)) deadline.pass()
    }
    wakeAt(next)
  }

  return {
    add: (millis, pass) => {
      const deadline = { at: MonotonicTime.millis(clock) + millis, pass }
      deadlines.add(deadline)
      wakeAt(deadline.at)
      return () => void deadlines.delete(deadline)
    }
  }
})
