import type { Clock } from "effect"

const NANOS_PER_MICRO = 1000
const MICROS_PER_MILLI = 1000

/** To the microsecond: finer digits are noise. A clock that was set back gives 0. */
const milliseconds = (from: bigint, to: bigint): number =>
  Math.max(0, Math.trunc(Number(to - from) / NANOS_PER_MICRO) / MICROS_PER_MILLI)

/** Times by the Clock what is done one after the other: where one ends the next begins, and the Clock is read once. */
export interface Stopwatch {
  /** Ends what is being timed. Its milliseconds. */
  readonly lap: () => number
  /** Leaves what is being timed to go on by itself; what comes back gives its milliseconds when it ends. */
  readonly leave: () => () => number
  /** Puts what is being timed off; what comes back takes it up again in the place of what is timed then. */
  readonly putOff: () => () => void
}

export const start = (clock: Clock.Clock): Stopwatch => {
  let from = clock.unsafeCurrentTimeNanos()
  return {
    lap: () => {
      const began = from
      from = clock.unsafeCurrentTimeNanos()
      return milliseconds(began, from)
    },
    leave: () => {
      const began = from
      from = clock.unsafeCurrentTimeNanos()
      return () => milliseconds(began, clock.unsafeCurrentTimeNanos())
    },
    putOff: () => {
      const began = from
      from = clock.unsafeCurrentTimeNanos()
      const spent = from - began
      return () => {
        from -= spent
      }
    }
  }
}
