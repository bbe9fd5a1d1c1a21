import { Effect } from "effect"

/** Nobody waits longer for the thread than this and a few steps of the work. */
const NANOS_A_SLICE = 500_000n

/** The time is read after so many steps, some of which are as short as the reading, and others, that hash, a tenth of a millisecond. */
const STEPS_A_READING = 2

/**
 * Lets everything else that waits for the thread run: other than `Effect.yieldNow`, which yields to fibers alone. For work
 * in small pieces that come faster than events are looked at, as those of a download do.
 */
export const letOthersRun = Effect.async<void>((resume) => {
  const handle = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(handle))
})

/** Runs long computations on the thread that answers requests without holding it for long. */
export interface TimeSlices {
  /** Runs a computation to its end, in slices that end at one of its yields. One at a time. */
  readonly run: <A>(work: Generator<unknown, A>) => Effect.Effect<A>
}

/** The slices count on from one `run` to the next, so that many short computations in a row are sliced as one. */
export const make: Effect.Effect<TimeSlices> = Effect.clockWith((clock) =>
  Effect.sync(() => {
    let since = clock.unsafeCurrentTimeNanos()
    const run = <A>(work: Generator<unknown, A>): Effect.Effect<A> =>
      Effect.suspend(() => {
        for (;;) {
          for (let step = 0; step < STEPS_A_READING; step++) {
            const { done, value } = work.next()
            if (done === true) return Effect.succeed(value)
          }
          if (clock.unsafeCurrentTimeNanos() - since < NANOS_A_SLICE) continue
          return Effect.flatMap(letOthersRun, () => {
            since = clock.unsafeCurrentTimeNanos()
            return run(work)
          })
        }
      })
    return { run }
  })
)
