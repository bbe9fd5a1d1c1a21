import { Effect } from "effect"

/** Completes in the next turn of the event loop, after all input that is ready has been read. */
export const nextTurn: Effect.Effect<void> = Effect.async((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

/** How long bulk requests compute, all together, in one turn of the event loop: 2 ms. A step that has begun is finished. */
const MAX_SLICE_NANOS = 2_000_000n

/**
 * Computes long lists in short slices, so that other requests are served between two slices. All users of these slices share one
 * permit: they take turns, in the order in which they asked.
 */
export const make = Effect.zipWith(Effect.makeSemaphore(1), Effect.clock, (semaphore, clock) => ({
  /**
   * The results of `step` for all items, in order. A step that throws is a defect. Interruption ends the work before the next
   * slice.
   */
  map: <A, B>(
    items: ReadonlyArray<A>,
    step: (item: A, index: number) => B
  ): Effect.Effect<ReadonlyArray<B>> =>
    Effect.gen(function* () {
      const results: Array<B> = []
      const slice = Effect.sync(() => {
        const end = clock.unsafeCurrentTimeNanos() + MAX_SLICE_NANOS
        for (const [offset, item] of items.slice(results.length).entries()) {
          if (offset > 0 && clock.unsafeCurrentTimeNanos() >= end) break
          results.push(step(item, results.length))
        }
      })
      while (results.length < items.length) {
        // The permit is returned in the next turn: released at once, sixteen requests would compute sixteen slices in one turn. A
        // released permit is free until a waiter's fiber runs: without the second turn the same request would take it again.
        yield* semaphore.withPermits(1)(Effect.zipRight(slice, nextTurn))
        yield* nextTurn
      }
      return results
    })
}))

export type Slices = Effect.Effect.Success<typeof make>
