import { type Clock, Effect } from "effect"

const NANOS_PER_MILLI = 1e6

/**
 * Whole milliseconds of a monotonic clock, for deadlines inside one process. The date (`Clock.currentTimeMillis`) jumps when
 * the machine's clock is set, which would extend or end a deadline.
 */
export const millis = (clock: Clock.Clock): number =>
  Math.floor(Number(clock.unsafeCurrentTimeNanos()) / NANOS_PER_MILLI)

const NANOS_PER_SECOND = 1e9

/** The seconds between two values of `unsafeCurrentTimeNanos`; never negative. */
export const seconds = (from: bigint, to: bigint): number => Math.max(0, Number(to - from) / NANOS_PER_SECOND)

export const now: Effect.Effect<number> = Effect.clockWith((clock) => Effect.sync(() => millis(clock)))
