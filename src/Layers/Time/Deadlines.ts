import { Effect, FiberSet, type Scope } from "effect"
import * as MonotonicTime from "./MonotonicTime.ts"

interface Deadline {
  /** Milliseconds of the monotonic clock. */
  readonly at: number
  readonly pass: () => void
}

/** Many deadlines, for which one fiber of the scope sleeps. */
export interface Deadlines {
  /** Calls `pass` after so many milliseconds, more than 0, unless the returned function is called before. */
  readonly add: (millis: number, pass: () => void) => () => void
}

/** `Effect.timeout` runs two fibers for each deadline, which takes 60 us. */
export const make: Effect.Effect<Deadlines, never, Scope.Scope> = Effect.gen(function* () {
  const clock = yield* Effect.clock
  const fork = yield* FiberSet.makeRuntime<never>()
  const deadlines = new Set<Deadline>()
  let wakesAt = Number.POSITIVE_INFINITY

  const sleepUntil = (at: number): void => {
    wakesAt = at
    const millis = Math.max(0, at - MonotonicTime.millis(clock))
    // A fiber whose deadline is not the next any more does nothing when it wakes.
    fork(Effect.andThen(Effect.sleep(millis), () => (wakesAt === at ? wake() : undefined)))
  }

  const wake = (): void => {
    wakesAt = Number.POSITIVE_INFINITY
    const now = MonotonicTime.millis(clock)
    let next = Number.POSITIVE_INFINITY
    for (const deadline of deadlines) {
      if (deadline.at > now) next = Math.min(next, deadline.at)
      else if (deadlines.delete(deadline)) deadline.pass()
    }
    if (next < wakesAt) sleepUntil(next)
  }

  return {
    add: (millis, pass) => {
      const deadline = { at: MonotonicTime.millis(clock) + millis, pass }
      deadlines.add(deadline)
      if (deadline.at < wakesAt) sleepUntil(deadline.at)
      return () => void deadlines.delete(deadline)
    }
  }
})
