import { type Clock, Duration, Effect } from "effect"

const NANOS_PER_MILLI = 1e6

/**
 * Whole milliseconds of a monotonic clock, for deadlines inside one process. The date (`Clock.currentTimeMillis`) jumps when
 * the machine's clock is set, which would extend or end a deadline. Rounded: as a number, nanoseconds since 1970 are up to
 * 128 too low, which would make every eighth whole millisecond the one before.
 */
export const millis = (clock: Clock.Clock): number =>
  Math.round(Number(clock.unsafeCurrentTimeNanos()) / NANOS_PER_MILLI)

const NANOS_PER_SECOND = 1e9

/** The seconds between two values of `unsafeCurrentTimeNanos`; never negative. */
export const seconds = (from: bigint, to: bigint): number => Math.max(0, Number(to - from) / NANOS_PER_SECOND)

export const now: Effect.Effect<number> = Effect.clockWith((clock) => Effect.sync(() => millis(clock)))

/**
 * An effect that runs the given one, and until `maxAge` later returns its value again. `Effect.cachedWithTTL` reads the date:
 * it would return an old value for an hour when the machine's clock is set back by one.
 */
export const cachedFor = <A>(
  effect: Effect.Effect<A>,
  maxAge: Duration.Duration
): Effect.Effect<Effect.Effect<A>> =>
  Effect.sync(() => {
    let last: { readonly value: A; readonly at: number } | undefined
    return Effect.gen(function* () {
      const at = yield* now
      if (last !== undefined && at - last.at < Duration.toMillis(maxAge)) return last.value
      const value = yield* effect
      last = { value, at }
      return value
    })
  })
